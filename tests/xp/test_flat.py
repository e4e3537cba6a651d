"""``x.flat``: the elements in C order, as NumPy has them."""

import copy

import numpy as np
import pytest

from accel import xp
from accel.errors import BoundsError, ReadOnlyError

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
