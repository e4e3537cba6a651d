"""Boxes that are cut and joined, against one array in which each element has the number of its last writer."""

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from accel.engines.dask.tiling import Tiling, within
from accel.store.boxes import box_of, intersection, overlap, volume, without

shapes = st.lists(st.integers(0, 7), max_size=3).map(tuple)


@st.composite
def boxes(draw, shape):
    bounds = [sorted((draw(st.integers(0, extent)), draw(st.integers(0, extent)))) for extent in shape]
    return tuple((low, high) for low, high in bounds)


@st.composite
def histories(draw):
    shape = draw(shapes)
    return shape, draw(st.lists(boxes(shape), max_size=12)), draw(boxes(shape))


def index(box):
    return tuple(slice(low, high) for low, high in box)


def written(shape, history):
    tiling, expected = Tiling(len(shape)), np.full(shape, -1)
    for number, box in enumerate(history):
        tiling.put(box, number)
        expected[index(box)] = number
    return tiling, expected


@given(histories())
def test_each_element_is_held_by_its_last_writer(case):
    shape, history, _ = case
    tiling, expected = written(shape, history)
    result = np.full(shape, -1)
    for box, number in tiling.items():
        assert (result[index(box)] == -1).all(), "two boxes overlap"
        result[index(box)] = number
    assert np.array_equal(result, expected)
    assert sum(volume(box) for box, _ in tiling.items()) == (expected >= 0).sum()


@given(histories())
def test_what_is_found_for_a_box_is_what_overlaps_it(case):
    shape, history, wanted = case
    tiling, expected = written(shape, history)
    joined = np.full([high - low for low, high in wanted], -1)
    for box, number in tiling.find(wanted):
        common = intersection(box, wanted)
        joined[within(common, wanted)] = number
    assert np.array_equal(joined, expected[index(wanted)])


@given(histories())
def test_a_copy_does_not_follow_later_writes(case):
    shape, history, box = case
    tiling, _ = written(shape, history)
    before, copy = dict(tiling.items()), tiling.copy()
    tiling.put(box, "later")
    assert dict(copy.items()) == before
    assert len(copy) == len(before)


@given(shapes.flatmap(lambda shape: st.tuples(st.just(shape), boxes(shape), boxes(shape))))
def test_a_remainder_is_disjoint_from_the_hole_and_from_itself(case):
    shape, box, hole = case
    if not overlap(box, hole):
        return
    counts = np.zeros(shape, int)
    for rest in without(box, hole):
        counts[index(rest)] += 1
    counts[index(intersection(box, hole))] += 1
    expected = np.zeros(shape, int)
    expected[index(box)] = 1
    assert np.array_equal(counts, expected)


def test_the_same_tiling_written_again_keeps_its_number_of_boxes():
    shape = (6, 4)
    tiling = Tiling(2)
    for _ in range(3):
        for row in range(6):
            tiling.put(((row, row + 1), (0, 4)), row)
    assert len(tiling) == 6
    assert sum(volume(box) for box, _ in tiling.items()) == prod(shape)
    assert tiling.find(box_of(shape)) == [(((row, row + 1), (0, 4)), row) for row in range(6)]
