"""Random programs of tasks give what they give one after the other on NumPy's arrays, on each engine."""

import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import accel
from accel.engines import InOut, Input, Output, Reduce, engine, task
from accel.store import ADD, create_store, from_array

from ..threads import run_at_once

SHAPE = 6, 8


@task
def add(factor: int, pause: float, x: Input, y: InOut):
    time.sleep(pause)
    y.span_read_write_accessor()[...] += factor * x.span_read_accessor()


@task
def fill(value: int, pause: float, y: Output):
    time.sleep(pause)
    y.span_write_accessor()[...] = value


@task
def total(pause: float, x: Input, s: Reduce[ADD]):
    time.sleep(pause)
    np.asarray(s)[...] += x.span_read_accessor().sum()


def views(height, width):
    row, column = st.integers(0, SHAPE[0] - height), st.integers(0, SHAPE[1] - width)
    return st.tuples(st.integers(0, 2), row, column)


@st.composite
def operations(draw):
    height, width = draw(st.integers(1, SHAPE[0])), draw(st.integers(1, SHAPE[1]))
    tile = draw(st.none() | st.tuples(st.integers(1, height), st.integers(1, width)))
    kind = draw(st.sampled_from(["add", "add", "fill", "total", "host"]))
    pause = draw(st.sampled_from([0.0, 0.0, 1e-4, 1e-3]))
    x, y = draw(views(height, width)), draw(views(height, width))
    return kind, draw(st.integers(-2, 2)), pause, (height, width), tile, x, y


def cut(store, view, size):
    _, row, column = view
    return store[row : row + size[0], column : column + size[1]]


def tiles_of(array, tile):
    if tile is None:
        return [array]
    rows, columns = range(0, array.shape[0], tile[0]), range(0, array.shape[1], tile[1])
    return [array[row : row + tile[0], column : column + tile[1]] for row in rows for column in columns]


def on_arrays(operation, arrays, sums):
    kind, value, _, size, tile, x, y = operation
    sources = tiles_of(cut(arrays[x[0]], x, size), tile)
    targets = tiles_of(cut(arrays[y[0]], y, size), tile)
    for source, target in zip(sources, targets, strict=True):
        if kind == "add":
            target[...] += value * source
        elif kind == "fill":
            target[...] = value
        elif kind == "total":
            sums[...] += source.sum()


def on_stores(operation, stores, sums, seen):
    kind, value, pause, size, tile, x, y = operation
    source, target = cut(stores[x[0]], x, size), cut(stores[y[0]], y, size)
    if kind == "host":
        seen.append(np.asarray(source.get_physical_store()).copy())
        return
    if tile is not None:
        source, target = source.partition_by_tiling(tile), target.partition_by_tiling(tile)
    if kind == "add":
        add(value, pause, source, target)
    elif kind == "fill":
        fill(value, pause, target)
    else:
        total(pause, source, sums)


def made(how):
    array = np.zeros(SHAPE, "int64")
    if how == "attached":
        return from_array(accel.container(array.reshape(-1)).view(accel.Layout.row_major(*SHAPE)), read_only=False)
    store = create_store("int64", SHAPE)
    store.fill(0)
    return store


@pytest.mark.parametrize("how", ["owned", "attached"])
@pytest.mark.parametrize(
    ("name", "options"),
    [("eager", {}), ("threads", {}), ("threads", {"inline": False})],
    ids=["eager", "threads", "pool"],
)
@given(program=st.lists(operations(), min_size=1, max_size=12))
def test_a_program_gives_what_it_gives_one_after_the_other(name, options, how, program):
    arrays, sums, expected = [np.zeros(SHAPE, "int64") for _ in range(3)], np.zeros(1, "int64"), []
    for each in arrays:
        each[...] = np.arange(each.size).reshape(SHAPE)
    for each in program:
        if each[0] == "host":
            expected.append(cut(arrays[each[5][0]], each[5], each[3]).copy())
        on_arrays(each, arrays, sums)

    stores, total_store, seen = [made(how) for _ in range(3)], create_store("int64", (1,)), []
    with accel.using(threads=3), engine(name).using(**options):
        total_store.fill(0)
        for each in stores:
            np.asarray(each.get_physical_store())[...] = np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE)
        for each in program:
            on_stores(each, stores, total_store, seen)
        results = [np.asarray(each.get_physical_store()) for each in stores]
        assert [each.tolist() for each in results] == [each.tolist() for each in arrays]
        assert np.asarray(total_store.get_physical_store()).tolist() == sums.tolist()
    assert [each.tolist() for each in seen] == [each.tolist() for each in expected]


@given(programs=st.lists(st.lists(operations(), max_size=6), min_size=2, max_size=4))
def test_threads_that_submit_at_once_give_some_order_of_whole_launches(programs):
    """Only additions of constants: in any order of the launches they give the same."""
    store, expected = made("owned"), np.zeros(SHAPE, "int64")
    one, ones = made("owned"), np.ones(SHAPE, "int64")
    one.fill(1)
    for _, value, _, size, _, _, view in [each for program in programs for each in program]:
        cut(expected, view, size)[...] += value * cut(ones, view, size)

    def submit(program):
        with accel.using(threads=3), engine("threads").using():
            for _, value, pause, size, tile, _, view in program:
                source, target = cut(one, view, size), cut(store, view, size)
                if tile is None:
                    add(value, pause, source, target)
                else:
                    add(value, pause, source.partition_by_tiling(tile), target.partition_by_tiling(tile))

    run_at_once([partial(submit, each) for each in programs])
    assert np.asarray(store.get_physical_store()).tolist() == expected.tolist()
