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


@pytest.mark.parametrize("function", [xp.asarray, xp.array])
def test_conversions_have_the_order_of_numpy(function, device):
    values = np.arange(6.0).reshape(2, 3)
    for view, order in itertools.product([values, values.T], [None, "C", "F", "A", "K"]):
        x = xp.asarray(view, device=device)
        for source in (x, view.tolist()):
            result = function(source, order=order, device=device)
            expected = np.array(view if source is x else source, order=order)
            np.testing.assert_array_equal(result.to_device("cpu"), expected)
            if device.type == "cpu" or order in ("C", "F"):  # a copy to a device is in C order
                assert result.flags.f_contiguous == expected.flags.f_contiguous
    x = xp.asarray(values, device=device)
    assert xp.asarray(x, order="C") is x
    with pytest.raises(ValueError, match="get order='F' only by a copy; write copy=None"):
        xp.asarray(x, order="F", copy=False)
    with pytest.raises(ValueError, match=r"order='B' is no order of elements; write one of \('C', 'F', 'A', 'K'\)"):
        function(x, order="B")


def test_matrices_with_ones_on_a_diagonal_have_an_order(device):
    x = xp.eye(2, M=3, k=1, order="F", device=device)
    assert (x.flags.f_contiguous, x.device) == (True, device)
    np.testing.assert_array_equal(x.to_device("cpu"), np.eye(2, M=3, k=1))


@pytest.mark.parametrize(
    "create",
    [
        lambda **options: xp.zeros((2, 3), order="F", **options),
        lambda **options: xp.ones(2, **options),
        lambda **options: xp.empty((2, 3), **options),
        lambda **options: xp.full(3, 2.5, **options),
        lambda **options: xp.arange(start=1, stop=4, **options),
        lambda **options: xp.eye(3, **options),
        lambda **options: xp.identity(3, **options),
        lambda **options: xp.tri(3, **options),
        lambda **options: xp.asarray([1, 2], **options),
        lambda **options: xp.array([1, 2], **options),
    ],
)
def test_like_is_a_device(create, sim):
    x = xp.ones(2, device=sim)
    assert create(like=x).device is sim
    assert create(like=x, device="cpu").device.type == "cpu"
    assert create(like=None).device.type == "cpu"
    assert create(like=x).shape == create().shape
    with pytest.raises(TypeError, match=r"like= is an array of accel\.xp, .*; found ndarray: write device='cpu'"):
        create(like=np.ones(2))
