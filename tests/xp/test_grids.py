"""`mgrid`, `ogrid` and `ndarray`: NumPy's results, on the default device."""

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import accel
from accel import xp
from accel.errors import CapabilityError

ENDS = st.integers(-5, 5) | st.floats(-5, 5).map(lambda x: round(x, 2))
STEPS = st.none() | st.integers(1, 3) | st.sampled_from([0.5, 1.5, 2j, 5j])
SLICES = st.builds(slice, st.none() | ENDS, ENDS, STEPS)


@given(key=SLICES | st.lists(SLICES, min_size=1, max_size=3).map(tuple))
@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
@pytest.mark.parametrize("place", ["cpu", "sim"])
def test_coordinates_are_those_of_numpy(name, key, place):
    device = accel.Device(place)
    try:
        expected = getattr(np, name)[key]
    except ValueError:  # NumPy takes the extent for negative where a grid has no elements
        reject()
    with accel.using(device=place):
        result = getattr(xp, name)[key]
    assert type(result) is (tuple if isinstance(expected, tuple) else xp.Array)
    ours, theirs = (each if isinstance(each, tuple) else (each,) for each in (result, expected))
    for one, other in zip(ours, theirs, strict=True):
        assert (one.device, one.dtype, one.shape) == (device, other.dtype, other.shape)
        np.testing.assert_array_equal(one.to_device("cpu"), other)


def test_arrays_of_no_axes_end_a_grid(device):
    with accel.using(device=str(device)):
        n = xp.sum(xp.ones(3, dtype="int64"))
        assert xp.mgrid[0:n, : n - 1].shape == (2, 3, 2)


@pytest.mark.parametrize("arguments", [(3,), ((2, 3), "float32"), ([2], np.int8)])
def test_the_class_by_the_name_of_numpy_makes_arrays(arguments, device):
    with accel.using(device=str(device)):
        x, expected = xp.ndarray(*arguments), np.ndarray(*arguments)
    assert (type(x), x.shape, x.dtype, x.device) == (xp.Array, expected.shape, expected.dtype, device)
    assert isinstance(x, xp.ndarray)
    assert issubclass(xp.Array, xp.ndarray)
    assert not isinstance(expected, xp.ndarray)


def test_it_makes_no_views():
    with pytest.raises(CapabilityError, match=r"write xp\.asarray\(buffer\)"):
        xp.ndarray(2, buffer=b"0" * 16)
