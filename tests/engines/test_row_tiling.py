"""Launches that an engine cuts by itself: the results do not depend on whether it does."""

import numpy as np
import pytest

from accel.engines import InOut, Input, align, engine, row_tiling, task
from accel.store import from_array

from .stores import store_of, values


@task(constraints=[align("x", "y")])
def add(x: Input, y: InOut):
    y.span_read_write_accessor()[...] += x.span_read_accessor()


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(row_tiling, "TILE_BYTES", 64)
    with engine("threads").using() as chosen:
        yield chosen


def added(make, x_view, y_view, array):
    """Return what adding one view of an array to another gives, by a task and by NumPy."""
    store, expected = make(array.copy()), array.copy()
    add(x_view(store), y_view(store))
    y = y_view(expected)
    y[...] = y + x_view(expected)
    return values(store).tolist(), expected.tolist()


VIEWS = {
    "shifted": (lambda a: a[:-1], lambda a: a[1:]),
    "shifted back": (lambda a: a[1:], lambda a: a[:-1]),
    "transposed": (lambda a: a.transpose((1, 0)), lambda a: a),
    "the same": (lambda a: a[1:], lambda a: a[1:]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_one_store_that_overlap_give_what_numpy_gives(name):
    result, expected = added(store_of, *VIEWS[name], np.arange(256.0).reshape(16, 16))
    assert result == expected


def test_two_stores_on_the_same_memory_give_what_numpy_gives():
    array = np.arange(100.0)
    expected = array.copy()
    expected[1:] = expected[1:] + expected[:-1]
    add(from_array(array[:-1]), y := from_array(array[1:], read_only=False))
    y.detach()
    assert array.tolist() == expected.tolist()


def test_stores_whose_rows_no_view_can_have_are_not_cut():
    x, y = store_of(np.arange(400.0)), store_of(np.ones(400))
    add(*[each.delinearize(0, (20, 20)).transpose((1, 0)) for each in (x, y)])
    assert values(y).tolist() == (np.arange(400.0) + 1).tolist()


@pytest.mark.parametrize("rows", [2, 40])
def test_rows_that_are_the_same_elements_are_written_once(rows):
    x, y = store_of(np.ones((rows, 10))), store_of(np.zeros(10))
    add(x, y.promote(0, rows))
    assert values(y).tolist() == [1] * 10


def test_a_cut_leaves_the_partition_of_the_user_as_it_is():
    x, y = store_of(np.ones(100)), store_of(np.ones(100))
    x.partition_by_tiling((7,))
    add(x, y)
    assert (x.get_partition().tile_shape, y.get_partition()) == ((7,), None)
