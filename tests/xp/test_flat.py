"""``x.flat``: the elements in C order, as NumPy has them."""

import copy

import numpy as np
import pytest

from accel import xp
from accel.errors import BoundsError, DTypeError, OverlapError, ReadOnlyError

LAYOUTS = {
    "C": lambda x: x,
    "transposed": lambda x: x.T,
    "steps": lambda x: x[:, ::2],
    "reversed": lambda x: x[::-1],
    "one axis": lambda x: x[0],
    "one axis, steps": lambda x: x[:, 1],
    "no axes": lambda x: x[1, 2, ...],
    "no elements": lambda x: x[:0],
}


@pytest.fixture(params=LAYOUTS)
def pair(request, device):
    """An array and NumPy's, with the whole arrays of which they are views."""
    theirs = np.arange(12.0).reshape(3, 4)
    ours = xp.asarray(theirs.copy(), device=device)
    view = LAYOUTS[request.param]
    return view(ours), view(theirs), ours, theirs


def same(ours, theirs):
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_array_equal(ours.to_device("cpu"), theirs)


def outcome(function):
    """Return a result, or the kind of the error."""
    try:
        return function()
    except (IndexError, ValueError) as error:
        return IndexError if isinstance(error, IndexError) else ValueError


KEYS = [0, -1, 5, slice(1, None, 2), slice(None, None, -1), ..., (), (2,), [0, 0, -1], np.array([[1, 0]]), (1, 2), None]


def test_elements_are_those_of_numpy(pair):
    ours, theirs, *_ = pair
    for key in KEYS:
        found, expected = outcome(lambda key=key: ours.flat[key]), outcome(lambda key=key: theirs.flat[key])
        if isinstance(expected, type):
            assert found is expected, key
        else:
            same(found, expected)
    mask = theirs.reshape(-1) > 2
    same(ours.flat[xp.asarray(mask, device=ours.device)], theirs.flat[mask])


@pytest.mark.parametrize("values", [7, [1.5], [1, 2], [[1], [2], [3]], range(20)], ids=str)
def test_values_are_written_and_repeated_as_by_numpy(pair, values):
    ours, theirs, all_ours, all_theirs = pair
    for key in KEYS:
        assert outcome(lambda key=key: ours.flat.__setitem__(key, values)) is outcome(
            lambda key=key: theirs.flat.__setitem__(key, values)
        ), key
        same(all_ours, all_theirs)
    ours.flat = values
    theirs.flat = values
    same(all_ours, all_theirs)


def test_arrays_and_other_flat_elements_are_values(pair):
    ours, theirs, all_ours, all_theirs = pair
    values = np.array([3.0, 1.0, 2.0])
    mask = theirs.reshape(-1) > 4
    ours.flat[xp.asarray(mask, device=ours.device)] = xp.asarray(values, device=ours.device)
    theirs.flat[mask] = values
    same(all_ours, all_theirs)
    ours.flat = all_ours.T.flat
    theirs.flat = all_theirs.copy().T.flat  # NumPy reads what it wrote
    same(all_ours, all_theirs)


def test_it_is_an_iterator_as_in_numpy(pair):
    ours, theirs, *_ = pair
    one, other = ours.flat, theirs.flat
    assert len(one) == len(other)
    assert one.base is ours
    if len(one):
        next(one), next(other)
        assert (one.index, one.coords) == (other.index, other.coords)
    assert [float(each) for each in one] == list(other)
    same(ours.flat.copy(), theirs.flat.copy())
    same(ours.flat == 5, theirs.flat == 5)
    same(ours.flat < ours.flat, theirs.flat < theirs.flat)


def test_selected_elements_are_a_copy_and_the_array_is_written(device):
    x = xp.zeros((2, 2), device=device)
    selected = x.flat[:2]
    x.flat[0] = 1
    assert selected.tolist() == [0, 0]
    assert copy.copy(x).flat[0] == 1
    assert (np.asarray(x.flat) == [1, 0, 0, 0]).all() if device.type == "cpu" else True


def test_what_is_refused(device):
    x = xp.zeros((2, 3), dtype="int32", device=device)
    with pytest.raises(BoundsError, match=r"x\.flat, which has 6 elements"):
        x.flat[6]
    with pytest.raises(TypeError):
        x.flat = 1.5
    with pytest.raises(TypeError):
        x.flat[[0, 1]] = [1.5, 2.5]
    assert (x == 0).all()


def test_read_only_arrays_are_not_written():
    values = np.zeros((2, 3))
    values.flags.writeable = False
    x = xp.asarray(values)
    for each in (x, x.T):
        with pytest.raises(ReadOnlyError):
            each.flat[1:3] = 2


PUT = [
    ([1, -1], 9.0, "raise"),
    ([[0, 3], [2, 0]], [1.0, 2.0, 3.0], "raise"),
    ([5, 0], [[7.0], [8.0]], "raise"),
    (2, [4.0, 5.0], "raise"),
    ([True, False], 5.0, "raise"),
    ([], 1.0, "raise"),
    ([0, 1], [], "raise"),
    ([4, 100, -100], [1.0, 2.0], "wrap"),
    ([4, 100, -100], [1.0, 2.0, 3.0, 4.0], "clip"),
]
"""Arguments of `put`."""


class TestPut:
    @pytest.mark.parametrize("layout", sorted(LAYOUTS.keys() - {"no axes", "no elements"}))
    @pytest.mark.parametrize("put", [np.put, xp.Array.put])
    def test_elements_are_those_of_numpy(self, layout, put, device):
        for indices, values, mode in PUT:
            expected = np.arange(200.0).reshape(10, 20)
            x = xp.asarray(expected, device=device, copy=True)
            LAYOUTS[layout](expected).put(indices, values, mode)
            assert put(LAYOUTS[layout](x), indices, values, mode) is None
            np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), expected)

    def test_indices_and_values_are_arrays(self, device):
        x = xp.zeros((2, 3), device=device)
        x.put(xp.asarray([5, 0, 300], dtype="uint16", device=device), xp.asarray([1, 2], device=device), "wrap")
        assert x.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
        np.put(x, ind=[1], v=[4.0])
        x.sum().put(0, 3.0)
        assert x.tolist() == [[1.0, 4.0, 0.0], [0.0, 0.0, 1.0]]

    def test_values_that_overlap_the_array_are_read_first(self, device):
        x = xp.arange(4.0, device=device)
        x.put([0, 1, 2, 3], x[::-1])
        assert x.tolist() == [3.0, 2.0, 1.0, 0.0]

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            (([0, 4], 1.0), BoundsError, "index 4 is out of bounds"),
            (([0.0], 1.0), TypeError, r"indices are integers; found float64: write xp\.astype\(indices, 'int64'\)"),
            (([0], 1.0, "other"), ValueError, "mode='other' is not known; write mode='raise'"),
            (([0, 1], 1j), DTypeError, "complex128 values do not fit an array of float64"),
        ],
    )
    def test_what_is_refused_changes_nothing(self, arguments, error, words, device):
        x = xp.zeros(4, device=device)
        with pytest.raises(error, match=words):
            x.put(*arguments)
        assert not x.any()

    def test_arrays_without_elements_take_no_index(self, device):
        for mode in ("raise", "wrap", "clip"):
            with pytest.raises(BoundsError, match="out of bounds"):
                xp.zeros(0, device=device).put([0], 1.0, mode)

    def test_read_only_arrays_are_not_written(self, device):
        with pytest.raises(OverlapError, match="write to a copy"):
            xp.broadcast_to(xp.ones(1, device=device), (3,)).put([0], 1.0)
