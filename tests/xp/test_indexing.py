"""Reading and writing by index."""

import numpy as np
import pytest

from accel import xp
from accel.errors import BoundsError, DTypeError, ReadOnlyError

ARRAY = np.arange(24.0).reshape(2, 3, 4)
MASK = ARRAY % 3 == 0
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
    "empty slice": slice(2, 2),
    "empty tuple": (),
    "mask": MASK,
    "mask of the first axes": MASK[:, :, 0],
    "array of integers": np.asarray([1, 0, 1]),
    "arrays of integers": (np.asarray([0, 1]), np.asarray([2, 0]), np.asarray([3, -1])),
    "array and slice": (slice(None), np.asarray([2, 0])),
    "array of no axes": (np.asarray(1), slice(1, 2)),
    "matrix of integers": np.asarray([[0, 1], [1, 0]]),
}
SCALARS = {"integers"}


def ours(key):
    """Return a key with the arrays of `accel.xp` where NumPy's are."""
    if isinstance(key, tuple):
        return tuple(map(ours, key))
    return xp.asarray(key) if isinstance(key, np.ndarray) else key


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("spelling", [ours, lambda key: key], ids=["our arrays", "NumPy's"])
def test_reading(key, spelling):
    result = xp.asarray(ARRAY)[spelling(key)]
    assert type(result) is xp.Array
    assert result.shape == ARRAY[key].shape
    np.testing.assert_array_equal(np.asarray(result), ARRAY[key])


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_writing(key):
    for value in (-1, -1.5, np.float32(7), xp.asarray(-2.0), -ARRAY[key], xp.asarray(-ARRAY[key])):
        x, expected = xp.asarray(ARRAY, copy=True), ARRAY.copy()
        x[ours(key)] = value
        expected[key] = np.asarray(value)
        np.testing.assert_array_equal(np.asarray(x), expected)


@pytest.mark.parametrize("key", [slice(1, 2), ..., None, (slice(None), 0), (slice(None, None, -1),)])
def test_basic_indexing_gives_views(key):
    x = xp.asarray(ARRAY, copy=True)
    x[key][...] = 100.0
    expected = ARRAY.copy()
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
    x = xp.asarray(ARRAY)
    assert len(x) == 2
    for row, expected in zip(x, ARRAY, strict=True):
        np.testing.assert_array_equal(np.asarray(row), expected)
    with pytest.raises(TypeError):
        iter(xp.asarray(1.0))
    with pytest.raises(TypeError):
        len(xp.asarray(1.0))


@pytest.mark.parametrize(
    "key", [2, -3, (0, 0, 0, 0), "a", 1.0, np.ones(3, bool), np.asarray([0, 2]), np.ones(3), (..., ...)], ids=str
)
def test_bad_indices_name_the_shape(key):
    x = xp.asarray(ARRAY, copy=True)
    with pytest.raises(BoundsError, match=r"the array's shape is \(2, 3, 4\)"):
        x[ours(key)]
    with pytest.raises(BoundsError, match=r"the array's shape is \(2, 3, 4\)"):
        x[ours(key)] = 1
    np.testing.assert_array_equal(np.asarray(x), ARRAY)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("values", [[1, 2], (3, 4), range(2), [[5], [6]], [True, False]], ids=str)
def test_sequences_of_numbers_are_values(device, values):
    x, expected = xp.zeros((2, 2), device=device), np.zeros((2, 2))
    x[...] = values
    expected[...] = values
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)


@pytest.mark.parametrize("value", [None, "a", {1, 2}, object], ids=str)
def test_what_is_no_value_is_refused(value):
    x = xp.zeros(2)
    with pytest.raises(TypeError, match=r"write xp\.asarray\(values\)"):
        x[...] = value


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("int64", 1.5),
        ("int64", xp.ones(2)),
        ("float64", 1j),
        ("bool", 2),
        ("uint8", np.float32(1)),
        ("float32", np.ones(2) * 1j),
    ],
    ids=str,
)
def test_values_that_no_element_can_hold_are_refused(dtype, value):
    x = xp.zeros(2, dtype=dtype)
    with pytest.raises(DTypeError, match=f"values do not fit an array of {dtype}; convert"):
        x[...] = value
    np.testing.assert_array_equal(np.asarray(x), np.zeros(2))


@pytest.mark.parametrize(
    ("dtype", "value"), [("float64", 3), ("complex64", 1.5), ("int8", True), ("float32", np.float64(3))]
)
def test_values_of_a_lower_kind_are_taken(dtype, value):
    x = xp.zeros(2, dtype=dtype)
    x[0] = value
    assert x[0] == value


def test_numbers_out_of_range_are_refused():
    x = xp.zeros(2, dtype=xp.int8)
    with pytest.raises(OverflowError, match="300"):
        x[0] = 300


def test_shapes_must_fit():
    with pytest.raises(ValueError, match="shape"):
        xp.zeros(3)[...] = xp.ones(2)


@pytest.mark.parametrize("make", [lambda x: xp.broadcast_to(x, (3,)), lambda x: xp.asarray(frozen(x))])
def test_read_only_arrays_are_not_written(make):
    x = xp.ones(3)
    with pytest.raises(ReadOnlyError, match=r"write to a copy of it: xp\.asarray\(x, copy=True\)"):
        make(x)[..., 0] = 5.0
    assert xp.all(x == 1.0)


def frozen(x):
    array = np.asarray(x).view()
    array.flags.writeable = False
    return array
