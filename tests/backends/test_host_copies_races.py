"""The race check is exact for elements that are not strided: it reports shared bytes, and no others."""

import numpy as np
import pytest
from accel.backends.sim.operands import region_of, regions_of
from hypothesis import example, given
from hypothesis import strategies as st

from accel.abc import Block, Fill, Leaf, Operand, Plan, Span, Swizzling
from accel.errors import BoundsError

ROOM = 4096
BLOCK = Block(1 << 20, ROOM, None)


def operand(start=0, dtype="uint16", extents=(), strides=(), **more):
    return Operand(Span(BLOCK, 0, ROOM), start, np.dtype(dtype), extents, strides, **more)


@st.composite
def operands(draw):
    """Operands inside of the block, with strides, a swizzle or an offset table."""
    dtype = np.dtype(draw(st.sampled_from(["uint8", "uint16", "float64"])))
    start = draw(st.integers(1000, 1100))
    if draw(st.booleans()):
        table = np.array(draw(st.lists(st.integers(-60, 60), max_size=9)), np.int64)
        return operand(start, dtype, (table.size,), (0,), table=table)
    loops = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(-40, 40)), max_size=3))
    swizzle = draw(st.sampled_from([None, Swizzling(0b11 << 5, 3), Swizzling(0b1 << 3, -2, 8)]))
    return operand(start, dtype, *zip(*loops, strict=True), swizzle=swizzle) if loops else operand(start, dtype)


def touched(each):
    """Return the set of all bytes of an operand."""
    if each.table is not None:
        distances = [int(place) * each.dtype.itemsize for place in each.table]
    else:
        distances = [sum(map(int.__mul__, place, each.strides)) for place in np.ndindex(*each.extents)]
    if each.swizzle is not None:
        distances = map(each.swizzle, distances)
    return {each.start + distance + byte for distance in distances for byte in range(each.dtype.itemsize)}


@given(one=operands(), other=operands())
@example(one=operand(996, "float64", (2,), (0,), table=np.array([0, 2])), other=operand(1000, "float64", (0,), (8,)))
def test_regions_meet_where_a_byte_is_in_both(one, other):
    expected = bool(touched(one) & touched(other))
    assert region_of(one).overlaps(region_of(other)) == expected
    assert region_of(other).overlaps(region_of(one)) == expected


@given(each=operands())
def test_a_region_begins_and_ends_with_its_elements(each):
    region, expected = region_of(each), touched(each)
    if expected:
        assert (region.low, region.high) == (BLOCK.pointer + min(expected), BLOCK.pointer + max(expected) + 1)
    else:
        assert region.low == region.high


@given(bound=st.integers(0, 50), fill=st.sampled_from(Fill), step=st.integers(1, 3))
def test_what_a_bound_leaves_out_is_neither_read_nor_written(bound, fill, step):
    plan = Plan((Leaf(12, 4, 2 * step),), 2, bound=bound, fill=fill)
    written, read = regions_of(operand(), operand(2000), plan)
    count = len([place for place in range(12) if 2 * step * place < bound])
    assert read.nbytes == 2 * count
    assert written.nbytes == (24 if fill is Fill.ZERO else 2 * count)


def test_a_region_is_known_again_by_its_value():
    table = np.array([5, 1, 3])
    regions = {region_of(operand(extents=(3,), strides=(0,), table=each)) for each in (table, table[::-1].copy())}
    assert len(regions) == 1


@pytest.mark.parametrize("start", [-1, ROOM - 4])
def test_what_leaves_its_span_is_refused(start):
    with pytest.raises(BoundsError, match="were asked for of a span of"):
        regions_of(operand(), operand(start), Plan((Leaf(3, 2, 2),), 2))


@pytest.mark.parametrize("span", [Span(BLOCK, 10, ROOM), Span(BLOCK, -1, 8)])
def test_a_span_that_leaves_its_block_is_refused(span):
    with pytest.raises(BoundsError, match="inside of the block"):
        region_of(operand(extents=(3,), strides=(2,))._replace(span=span))
