"""Calls of functions and methods: views share storage, and arrays that are returned are the same objects."""

import numpy as np
import pytest

from accel import xp
from accel.errors import ReleasedError

VIEWS = [
    lambda x: x.T,
    lambda x: x.reshape(-1),
    lambda x: xp.reshape(x, (3, 2)),
    lambda x: x.ravel(),
    lambda x: x[:],
    lambda x: x.swapaxes(0, 1),
    np.transpose,
    lambda x: np.split(x, 2)[0],
    lambda x: xp.swapaxes(x, 0, 1),
]
READS = [
    lambda x: x + x,
    lambda x: x[:],
    lambda x: x.T,
    lambda x: x.sum(),
    lambda x: x.reshape(-1),
    lambda x: xp.add(x, x),
    lambda x: xp.concat([x, x]),
    lambda x: xp.where(x > 0, x, 0),
    np.sin,
    lambda x: np.concatenate([x, x]),
]


@pytest.mark.parametrize("viewed", VIEWS)
@pytest.mark.parametrize("stored", [False, True], ids=["before", "after"])
def test_a_view_shares_the_storage_of_its_array(viewed, stored):
    x = xp.ones((2, 3))
    if stored:
        assert x.storage.size == 6
    view = viewed(x)
    assert view.storage is x.storage
    view[...] = 2.0
    assert bool(xp.all(x[0] == 2.0))


@pytest.mark.parametrize("read", READS)
def test_a_call_with_released_memory_is_refused(read):
    x = xp.ones((2, 3))
    view = x[:]
    x.storage.release()
    for array in (x, view):
        with pytest.raises(ReleasedError):
            read(array)


def test_an_array_that_a_function_returns_unchanged_is_the_same_object():
    x = xp.ones((2, 3))
    assert np.atleast_2d(x) is x
    assert [result is x for result in np.atleast_1d(x, x)] == [True, True]


def test_a_result_of_one_element_is_an_array_of_no_axes():
    x = xp.ones((2, 3))
    for result in (x.sum(), x.max(), x.mean(), x.std(), np.sum(x), x.dot(xp.ones(3))[0]):
        assert type(result) is xp.Array
        assert result.shape == ()


def test_reductions_take_the_parameters_of_numpy():
    values = np.arange(6.0).reshape(2, 3)
    x = xp.asarray(values, copy=True)
    for name in ("all", "any", "max", "mean", "min", "prod", "std", "sum", "var"):
        ours, theirs = getattr(x, name), getattr(values, name)
        np.testing.assert_array_equal(ours(0), theirs(0))
        np.testing.assert_array_equal(ours(axis=(0, 1), keepdims=True), theirs(axis=(0, 1), keepdims=True))
        out = xp.zeros(2, dtype=theirs(1).dtype)
        assert ours(1, out=out) is out
        np.testing.assert_array_equal(out, theirs(1))
    np.testing.assert_array_equal(x.std(ddof=1), values.std(ddof=1))
    np.testing.assert_array_equal(x.sum(initial=3.0), values.sum(initial=3.0))
    assert x.sum(dtype="float32").dtype == np.float32
