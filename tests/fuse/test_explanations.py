"""What a fused function becomes, as text, as a picture, and as source."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest

import accel
from accel import xp


def smoothed(u: Any, mask: Any) -> Any:
    inner = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    u[1:-1, 1:-1] = xp.where(mask[1:-1, 1:-1], inner, u[1:-1, 1:-1])
    return xp.sort(inner, axis=0)


@pytest.fixture
def operands() -> tuple[Any, Any]:
    return xp.ones((1002, 502)), xp.ones((1002, 502), dtype="bool")


def test_steps_are_loops_and_calls_with_the_memory_that_they_use(operands: tuple[Any, Any]) -> None:
    explanation = accel.fuse(smoothed).explain(*operands)
    first, *others = explanation.steps
    assert first.title == "loop over 1000 x 500"
    assert first.operations == "3 add, 1 mul"
    assert first.reads == {"u": 1002 * 502 * 8}
    assert first.writes == {"memory 1": 4_000_000}
    assert [step.title for step in others] == ["call of sort", "loop over 1000 x 500"]
    assert others[1].reads == {"mask": 500_000, "memory 1": 4_000_000, "u": 4_000_000}
    assert others[1].writes == {"u": 4_000_000}
    assert explanation.nbytes == sum(step.nbytes for step in explanation.steps)
    assert explanation.least == 2 * 1002 * 502 * 8 + 1002 * 502 + 4_000_000


def test_a_loop_reduces_elements_and_stores_them(operands: tuple[Any, Any]) -> None:
    def scaled(u: Any) -> Any:
        doubled = 2 * u
        return doubled, xp.sum(doubled, axis=1)

    (step,) = accel.fuse(scaled).explain(operands[0]).steps
    assert step.operations == "1 mul, 1 sum"
    assert step.writes == {"result 1": 1002 * 502 * 8, "result 2": 1002 * 8}


def filled(u: Any) -> Any:
    new = xp.zeros_like(u)
    new[1:-1, ::-2] = u[2:, ::2]
    return xp.sort(new) + xp.reshape(new * 0.5, -1)[3]


def test_what_has_no_operations_has_lines_too() -> None:
    u, line = xp.ones((6, 8)), filled.__code__.co_firstlineno
    first, second, *_ = accel.fuse(filled).explain(u).steps
    assert (first.operations, first.lines) == ("nothing, it fills", f"test_explanations.py:{line + 1}")
    assert (second.operations, second.lines) == ("nothing, it copies", f"test_explanations.py:{line + 2}")
    call = next(step for step in accel.fuse(filled).explain(u).steps if step.title == "call of sort")
    assert call.lines == f"test_explanations.py:{line + 3}"


def test_the_graph_has_a_line_for_each_array() -> None:
    u, line = xp.ones((6, 8)), filled.__code__.co_firstlineno
    text = accel.fuse(filled).source("graph", u)
    lines = [each.partition("  #")[0].rstrip() for each in text.splitlines()]
    assert lines == [
        "u: float64[6, 8]",
        "n1: float64[6, 8] = 0.0",
        "n2: float64[4, 4] = u[i0 + 2, 2 * i1]",
        "n3: float64[6, 8] = n1 with [i0 + 1, 7 - 2 * i1] = n2",
        "n4: float64[6, 8] = sort(n3)",
        "n5: float64[6, 8] = mul(n3, 0.5)",
        "n6: float64[48] = reshape(n5)",
        "n7: float64[] = n6[3]",
        "n8: float64[6, 8] = add(n4, n7)",
        "return n8",
    ]
    assert text.splitlines()[3].endswith(f"  # test_explanations.py:{line + 2}")


def test_the_regions_say_what_each_loop_does_of_the_graph() -> None:
    text = accel.fuse(filled).source("regions", xp.ones((6, 8)))
    assert text.splitlines() == [
        "1. loop over 6 x 8",
        "   stores    0.0 in memory 1[i0, i1]",
        "2. loop over 4 x 4",
        "   reads     u[i0 + 2, 2 * i1]",
        "   stores    n2 in memory 1[i0 + 1, 7 - 2 * i1]",
        "3. call of sort(n3)",
        "4. loop over 6 x 8",
        "   reads     memory 1[i0, i1]",
        "   computes  n5",
        "   stores    n5 in memory 1[i0, i1]",
        "5. loop over 6 x 8",
        "   reads     the result[i0, i1], memory 1 as (48,)[3]",
        "   computes  n8",
        "   stores    n8 in the result[i0, i1]",
    ]


def test_lines_are_those_of_the_function(operands: tuple[Any, Any]) -> None:
    line = smoothed.__code__.co_firstlineno
    first, _, last = accel.fuse(smoothed).explain(*operands).steps
    assert first.lines == f"test_explanations.py:{line + 1}"
    assert last.lines == f"test_explanations.py:{line + 2}"


def test_the_text_has_all_steps(operands: tuple[Any, Any]) -> None:
    text = str(accel.fuse(smoothed).explain(*operands))
    assert text.startswith("smoothed: 2 loops, 1 call of the library\nThey read and write ")
    assert "times as much as arguments and results have (" in text
    assert "   reads     u (4.02 MB)\n" in text
    assert max(map(len, text.splitlines())) <= 110


def test_the_picture_is_a_document(operands: tuple[Any, Any]) -> None:
    picture = accel.fuse(smoothed).explain(*operands)
    root = ET.fromstring(picture.svg())
    titles = {each.text for each in root.iter("{http://www.w3.org/2000/svg}title")}
    assert "reads u: 4.02 MB" in titles
    assert picture.svg() in picture._repr_html_()


def test_nothing_is_computed(operands: tuple[Any, Any]) -> None:
    u, mask = operands
    fused = accel.fuse(smoothed)
    fused.explain(u, mask)
    fused.source("ir", u, mask)
    assert float(xp.sum(u)) == u.size


@pytest.mark.parametrize(
    ("language", "word"),
    [("ir", "parallel i0"), ("host", "define"), ("cuda", "__global__"), ("hip", "__global__"), ("python", "def ")],
)
def test_source_in_each_language(language: str, word: str, operands: tuple[Any, Any]) -> None:
    assert word in accel.fuse(smoothed).source(language, *operands)


def test_arguments_with_arrays_within_have_names() -> None:
    explanation = accel.fuse(lambda pair, named: pair[0] + named["y"]).explain((xp.ones(3), 1), {"y": xp.ones(3)})
    assert set(explanation.steps[0].reads) == {"pair[0]", "named['y']"}


def into(x: Any, y: Any, out: Any) -> None:
    out[...] = x * 2 + y


def doubled(x: Any, _: Any, __: Any) -> Any:
    x *= 2
    x += 1


def reversed_into(x: Any, _: Any, __: Any) -> Any:
    x[...] = x[::-1] * 2


@pytest.mark.parametrize(("function", "count"), [(into, 1), (doubled, 1), (reversed_into, 2)])
def test_what_replaces_an_argument_is_written_to_its_memory(function: Any, count: int) -> None:
    """It needs memory of its own only if an element is written before another place reads it."""
    explanation = accel.fuse(function).explain(*[xp.ones((10, 10)) for _ in range(3)])
    assert len(explanation.steps) == count
