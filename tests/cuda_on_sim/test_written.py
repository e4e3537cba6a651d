"""Which bytes of a block were written agrees with a mask of NumPy, however the writes come."""

import numpy as np
from accel.backends.sim.regions import Region
from accel.backends.sim.unwritten_bytes import Unwritten
from hypothesis import given
from hypothesis import strategies as st

_POINTER, _SIZE = 1 << 48, 600


@st.composite
def strided(draw):
    """Regions of strided items inside of a block, some of them contiguous."""
    itemsize = draw(st.sampled_from([1, 2, 4, 8]))
    rank = draw(st.integers(0, 2))
    shape = tuple(draw(st.integers(0, 5)) for _ in range(rank))
    strides = tuple(draw(st.integers(-6, 6)) * itemsize for _ in range(rank))
    region = Region.at(0, shape, strides, itemsize)
    first = draw(st.integers(0, max(_SIZE - (region.high - region.low), 0)))
    return Region.at(_POINTER + first - region.low, shape, strides, itemsize)


@st.composite
def scattered(draw):
    """Regions of items at any addresses, also several times the same."""
    itemsize = draw(st.sampled_from([1, 4]))
    places = draw(st.lists(st.integers(0, _SIZE - itemsize), max_size=6))
    return Region.of_items(np.array(places, np.int64) + _POINTER, itemsize)


def marked(mask, region):
    if region.items:
        for start in np.frombuffer(region.items, np.int64) - _POINTER:
            mask[start : start + region.itemsize] = 1
    else:
        for index in np.ndindex(region.shape):
            start = region.address - _POINTER + sum(map(int.__mul__, index, region.strides))
            mask[start : start + region.itemsize] = 1


@given(st.lists(strided() | scattered(), max_size=8), st.integers(0, 8))
def test_the_mask_is_that_of_numpy(regions, place):
    expected, unwritten = np.zeros(_SIZE, np.uint8), Unwritten(_POINTER, _SIZE)
    for number, region in enumerate(regions):
        if number == place:
            unwritten.mask()
        whole = unwritten.all_written_with(region)
        marked(expected, region)
        assert not whole or expected.all()
    assert unwritten.mask().tolist() == expected.tolist()


@given(st.permutations(range(6)), st.integers(0, 3))
def test_pieces_in_any_order_fill_a_block(order, place):
    unwritten = Unwritten(_POINTER, _SIZE)
    for number, piece in enumerate(order):
        if number == place:
            unwritten.mask()
        unwritten.all_written_with(Region.at(_POINTER + piece * 100, (25,), (4,), 4))
    assert unwritten.mask().all()


def test_many_writes_take_no_more_than_a_mask():
    unwritten = Unwritten(_POINTER, 8000)
    for piece in range(0, 1000, 2):
        unwritten.all_written_with(Region.at(_POINTER + piece * 8, (1,), (8,), 8))
    assert len(unwritten._regions) <= 64
    assert unwritten.mask().reshape(-1, 2, 8)[:, 0].all()
    assert not unwritten.mask().reshape(-1, 2, 8)[:, 1].any()
