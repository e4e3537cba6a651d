"""Reading and writing by index: integers, slices, lists, arrays and masks, as NumPy's, on both devices."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from accel import xp
from accel.errors import BoundsError

from ..tables import rows

VALUES = np.arange(60.0).reshape(3, 4, 5)
MASK = VALUES % 3 == 0
KEYS = {
    "integer": 1,
    "negative": -1,
    "integers": (1, -2, 3),
    "slice": slice(None, 1),
    "steps": (slice(None), slice(None, None, -1), slice(None, None, 2)),
    "ellipsis": ...,
    "ellipsis and integer": (..., 0),
    "none": None,
    "none in the middle": (0, None, slice(1, 3)),
    "new axis": (slice(None), None),
    "empty slice": slice(2, 2),
    "empty tuple": (),
    "mask": MASK,
    "mask of the first axes": MASK[:, :, 0],
    "mask of one axis": (slice(None), np.array([True, False, True, False])),
    "array of integers": np.asarray([1, 0, 1]),
    "arrays of integers": (np.asarray([0, 1]), np.asarray([2, 0]), np.asarray([3, -1])),
    "array and slice": (slice(None), np.asarray([2, 0])),
    "array of no axes": (np.asarray(1), slice(1, 2)),
    "matrix of integers": np.asarray([[0, 1], [1, 0]]),
    "grid": np.ix_([0, 2], [1, 3], [0, 4]),
    "integer of NumPy": np.int64(1),
    "list": [0, 2],
    "nested lists": [[0, 1], [2, 2]],
    "list of truths": [True, False, True],
    "list of negatives": [-1, 0],
    "list after a slice": (slice(None), [1, 3]),
    "list after an ellipsis": (..., [0, 4]),
    "two lists": ([0, 2], [1, 3]),
    "lists around a slice": ([0, 2], slice(1, 3), [0, 4]),
    "new axis and list": (None, [1, 2], ..., None),
    "empty list": [],
    "integer and list": (1, [0, 3]),
}


def ours(key, device):
    """Return a key with the arrays of `accel.xp` where NumPy's are."""
    if isinstance(key, tuple):
        return tuple(ours(part, device) for part in key)
    return xp.asarray(key, device=device) if isinstance(key, np.ndarray) else key


@rows("name", KEYS)
def test_reading(name, device):
    for key in (KEYS[name], ours(KEYS[name], device)):
        result = xp.asarray(VALUES, device=device)[key]
        assert (type(result), result.device) == (xp.Array, device)
        assert result.shape == VALUES[KEYS[name]].shape
        np.testing.assert_array_equal(result.to_device("cpu"), VALUES[KEYS[name]])


@rows("name", KEYS)
def test_writing(name, device):
    key = KEYS[name]
    values = [-1, -1.5, np.float32(7), np.asarray(-2.0), -VALUES[key]]
    for value in values:
        x, expected = xp.asarray(VALUES, device=device, copy=True), VALUES.copy()
        x[ours(key, device)] = ours(value, device)
        expected[key] = value
        np.testing.assert_array_equal(x.to_device("cpu"), expected)
    x = xp.asarray(VALUES, device="cpu", copy=True)
    x[key] = values[-1]
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("key", [slice(1, 2), ..., None, (slice(None), 0), (slice(None, None, -1),)])
def test_basic_indexing_gives_views(key):
    x = xp.asarray(VALUES, copy=True)
    x[key][...] = 100.0
    expected = VALUES.copy()
    expected[key][...] = 100.0
    np.testing.assert_array_equal(np.asarray(x), expected)


def test_an_element_is_a_copy():
    x = xp.asarray([1.0, 2.0])
    x[0], x[1] = x[1], x[0]
    np.testing.assert_array_equal(np.asarray(x), [2.0, 1.0])


def test_bounds_of_slices_may_be_arrays():
    x = xp.arange(10)
    assert [int(each) for each in x[xp.asarray(2) : xp.asarray(8) : xp.asarray(3)]] == [2, 5]


def test_iterating():
    x = xp.asarray(VALUES)
    assert len(x) == 3
    for row, expected in zip(x, VALUES, strict=True):
        np.testing.assert_array_equal(np.asarray(row), expected)
    with pytest.raises(TypeError):
        iter(xp.asarray(1.0))
    with pytest.raises(TypeError):
        len(xp.asarray(1.0))


def test_a_list_may_hold_arrays_of_no_axes(device):
    x, first = xp.arange(5, device=device), xp.asarray(3, device=device)
    assert x[[first, first]].tolist() == [3, 3]


def test_views_and_copies_are_those_of_numpy(device):
    x = xp.asarray(VALUES, device=device, copy=True)
    x[[0, 1]][...] = -1.0
    assert not xp.any(x < 0)
    x[None, 0][...] = -1.0
    assert x.tolist()[0] == [[-1.0] * 5] * 4


@pytest.mark.parametrize(
    "key",
    [
        3,
        -4,
        (0, 0, 0, 0),
        "a",
        1.0,
        (..., ...),
        np.ones(4, bool),
        np.asarray([0, 3]),
        np.ones(3),
        [3],
        [[0], [-4]],
        ([0, 1, 2], [0, 1]),
        [True, False],
        [0.5],
        ["a"],
    ],
    ids=str,
)
def test_bad_indices_name_the_shape(key, device):
    x = xp.asarray(VALUES, device=device, copy=True)
    with pytest.raises(BoundsError, match=r"the array's shape is \(3, 4, 5\)"):
        x[ours(key, device)]
    with pytest.raises(BoundsError, match=r"the array's shape is \(3, 4, 5\)"):
        x[ours(key, device)] = 1.0
    assert x.tolist() == VALUES.tolist()


@pytest.mark.parametrize("values", [[1, 2], (3, 4), range(2), [[5], [6]], [[7, 8], [9.5, 10]], [True, False]], ids=str)
def test_sequences_of_numbers_are_values(values, device):
    x, expected = xp.zeros((2, 2), device=device), np.zeros((2, 2))
    x[...] = values
    expected[...] = values
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


@pytest.mark.parametrize(
    ("dtype", "value"), [("float64", 3), ("complex64", 1.5), ("int8", True), ("float32", np.float64(3))]
)
def test_values_of_a_lower_kind_are_taken(dtype, value):
    x = xp.zeros(2, dtype=dtype)
    x[0] = value
    assert x[0] == value


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
        selected = xp.asarray(mask, device=device)
        np.testing.assert_array_equal(x[selected].to_device("cpu"), expected[mask])
        x[selected] = 0.5
        expected[mask] = 0.5
        np.testing.assert_array_equal(x.to_device("cpu"), expected)


STEPS = st.sampled_from([1, 1, 2, 3, -1, -2])
SLICES = st.builds(slice, st.none() | st.integers(0, 12), st.none() | st.integers(0, 12), STEPS) | st.just(slice(None))
PARTS = st.tuples(SLICES | st.integers(0, 5), SLICES | st.integers(0, 5))


@given(
    target=SLICES.map(lambda part: (0, part)) | PARTS,
    source=SLICES.map(lambda part: (0, part)) | PARTS,
    turn=st.sampled_from([lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::-1]]),
    narrow=st.booleans(),
)
def test_values_that_overlap_their_target_are_read_before_they_are_written(target, source, turn, narrow):
    """NumPy 2.4 reads some after it wrote them, where both have one axis and other steps."""
    for device in ("cpu", "sim"):
        x = xp.reshape(xp.arange(72, dtype="int64", device=device), (6, 12))
        values = turn(x.view("int32")[:, :12] if narrow else x)[source]
        expected = np.arange(72).reshape(6, 12)
        try:
            expected[target] = values.to_device("cpu").to_numpy().copy()
        except ValueError:  # the shapes differ
            continue
        x[target] = values
        assert x.tolist() == expected.tolist()
