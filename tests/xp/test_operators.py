"""Operators: both sides, in place, with numbers of Python and NumPy."""

import enum
import operator

import array_api_strict
import numpy as np
import pytest

from accel import xp
from accel.errors import DTypeError

from ..tables import rows

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
BITWISE = ["and_", "or_", "xor", "lshift", "rshift"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
FLOATS = np.asarray([[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]])
INTS = np.asarray([[3, 1, 2], [4, 5, 6]])
OPERANDS = [(name, FLOATS) for name in ARITHMETIC + COMPARISONS]
OPERANDS += [(name, INTS) for name in [*ARITHMETIC, *BITWISE, *COMPARISONS] if name != "truediv"]


def same(result, expected):
    assert type(result) is xp.Array
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(np.asarray(result), expected)


def quietly(compute, *operands):
    with np.errstate(all="ignore"):
        return compute(*operands)


def number(array):
    return array.dtype.type(2).item()


@pytest.mark.parametrize(("name", "array"), OPERANDS)
@pytest.mark.parametrize("kind", ["array", "number", "row", "numpy", "numpy scalar"])
def test_operators_give_what_numpy_gives(name, array, kind):
    compute = getattr(operator, name)
    other = {
        "array": array[::-1],
        "number": number(array),
        "row": array[0],
        "numpy": array,
        "numpy scalar": array[0, 0],
    }[kind]
    ours = xp.asarray(other) if kind in ("array", "row") else other
    x = xp.asarray(array)
    same(quietly(compute, x, ours), quietly(compute, array, other))
    same(quietly(compute, ours, x), quietly(compute, other, array))


@rows(("name", "array"), OPERANDS)
def test_operators_give_what_strict_gives(name, array):
    compute = getattr(operator, name)
    x, s = xp.asarray(array), array_api_strict.asarray(array)
    for result, expected in (
        (quietly(compute, x, x), quietly(compute, s, s)),
        (quietly(compute, x, number(array)), quietly(compute, s, number(array))),
        (quietly(compute, number(array), x), quietly(compute, number(array), s)),
    ):
        same(result, np.asarray(expected))


@rows(("name", "array"), [pair for pair in OPERANDS if pair[0] not in COMPARISONS])
def test_operators_in_place_write_to_the_same_memory(name, array):
    compute = getattr(operator, "i" + name.rstrip("_"))
    for other in (array[0], number(array)):
        x = before = xp.asarray(array, copy=True)
        view = x[0, :]
        expected = array.copy()
        quietly(compute, expected, other)
        x = quietly(compute, x, other if isinstance(other, int | float) else xp.asarray(other))
        assert x is before
        same(x, expected)
        same(view, expected[0])


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_unary_operators(name):
    compute = getattr(operator, name)
    array = INTS if name == "invert" else FLOATS
    same(compute(xp.asarray(array)), compute(array))
    same(compute(xp.asarray(array)[0, 0]), np.asarray(compute(array[0, 0])))


def test_matrix_product():
    x, y = xp.asarray(FLOATS), xp.asarray(FLOATS.T.copy())
    same(x @ y, FLOATS @ FLOATS.T)
    same(x @ FLOATS.T, FLOATS @ FLOATS.T)
    same(FLOATS @ y, FLOATS @ FLOATS.T)
    same(x[0, :] @ y[:, 0], np.asarray(FLOATS[0] @ FLOATS[0]))
    square = xp.asarray(FLOATS @ FLOATS.T)
    square @= xp.eye(2)
    same(square, FLOATS @ FLOATS.T)


class Level(enum.IntEnum):
    TWO = 2


def test_numbers_of_an_enum_are_numbers():
    x = xp.asarray([1, 2], dtype=xp.int8)
    same(x + Level.TWO, np.asarray([3, 4], np.int8))
    same(Level.TWO * x, np.asarray([2, 4], np.int8))


@pytest.mark.parametrize("other", ["a", None, object, {}, {1, 2}])
def test_what_is_no_operand_is_left_to_python(other):
    x = xp.ones(2)
    for compute in (operator.add, operator.lt, operator.iadd):
        with pytest.raises(TypeError):
            compute(x, other)
    with pytest.raises(TypeError):
        other + x
    assert (x == other) is False
    assert (x != other) is True


class Reflects:
    def __radd__(self, other):
        return "theirs"


def test_the_other_operand_gets_its_turn():
    assert xp.ones(2) + Reflects() == "theirs"


@pytest.mark.parametrize("other", [np.asarray([None, None]), np.asarray(["a", "b"]), np.ones(2, ">f8")])
def test_arrays_that_are_no_numbers_are_refused(other):
    with pytest.raises(DTypeError, match="cannot be the dtype of memory"):
        xp.ones(2) + other
    with pytest.raises(DTypeError, match="cannot be the dtype of memory"):
        xp.add(xp.ones(2), other)
