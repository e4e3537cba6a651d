"""Indices of lists, arrays and masks, alone and together with slices: as NumPy's, on both devices."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from accel import xp
from accel.errors import BoundsError

VALUES = np.arange(60.0).reshape(3, 4, 5)
KEYS = {
    "list": [0, 2],
    "nested lists": [[0, 1], [2, 2]],
    "list of truths": [True, False, True],
    "negative": [-1, 0],
    "array of NumPy": np.array([0, 1]),
    "mask of NumPy": VALUES > 30,
    "list after a slice": (slice(None), [1, 3]),
    "list after an ellipsis": (..., [0, 4]),
    "two lists": ([0, 2], [1, 3]),
    "lists around a slice": ([0, 2], slice(1, 3), [0, 4]),
    "new axis": (slice(None), None),
    "new axis and list": (None, [1, 2], ..., None),
    "empty list": [],
    "integer and list": (1, [0, 3]),
    "integer of NumPy": np.int64(1),
    "grid": np.ix_([0, 2], [1, 3], [0, 4]),
    "mask of one axis": (slice(None), np.array([True, False, True, False])),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_reading(key, device):
    result = xp.asarray(VALUES, device=device)[key]
    assert (type(result), result.device) == (xp.Array, device)
    np.testing.assert_array_equal(result.to_device("cpu"), VALUES[key], strict=True)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_writing(key, device):
    for value in (-1.0, -VALUES[key]):
        x, expected = xp.asarray(VALUES, device=device, copy=True), VALUES.copy()
        x[key] = xp.asarray(value, device=device) if isinstance(value, np.ndarray) else value
        expected[key] = value
        np.testing.assert_array_equal(x.to_device("cpu"), expected)


def test_values_may_be_lists(device):
    x = xp.zeros((2, 3), device=device)
    x[0] = [1, 2, 3]
    x[:, 1:] = [[7, 8], [9.5, 10]]
    assert x.tolist() == [[1, 7, 8], [0, 9.5, 10]]


def test_a_list_may_hold_arrays_of_no_axes(device):
    x, first = xp.arange(5, device=device), xp.asarray(3, device=device)
    assert x[[first, first]].tolist() == [3, 3]


def test_views_and_copies_are_those_of_numpy(device):
    x = xp.asarray(VALUES, device=device, copy=True)
    x[[0, 1]][...] = -1.0
    assert not xp.any(x < 0)
    x[None, 0][...] = -1.0
    assert x.tolist()[0] == [[-1.0] * 5] * 4


@pytest.mark.parametrize("key", [[3], [[0], [-4]], ([0, 1, 2], [0, 1]), [True, False], [0.5], ["a"]], ids=str)
def test_bad_indices_name_the_shape(key, device):
    x = xp.asarray(VALUES, device=device, copy=True)
    with pytest.raises(BoundsError, match=r"the array's shape is \(3, 4, 5\)"):
        x[key]
    with pytest.raises(BoundsError, match=r"the array's shape is \(3, 4, 5\)"):
        x[key] = 1.0
    assert x.tolist() == VALUES.tolist()


def keys():
    """Return tuples of slices, integers and integer arrays that broadcast together, for the axes of `VALUES`."""
    shapes = hnp.array_shapes(min_dims=0, max_dims=2, max_side=3)

    def of_axis(shape, extent):
        integers = hnp.arrays(np.int64, shape, elements=st.integers(-extent, extent - 1))
        return st.one_of(integers, integers.map(np.ndarray.tolist), st.slices(extent), st.integers(-extent, extent - 1))

    def of_shape(shape):
        axes = st.tuples(*(of_axis(shape, extent) for extent in VALUES.shape))
        return st.tuples(axes, st.integers(0, 3), st.sampled_from([(), (...,), (None,)])).map(
            lambda drawn: (*drawn[0][: drawn[1]], *drawn[2])
        )

    return shapes.flatmap(of_shape)


@given(keys())
def test_any_key_reads_and_writes_what_it_does_in_numpy(key):
    for device in ("cpu", "sim"):
        x, expected = xp.asarray(VALUES, device=device, copy=True), VALUES.copy()
        result = x[key]
        np.testing.assert_array_equal(result.to_device("cpu"), expected[key])
        x[key] = -result
        expected[key] = -expected[key]
        np.testing.assert_array_equal(x.to_device("cpu"), expected)


@given(hnp.arrays(bool, VALUES.shape), st.integers(1, 3))
def test_any_mask_selects_what_it_does_in_numpy(mask, axes):
    mask = mask[(..., *[0] * (3 - axes))]
    for device in ("cpu", "sim"):
        x, expected = xp.asarray(VALUES, device=device, copy=True), VALUES.copy()
        ours = xp.asarray(mask, device=device)
        np.testing.assert_array_equal(x[ours].to_device("cpu"), expected[mask])
        x[ours] = 0.5
        expected[mask] = 0.5
        np.testing.assert_array_equal(x.to_device("cpu"), expected)
