"""``at``, ``accumulate`` and ``reduceat`` of NumPy's ufuncs: its results on every device, computed there."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import BoundsError, DeviceMismatchError, OverlapError

from ..tables import rows

X = np.array([[3.0, -1.5, 2.0], [np.nan, 5.5, -2.5], [0.25, -0.0, 0.0]])
N = np.array([[4, 0, 2], [4, 1, 7], [3, 3, -1]])

ACCUMULATED = {
    "maximum": lambda x, n: np.maximum.accumulate(x),
    "minimum": lambda x, n: np.minimum.accumulate(x, axis=1),
    "fmax": lambda x, n: np.fmax.accumulate(x, axis=-1),
    "truths": lambda x, n: np.logical_and.accumulate(n, axis=1),
    "bits": lambda x, n: np.bitwise_xor.accumulate(n),
    "differences": lambda x, n: np.subtract.accumulate(n),
    "quotients": lambda x, n: np.true_divide.accumulate(x + 1),
    "sums": lambda x, n: np.add.accumulate(x, axis=1),
    "products": lambda x, n: np.multiply.accumulate(n),
    "of small integers": lambda x, n: np.add.accumulate(n.astype("int8")),
    "in another dtype": lambda x, n: np.add.accumulate(n, dtype="float32"),
    "by position": lambda x, n: np.maximum.accumulate(x, 1),
    "of a view": lambda x, n: np.maximum.accumulate(x.T[::-1]),
    "of no elements": lambda x, n: np.maximum.accumulate(x[:0]),
    "segments": lambda x, n: np.add.reduceat(n, [0, 2]),
    "segments of a place": lambda x, n: np.maximum.reduceat(x, [1, 0, 2], axis=1),
    "segments by an array": lambda x, n: np.multiply.reduceat(x, n[0, 1:]),
    "segments in a dtype": lambda x, n: np.add.reduceat(n, [0, 1], dtype="float32"),
}


@rows("name", ACCUMULATED)
def test_results_are_those_of_numpy(name, device):
    with accel.using(host_copies="never"):
        result = ACCUMULATED[name](xp.asarray(X, device=device), xp.asarray(N, device=device))
    expected = ACCUMULATED[name](X, N)
    assert (result.device, result.dtype, result.shape) == (device, expected.dtype, expected.shape)
    np.testing.assert_array_equal(np.asarray(result.to_device("cpu")), expected)


def called(function, method, x, *others, **keywords):
    """Call a method as NumPy calls ours: NumPy's own call keeps arrays of ours for ever if this raises."""
    if isinstance(x, np.ndarray):
        return getattr(function, method)(x, *others, **keywords)
    return x.__array_ufunc__(function, method, x, *others, **keywords)


def test_out_is_written_and_returned(device):
    x, out = xp.asarray(X, device=device), xp.zeros((3, 3), device=device)
    for call in (np.maximum.accumulate, lambda x, out: np.add.reduceat(x, [0, 1, 2], out=out)):
        expected = np.zeros((3, 3))
        assert call(x, out=out) is out
        call(X, out=expected)
        np.testing.assert_array_equal(np.asarray(out.to_device("cpu")), expected)
    for bad in (xp.broadcast_to(out[0], (3, 3)), out[0]):
        with pytest.raises(ValueError, match=r"."):
            called(np.maximum, "accumulate", x, out=(bad,))


AT = {
    "a number": lambda x, n: np.add.at(n, [0, 0, 1], 2),
    "an index": lambda x, n: np.add.at(n, 1, 2),
    "a slice": lambda x, n: np.subtract.at(n, slice(1, None), 2),
    "several axes": lambda x, n: np.add.at(n, ([0, 0, 1], [2, 2, 0]), [1, 2, 3]),
    "a slice and a list": lambda x, n: np.add.at(n, (slice(None), [0, 0]), 1),
    "an array": lambda x, n: np.add.at(n.reshape(-1), n[0], 1),
    "an array of NumPy": lambda x, n: np.add.at(n, np.array([0, 0]), 1),
    "a mask": lambda x, n: np.add.at(n, n > 3, 10),
    "values for each": lambda x, n: np.add.at(n, [0, 0, 2], n[::-1]),
    "itself": lambda x, n: np.add.at(n, [1, 1, 0], n),
    "the largest": lambda x, n: np.maximum.at(x, [0, 1, 0], x[::-1]),
    "the smallest": lambda x, n: np.minimum.at(x.T, [0, 1, 0], 1.0),
    "products": lambda x, n: np.multiply.at(x, [0, 0], np.float32(0.1)),
    "quotients": lambda x, n: np.divide.at(x, [0, 0], 3),
    "one operand": lambda x, n: np.negative.at(n, [0, 0, 1]),
    "bits": lambda x, n: np.bitwise_or.at(n, [0, 0], 8),
    "a list": lambda x, n: np.add.at(x, [0, 0], [1, 2, 3]),
    "no index": lambda x, n: np.add.at(n, n[0, :0], 1),
    "a view": lambda x, n: np.add.at(n[::2, 1:], [0, 0, 1], 1),
    "another dtype": lambda x, n: np.add.at(n, [0, 0], 1.5),
}


@rows("name", AT)
def test_elements_are_changed_once_for_each_index(name, device):
    expected, ours = (X.copy(), N.copy()), [xp.asarray(each, device=device, copy=True) for each in (X, N)]
    AT[name](*expected)
    with accel.using(host_copies="never"):
        assert AT[name](*ours) is None
    for one, other in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(one.to_device("cpu")), other)


REFUSED = {
    "out of bounds": (lambda x: np.add.at(x, [0, 9], 1), BoundsError),
    "a fraction": (lambda x: np.add.at(x, [0.5], 1), IndexError),
    "a shape": (lambda x: np.add.at(x, [0, 1], [1, 2]), ValueError),
    "an operand too few": (lambda x: np.add.at(x, [0]), ValueError),
    "an operand too many": (lambda x: np.negative.at(x, [0], 1), ValueError),
    "two results": (lambda x: np.divmod.at(x, [0], 1), ValueError),
    "no such function": (lambda x: np.bitwise_or.at(x * 1.0, [0], 1), TypeError),
    "an axis": (lambda x: called(np.maximum, "accumulate", x, axis=7), ValueError),
    "segments out of bounds": (lambda x: called(np.add, "reduceat", x, [0, 9]), IndexError),
    "one operand": (lambda x: called(np.negative, "accumulate", x), ValueError),
}


@rows("name", REFUSED)
def test_what_numpy_refuses_is_refused_and_changes_nothing(name, device):
    call, error = REFUSED[name]
    x = xp.asarray(N, device=device, copy=True)
    with pytest.raises(IndexError if issubclass(error, IndexError) else error):
        call(N.copy())
    with pytest.raises(error):
        call(x)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), N)


def test_read_only_arrays_are_not_changed(device):
    one = xp.ones(1, device=device)
    with pytest.raises(OverlapError, match="write to a copy"):
        np.add.at(xp.broadcast_to(one, (3,)), [0], 1)
    assert one.tolist() == [1.0]


def test_arrays_of_numpy_are_no_operands_on_devices(sim):
    x = xp.asarray(N, device=sim, copy=True)
    with pytest.raises(DeviceMismatchError, match=r"write xp\.asarray\(values, device='sim'\)"):
        np.add.at(x, [0, 0], N[:2])
    before = xp.host_copies()
    with accel.using(host_copies="allow"):
        np.add.at(x, [0, 0], N[:2])
        np.floor_divide.at(x, [2], 2)  # computed by NumPy, as the standard's function differs
    assert (xp.host_copies() - before).copies == 2
    expected = N.copy()
    np.add.at(expected, [0, 0], N[:2])
    np.floor_divide.at(expected, [2], 2)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)
