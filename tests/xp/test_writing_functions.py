"""NumPy's functions that write to their first argument: its results on every device; an error writes nothing."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, DTypeError, OverlapError, ReadOnlyError

from ..tables import rows

LAYOUTS = {
    "C": lambda x: x,
    "transposed": lambda x: x.T,
    "steps": lambda x: x[:, ::2],
    "reversed": lambda x: x[::-1],
}
X = np.arange(12).reshape(4, 3)

CALLS = {
    "a number": lambda x: np.copyto(x, 7),
    "a row": lambda x: np.copyto(x, [5] * x.shape[1]),
    "one axis of one element more": lambda x: np.copyto(x[0], [[5] * x.shape[1]]),
    "elements of another dtype": lambda x: np.copyto(x, x > 3),
    "a cast that loses": lambda x: np.copyto(x, x / 3, casting="unsafe"),
    "a number that loses": lambda x: np.copyto(x, 2.5, casting="unsafe"),
    "a scalar of NumPy": lambda x: np.copyto(x, np.uint8(3)),
    "its own elements": lambda x: np.copyto(x[1:], x[:-1]),
    "where": lambda x: np.copyto(x, -x, where=x > 4),
    "where, a number": lambda x: np.copyto(x, 9, where=x % 2 == 0),
    "where, a list": lambda x: np.copyto(x[0, :2], 9, where=[True, False]),
    "where of a row": lambda x: np.copyto(x, 1, where=x[0] > 1),
    "nowhere": lambda x: np.copyto(x, 1, where=False),
    "place": lambda x: np.place(x, x > 4, [1, 2]),
    "place more than there are": lambda x: np.place(x, x > 8, list(range(20))),
    "place one": lambda x: np.place(x, x > 4, 3),
    "place nothing": lambda x: np.place(x, x > 99, []),
    "place by a list": lambda x: np.place(x, (x > 4).tolist(), [7]),
    "place by numbers": lambda x: np.place(x, x % 3, [7, 8]),
    "putmask": lambda x: np.putmask(x, x > 4, [1, 2]),
    "putmask one": lambda x: np.putmask(x, x > 4, 3),
    "putmask of the same size": lambda x: np.putmask(x, x > 4, -x),
    "putmask itself": lambda x: np.putmask(x, x > 2, x[::-1]),
    "putmask nothing": lambda x: np.putmask(x, x > 4, []),
    "diagonal": lambda x: np.fill_diagonal(x, 99),
    "diagonal of several": lambda x: np.fill_diagonal(x, [98, 99]),
    "diagonals": lambda x: np.fill_diagonal(x, 99, wrap=True),
    "diagonal of itself": lambda x: np.fill_diagonal(x, x[:, 0]),
    "diagonal of a cube": lambda x: np.fill_diagonal(x.reshape(-1)[:1].reshape(1, 1, 1), 5),
    "along an axis": lambda x: np.put_along_axis(x, np.argmax(x, axis=1, keepdims=True), -1, axis=1),
    "along the first": lambda x: np.put_along_axis(x, x[:1] * 0 + 1, x[:1] + 50, axis=0),
    "negative indices": lambda x: np.put_along_axis(x, x[:, :1] * 0 - 1, 40, axis=-1),
    "put": lambda x: np.put(x, [0, -1], [8, 9]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@rows("name", CALLS)
def test_elements_are_those_of_numpy(name, layout, device):
    expected, x = X.copy(), xp.asarray(X, device=device, copy=True)
    CALLS[name](LAYOUTS[layout](expected))
    with accel.using(host_copies="never"):
        assert CALLS[name](LAYOUTS[layout](x)) is None
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


def test_all_elements_are_one_axis_for_put_along_axis(device):
    expected, x = X.copy(), xp.asarray(X, device=device, copy=True)
    for each in (expected, x):  # NumPy's raises an error for elements that are not in C order
        np.put_along_axis(each, np.argsort(-each[0]), [7, 8, 9], None)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


def test_values_are_read_before_they_are_written(sim):
    x = xp.asarray(X, device=sim, copy=True)
    np.place(x, x > 2, x)  # NumPy reads what it wrote
    assert x.reshape(-1).tolist() == [0, 1, 2, *range(9)]


def test_floating_point_numbers_are_cast_as_by_numpy(device):
    for dtype, source in (("float32", 1e-9), ("float32", np.float64(1 / 3)), ("complex64", 2.5), ("bool", True)):
        expected, x = np.ones(3, dtype), xp.ones(3, dtype=dtype, device=device)
        np.copyto(expected, source)
        np.copyto(x, source)
        np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


REFUSED = {
    "a fraction": (lambda x: np.copyto(x, 1.5), TypeError),
    "fractions": (lambda x: np.copyto(x, x / 2), TypeError),
    "a rule": (lambda x: np.copyto(x, x > 1, casting="equiv"), TypeError),
    "no rule": (lambda x: np.copyto(x, 1, casting="other"), ValueError),
    "a number too large": (lambda x: np.copyto(x, 1 << 70), OverflowError),
    "a shape": (lambda x: np.copyto(x, [1, 2]), ValueError),
    "a shape and a mask": (lambda x: np.copyto(x, [1, 2], where=x > 1), ValueError),
    "a mask of another shape": (lambda x: np.copyto(x, 1, where=[True, False]), ValueError),
    "a mask of more axes": (lambda x: np.copyto(x[0], 1, where=x > 1), ValueError),
    "a mask of numbers": (lambda x: np.copyto(x, 1, where=x), TypeError),
    "place by too few": (lambda x: np.place(x, [True, False], 1), ValueError),
    "place none": (lambda x: np.place(x, x > 4, []), ValueError),
    "putmask by too few": (lambda x: np.putmask(x, x[0] > 1, 1), ValueError),
    "diagonal of one axis": (lambda x: np.fill_diagonal(x[0], 1), ValueError),
    "diagonal of a box": (lambda x: np.fill_diagonal(x.reshape(2, 2, 3), 1), ValueError),
    "indices of too few axes": (lambda x: np.put_along_axis(x, x[0] * 0, 1, axis=1), ValueError),
    "indices out of bounds": (lambda x: np.put_along_axis(x, x[:, :1] * 0 + 9, 1, axis=1), IndexError),
    "fractions as indices": (lambda x: np.put_along_axis(x, x[:, :1] * 0.5, 1, axis=1), IndexError),
    "an axis": (lambda x: np.put_along_axis(x, x[:, :1] * 0, 1, axis=7), IndexError),
    "several axes for all": (lambda x: np.put_along_axis(x, x[:, :1] * 0, 1, axis=None), ValueError),
}


@rows("name", REFUSED)
def test_what_numpy_refuses_is_refused_and_changes_nothing(name, device):
    call, error = REFUSED[name]
    x = xp.asarray(X, device=device, copy=True)
    for each in (X.copy(), x):
        with pytest.raises(error):
            call(each)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), X)


@rows(
    "write",
    [
        lambda x: np.place(x, x > 4, [1.5]),
        lambda x: np.putmask(x, x > 4, [1.5]),
        lambda x: np.fill_diagonal(x, 1.5),
        lambda x: np.put_along_axis(x, x[:, :1] * 0, 1.5, axis=1),
    ],
)
def test_values_that_would_lose_something_are_refused(write, sim):
    x = xp.asarray(X, device=sim)
    with pytest.raises(DTypeError, match=r"convert them first, with xp\.astype"):
        write(x)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), X)


@rows("name", CALLS.keys() - {"diagonal of a cube"})  # which is a copy
def test_read_only_arrays_are_not_written(name, device):
    one = xp.ones((1, 3), dtype="int64", device=device)
    with pytest.raises((OverlapError, ReadOnlyError)):
        CALLS[name](xp.broadcast_to(one, (4, 3)))
    assert one.tolist() == [[1, 1, 1]]


MASK = X > 4
HOST = {
    "values": lambda x: np.copyto(x, X),
    "where": lambda x: np.copyto(x, 1, where=MASK),
    "place": lambda x: np.place(x, MASK, [1]),
    "putmask": lambda x: np.putmask(x, MASK, [1]),
    "along an axis": lambda x: np.put_along_axis(x, np.argmax(X, axis=1, keepdims=True), 1, axis=1),
    "a sum": lambda x: np.sum(x, where=MASK),
    "a ufunc": lambda x: np.add(x, 1, out=x, where=MASK),
}


@rows("name", HOST)
def test_arrays_of_numpy_are_no_operands_on_devices(name, sim):
    x, expected = xp.asarray(X, device=sim, copy=True), X.copy()
    with pytest.raises(DeviceMismatchError, match=r"write xp\.asarray\(values, device='sim'\) for arrays of NumPy"):
        HOST[name](x)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), X)
    before = xp.host_copies()
    with accel.using(host_copies="allow"):
        HOST[name](x)
    assert (xp.host_copies() - before).copies == 1
    HOST[name](expected)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


@rows("call", [lambda x: xp.sum(x, where=MASK), lambda x: x.sum(where=MASK), lambda x: xp.add(x, 1, where=MASK)])
def test_functions_of_accel_refuse_them_too(call, sim):
    with pytest.raises(TypeError, match=r"write xp\.asarray\(values, device='sim'\)"):
        call(xp.asarray(X, device=sim))


def test_arrays_of_two_devices(sim):
    x, there = xp.asarray(X), xp.asarray(X, device=sim)
    for write in (
        lambda: np.copyto(there, x),
        lambda: np.copyto(x, there),
        lambda: np.place(there, x > 4, [1]),
        lambda: np.putmask(there, there > 4, x),
        lambda: np.put(there, x, 1),
        lambda: np.add.at(there, [0], x),
    ):
        with pytest.raises(DeviceMismatchError, match=r"on (sim and cpu|cpu and sim)") as found:
            write()
        assert "property" not in str(found.value)
    np.testing.assert_array_equal(np.asarray(there.to_device("cpu")), X)
