"""Large results of calls of the library, and of the loops that read them: which memory they have."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.xp.array_library import library_on

from .comparison import same

Function = Callable[..., Any]
N = 1 << 16

CALLS: dict[str, Function] = {
    "elements": lambda x, y, i: (x * 2)[i] + 1,
    "rows": lambda x, y, i: xp.take(x.reshape(-1, 8) * 2, i[:64] % 8, axis=1),
    "negative places": lambda x, y, i: xp.take(x, -1 - i) * 2,
    "a product": lambda x, y, i: x.reshape(256, -1) @ y.reshape(-1, 256) + 1,
    "stacks": lambda x, y, i: (x.reshape(-1, 8, 8) @ (y + 1).reshape(-1, 8, 8)) * 2,
    "a stack and a matrix": lambda x, y, i: x.reshape(-1, 1, 8, 8) @ y[:64].reshape(8, 8),
    "a ufunc": lambda x, y, i: xp.logaddexp(x, y) * 2,
}


def operands() -> list[Any]:
    random = np.random.default_rng(0)
    return [xp.asarray(each) for each in (random.random(N), random.random(N), random.integers(0, N, N))]


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of arrays that were given memory of earlier ones."""
    library, shapes = library_on("cpu"), list[tuple[int, ...]]()
    empty = library.empty_array

    def noted(shape: tuple[int, ...], *form: Any) -> Any:
        shapes.append(shape)
        return empty(shape, *form)

    monkeypatch.setattr(library, "empty_array", noted)
    return shapes


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_the_unfused_function(name: str) -> None:
    function, arguments = CALLS[name], operands()
    fused = accel.fuse(function)
    for _ in range(2):
        same([fused(*arguments)], [function(*arguments)], 4, "an array")


@pytest.mark.parametrize("name", ["elements", "a product", "stacks", "a stack and a matrix", "a ufunc"])
def test_large_results_of_calls_have_memory_of_earlier_arrays(name: str, pooled: list[tuple[int, ...]]) -> None:
    fused, arguments = accel.fuse(CALLS[name]), operands()
    shape = fused(*arguments).shape
    pooled.clear()
    fused(*arguments)
    assert shape in pooled


def test_an_index_out_of_bounds_is_refused() -> None:
    x, y, i = operands()
    i[7] = N
    for name in ("elements", "negative places"):
        with pytest.raises(IndexError, match="out of bounds"):
            accel.fuse(CALLS[name])(x, y, i)


IN_PLACE: dict[str, tuple[Function, int]] = {
    "a result of a call": (lambda x: xp.sort(x) * 2, 0),
    "an array between": (lambda x: xp.sort(x + 1) * xp.sort(x), 1),
    "two results": (lambda x: (xp.sort(x) * 2, xp.sort(-x) + 1), 1),
    "what is returned too": (lambda x: (y := xp.sort(x), y * 2), 1),
    "what is read elsewhere": (lambda x: (y := xp.sort(x))[::-1] + y, 1),
    "what is read later": (lambda x: xp.sort((y := xp.sort(x)) * 2) + y, 1),
    "another dtype": (lambda x: xp.astype(xp.sort(x), "int64"), 1),
}
"""Functions, each with the number of arrays that need memory beside the results of calls."""


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("name", IN_PLACE)
def test_a_loop_writes_to_memory_that_nothing_needs_after_it(name: str, device: str) -> None:
    function, count = IN_PLACE[name]
    x = xp.asarray(np.random.default_rng(0).random(100) * 9, device=device)
    fused = accel.fuse(function)
    for _ in range(2):
        found, expected = fused(x), function(x)
        are_several = isinstance(expected, tuple)
        same([*found] if are_several else [found], [*expected] if are_several else [expected], 0, "an array")
    plan = fused._trace(*fused._bound((x,), {})).plan
    assert len(plan.buffers) == count


def test_a_loop_does_not_write_to_memory_of_a_caller() -> None:
    x = xp.ones(100)
    fused = accel.fuse(lambda x: xp.sort(x) * 2)
    results = [fused(x) for _ in range(3)]
    results[0][:] = 7
    assert float(results[1][0]) == 2
    assert float(x[0]) == 1
