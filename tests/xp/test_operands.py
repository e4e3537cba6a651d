"""Operands that are no arrays of ours, or are numbers of the host: numbers alone, sequences, arrays without axes."""

import math
import operator

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, DTypeError

from ..tables import rows

NUMBERS = {
    "sqrt(2.0)": 2.0,
    "sqrt(n)": np.float64(2),
    "exp(-n)": np.float32(0.5),
    "sin(n)": math.pi / 3,
    "sum(n)": 3,
    "add(n, 2)": np.int8(3),
    "maximum(2, n)": np.float64(1.5),
    "power(2, n)": 3,
    "median(n)": np.float64(4),
    "where(n, n, 0)": True,
    "clip(n, 0, 1)": 2.5,
    "isclose(n, n)": np.float32(1),
}
SEQUENCES = {
    "sum(v)": [1, 2, 3],
    "sqrt(v)": np.arange(3.0),
    "mean(v, 0)": ((1, 2), (3, 4)),
    "concat([v, v])": [1.5],
    "median(v)": [3, 1, 2],
    "hstack((v, [1, 2]))": (1, 2),
    "where(v, v, 0)": [True, False],
    "add(v, v)": [1, 2],
    "take(v, [0, 1])": [5, 6],
}


def evaluated(text, namespace, **names):
    return eval(text, {name: getattr(namespace, name, None) for name in dir(namespace)}, names)


def same(result, expected, device):
    assert (type(result), result.device, result.dtype) == (xp.Array, device, expected.dtype)
    np.testing.assert_array_equal(result.to_device("cpu"), expected)


@rows("text", NUMBERS)
def test_numbers_alone_are_computed_on_the_default_device(text, device):
    with accel.using(device=str(device)):
        result = evaluated(text, xp, n=NUMBERS[text])
    same(result, np.asarray(evaluated(text, np, n=NUMBERS[text])), device)


@rows("text", SEQUENCES)
def test_sequences_and_arrays_of_numpy_alone_are_computed_on_the_host(text, sim):
    same(evaluated(text, xp, v=SEQUENCES[text]), np.asarray(evaluated(text, np, v=SEQUENCES[text])), accel.Device.CPU)
    with accel.using(device=str(sim)), pytest.raises(TypeError, match=r"write xp\.asarray\(values"):
        evaluated(text, xp, v=SEQUENCES[text])


@pytest.mark.parametrize("function", [operator.add, operator.mul, operator.eq, operator.lt, operator.pow])
@pytest.mark.parametrize("values", [[1, 2, 3], (0.5, 2.0, 1.0), [True, False, True], np.arange(3)])
def test_sequences_are_operands_on_the_host_only(function, values, sim):
    x, theirs = xp.arange(3.0), np.arange(3.0)
    same(function(x, values), function(theirs, values), accel.Device.CPU)
    same(function(values, x), function(values, theirs), accel.Device.CPU)
    there = xp.arange(3.0, device=sim)
    for refused in (lambda: xp.add(there, values), lambda: there + values, lambda: xp.take(there, values)):
        with pytest.raises((TypeError, DeviceMismatchError), match=r"write x|unsupported operand"):
            refused()


def test_functions_that_create_arrays_take_sequences_and_numbers():
    same(xp.reshape([1, 2, 3, 4], (2, 2)), np.reshape([1, 2, 3, 4], (2, 2)), accel.Device.CPU)
    same(xp.zeros_like([1.5, 2.0]), np.zeros_like([1.5, 2.0]), accel.Device.CPU)
    same(xp.astype(np.float64(2.5), "int64"), np.asarray(2), accel.Device.CPU)


def test_sequences_of_what_is_no_number_are_refused():
    with pytest.raises(DTypeError):
        xp.add(xp.ones(2), ["a", "b"])
    with pytest.raises(ValueError, match="inhomogeneous"):
        xp.add(xp.ones(2), [[1], [1, 2]])


PAIRS = [
    "x + h",
    "h + x",
    "x * h - h",
    "h ** x",
    "h < x",
    "h == x",
    "xp.add(h, x)",
    "xp.atan2(x, h)",
    "xp.where(x > h, x, h)",
    "xp.where(h > 0, h, x)",
    "xp.clip(xp.astype(x, h.dtype), h, xp.astype(h + 1, h.dtype))",
    "xp.power(h, x)",
    "xp.isclose(h, x)",
    "np.add(h, x)",
    "np.maximum(x, h)",
    "np.where(x > h, h, x)",
    "np.isclose(x, h)",
    "xp.full_like(xp.astype(x, h.dtype), h)",
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
@rows("text", PAIRS)
def test_arrays_of_no_axes_on_the_host_are_passed_by_value_with_their_dtype(text, dtype, sim):
    values, number = np.asarray([1, 2, 3], "float32"), np.asarray(2, dtype)
    names = {"x": xp.asarray(values, device=sim), "h": xp.asarray(number), "np": np, "xp": xp}
    try:
        expected = eval(text, {"x": values, "h": number, "np": np, "xp": np})
    except TypeError:  # complex numbers have no order
        with pytest.raises(TypeError):
            eval(text, names)
        return
    with accel.using(host_copies="never"):
        same(eval(text, names), expected, sim)


def test_they_are_assigned_too_and_nothing_else_crosses(sim):
    x, h = xp.zeros(3, device=sim), xp.asarray(2.0)
    x[0], x[1:] = h, h + 1
    x += h
    assert x.tolist() == [4.0, 5.0, 5.0]
    one = xp.ones(1)
    for refused in (lambda: h.__iadd__(x), lambda: x + one, lambda: xp.add(x, one), lambda: xp.where(h > 0, x, one)):
        with pytest.raises(DeviceMismatchError, match="move one"):
            refused()
    assert float(h) == 2.0


def test_pending_work_and_released_memory_are_seen(sim):
    h = xp.ones(())
    h.storage.release()
    with pytest.raises(accel.errors.ReleasedError):
        xp.ones(3, device=sim) + h
