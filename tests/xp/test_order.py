"""``order=`` of functions that create arrays or give them another shape, and ``ndmin=``: those of NumPy."""

import itertools

import numpy as np
import pytest

from accel import xp


@pytest.mark.parametrize("name", ["empty", "zeros", "ones", "full"])
def test_new_arrays_have_the_order_of_numpy(name, device):
    value = (7,) if name == "full" else ()
    for shape, order in itertools.product([(), 3, (2, 3), [2, 3, 4], (2, 0)], ["C", "F", None]):
        ours = getattr(xp, name)(shape, *value, dtype="float32", order=order, device=device)
        theirs = getattr(np, name)(shape, *value, dtype="float32", order=order)
        assert (ours.shape, ours.dtype, ours.device) == (theirs.shape, theirs.dtype, device)
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous
        if name != "empty":
            np.testing.assert_array_equal(ours.to_device("cpu"), theirs)
    assert getattr(xp, name)((2, 3), *value, "int8", "F", device=device).strides == (1, 2)
    with pytest.raises(ValueError, match="order='K' is no order of new elements; write 'C' or 'F'"):
        getattr(xp, name)((2, 3), *value, order="K", device=device)


def test_elements_are_placed_in_the_order_of_numpy(device):
    values = np.arange(12).reshape(3, 4)
    for view, order, shape in itertools.product(
        [lambda x: x, lambda x: x.T], ["C", "F", "A"], [12, (2, 6), (2, -1, 3)]
    ):
        x = view(xp.asarray(values, device=device))
        expected = np.reshape(view(values), shape, order=order)
        for found in (xp.reshape(x, shape, order), np.reshape(x, shape, order=order)):
            assert found.device is device
            np.testing.assert_array_equal(found.to_device("cpu"), expected)
    with pytest.raises(ValueError, match="order='Z' is no order of elements; write one of 'C', 'F', 'A'"):
        xp.reshape(x, 12, order="Z")


def test_ndmin_adds_axes_as_in_numpy(device):
    for values, ndmin in itertools.product([3, [1, 2], [[1], [2]]], range(4)):
        ours, theirs = xp.array(values, ndmin=ndmin, device=device), np.array(values, ndmin=ndmin)
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(ours.to_device("cpu"), theirs)
