"""Operators that write to temporary operands: only where nothing else can read the operand again."""

from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest

from accel import xp
from accel.xp.expressions import operators_of

N = 40_000

Expression = Callable[[Any, Any], Any]

IN_ONE_MEMORY: dict[str, Expression] = {
    "left": lambda a, b: a * b + a,
    "right": lambda a, b: a - b * a,
    "with a number": lambda a, b: 0.5 * (a + b),
    "unary": lambda a, b: -(a + b),
    "a chain": lambda a, b: ((a * 3 + b) * a - 2) / b,
    "with an index": lambda a, b: (a * b) + a[::-1],
    "with a call": lambda a, b: (a * b) + np.asarray(b).sum().item(),
    "an argument": lambda a, b: xp.exp(-a),
    "arguments": lambda a, b: xp.sqrt(xp.maximum(a - b, 0.0)),
    "the second argument": lambda a, b: xp.add(b, a * b),
    "of a function": lambda a, b: 1.0 / (1.0 + xp.exp(a)),
    "of a function with keywords": lambda a, b: -xp.clip(a, min=1.2, max=1.5),
    "with an element": lambda a, b: (a * b) + a[7],
}
IN_SEVERAL: dict[str, Expression] = {
    "other dtype": lambda a, b: 1j * (a * b),
    "named": lambda a, b: (c := a * b) + a + c,
    "named argument": lambda a, b: xp.exp(c := -a) + c,
    "an argument of another dtype": lambda a, b: xp.abs(a + 1j * b),
    "an argument that is a container's": lambda a, b: next(xp.exp(each) + each for each in [a - b]),
    "starred": lambda a, b: xp.add(*[a - b, b]),
    "mapped": lambda a, b: sum(map(xp.exp, [a - b, b])),
    "named result of a function": lambda a, b: (c := xp.exp(a)) + c,
    "of a function that returns its argument": lambda a, b: same(xp.exp(a)) + b,
    "branch": lambda a, b: (a * b) + (a if a.size else b),
    "call": lambda a, b: add(a * b, a),
    "reduced": lambda a, b: reduce(add, [a, b, a]),
}


def operands() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    return rng.random(N) + 1, rng.random(N) + 1


def same(x: Any) -> Any:
    return x


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of the results that have memory of their own."""
    shapes: list[tuple[int, ...]] = []
    library = xp.zeros(1)._library
    method = library.empty_array

    def empty_array(shape: tuple[int, ...], *others: Any) -> Any:
        shapes.append(shape)
        return method(shape, *others)

    monkeypatch.setattr(library, "empty_array", empty_array)
    return shapes


@pytest.mark.parametrize("name", IN_ONE_MEMORY)
def test_an_expression_takes_memory_once(name: str, taken: list[tuple[int, ...]]) -> None:
    expression, (a, b) = IN_ONE_MEMORY[name], operands()
    expected = expression(a, b)
    taken.clear()
    result = expression(xp.asarray(a), xp.asarray(b))
    assert np.array_equal(np.asarray(result), expected)
    assert taken == [(N,)]


@pytest.mark.parametrize("name", IN_SEVERAL)
def test_what_may_be_read_again_is_kept(name: str, taken: list[tuple[int, ...]]) -> None:
    expression, (a, b) = IN_SEVERAL[name], operands()
    expected = expression(a, b)
    taken.clear()
    result = expression(xp.asarray(a), xp.asarray(b))
    assert np.array_equal(np.asarray(result), expected)
    assert len(taken) > 1


def test_elements_of_an_array_of_objects_are_kept() -> None:
    a, b = operands()
    boxes = np.empty(2, object)
    boxes[:] = [xp.asarray(a), xp.asarray(b)]
    products = boxes * boxes
    sums = products + boxes
    assert np.array_equal(np.asarray(products[0]), a * a)
    assert np.array_equal(np.asarray(sums[1]), b * b + b)


def test_a_container_that_keeps_its_parts() -> None:
    kept: list[Any] = []

    class Sum:
        def __init__(self, array: Any) -> None:
            self.array = array

        def __add__(self, other: "Sum") -> "Sum":
            kept.append(self)
            return Sum(self.array + other.array)

    a, b = operands()
    one, other = Sum(xp.asarray(a)), Sum(xp.asarray(b))
    total = (one + other) + other
    assert np.array_equal(np.asarray(kept[1].array), a + b)
    assert np.array_equal(np.asarray(total.array), a + b + b)


def test_operands_are_read_from_bytecode() -> None:
    found = operators_of((lambda a, b, c: (a * b) + c).__code__)
    (product, _), (total, operator) = sorted(found.items())
    assert operator.operands == (product, None)
    assert not operator.feeds
    assert found[product].feeds
    assert total > product
    assert not operators_of((lambda a, b: a * b).__code__)
    assert not operators_of((lambda a, b: (a * b)[b]).__code__)
    *_, total = sorted(operators_of((lambda a, b, c: (a * b) + (b * c)).__code__).items())
    assert None not in total[1].operands
    assert not operators_of((lambda a, b, c: (a * b) + (b if c else a)).__code__)
