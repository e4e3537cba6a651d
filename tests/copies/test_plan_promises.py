"""What a plan guarantees to backends, checked for every item; no memory is touched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.abc import Block, CacheEviction, Fill, Operand, Span, Swizzling
from accel.copies import Mask, plan
from accel.copies.planner import fewest_loops
from accel.dtypes import as_dtype
from accel.errors import LayoutError, OverlapError
from accel.testing import arrangements

from .model import QUICK

ROOM = 1 << 16
dtypes = st.sampled_from(["uint8", "int16", "float32", "float64", "complex128"]).map(as_dtype)
extents = st.lists(st.integers(0, 5), max_size=4)


def operand(arrangement, dtype, start=0, pointer=1 << 12):
    size = dtype.itemsize
    place = start + (arrangement.start + 200) * size
    strides = tuple(stride * size for stride in arrangement.strides)
    return Operand(Span(Block(pointer, ROOM, None), 0, ROOM), place, dtype, arrangement.extents, strides)


@st.composite
def copies(draw, *, one_block=False):
    """Two operands of one dtype and extents, in one block or in two, at any byte."""
    shape, dtype = draw(extents), draw(dtypes)
    target = draw(arrangements(extents=shape, distinct=True))
    source = draw(arrangements(extents=shape))
    starts = draw(st.tuples(st.integers(0, 20), st.integers(0, 20)))
    return (
        operand(target, dtype, starts[0]),
        operand(source, dtype, starts[1], pointer=1 << 12 if one_block else 1 << 20),
    )


def walked(found, start, strides):
    """Return the distance of each item from the operand's start."""
    distances = np.full(1, start, np.int64)
    for extent, stride in zip(found.extents, strides, strict=True):
        distances = (distances[:, None] + np.arange(extent) * stride).reshape(-1)
    return distances


def ends(found):
    return walked(found, found.target_start, found.target_strides), walked(
        found, found.source_start, found.source_strides
    )


def addresses(given, distances):
    return given.span.block.pointer + given.span.start + given.start + distances


def elements(given):
    """Return the address of each element, in C order."""
    distances = np.zeros(1, np.int64)
    for extent, stride in zip(given.extents, given.strides, strict=True):
        distances = (distances[:, None] + np.arange(extent) * stride).reshape(-1)
    return addresses(given, distances)


@QUICK
@given(copies())
def test_each_byte_of_the_target_gets_its_own_of_the_source(given):
    target, source = given
    result = plan(target, source)
    into, out_of = (addresses(end, distances) for end, distances in zip(given, ends(result), strict=True))
    moved = {int(to) + i: int(of) + i for to, of in zip(into, out_of, strict=True) for i in range(result.itemsize)}
    size = target.dtype.itemsize
    wanted = zip(elements(target), elements(source), strict=True)
    assert moved == {int(to) + i: int(of) + i for to, of in wanted for i in range(size)}


@QUICK
@given(copies())
def test_the_kind_is_what_it_says(given):
    result = plan(*given)
    size, last = result.itemsize, result.leaves[-1:]
    in_pieces = bool(last) and last[0][1:] == (size, size)
    if result.kind == "memcpy":
        assert not result.size or not result.leaves or (len(result.leaves) == 1 and in_pieces)
    elif result.kind == "rows":
        assert len(result.leaves) > 1
        assert in_pieces
    elif result.kind == "transpose":
        into, out_of = result.tile
        assert into == len(result.leaves) - 1 != out_of
        assert result.leaves[into].target_stride == size == result.leaves[out_of].source_stride
    else:
        assert result.kind == "gather"
        assert not in_pieces
    assert (result.tile is not None) == (result.kind == "transpose")


@QUICK
@given(copies())
def test_loops_go_forwards_in_the_target_the_slowest_first(given):
    result = plan(*given)
    assert list(result.target_strides) == sorted(result.target_strides, reverse=True)
    assert all(extent > 1 for extent in result.extents) or not result.size


@QUICK
@given(copies())
def test_accesses_of_the_width_are_aligned_and_stay_in_their_pieces(given):
    result = plan(*given)
    assert result.vector in (1, 2, 4, 8, 16)
    for end, distances in zip(given, ends(result), strict=True):
        steps = (
            distances
            if result.kind not in ("memcpy", "rows")
            else distances[:: result.extents[-1] or 1]
            if result.leaves
            else distances
        )
        assert not (addresses(end, steps) % result.vector).any()
    piece = result.itemsize * (result.extents[-1] if result.kind in ("memcpy", "rows") and result.leaves else 1)
    assert piece % result.vector == 0


@QUICK
@given(copies(one_block=True))
def test_what_is_not_read_first_shares_no_byte_but_with_itself(given):
    target, source = given
    result = plan(target, source)
    if not result.buffered:
        size = target.dtype.itemsize
        home = {int(to) + i: n for n, to in enumerate(elements(target)) for i in range(size)}
        for n, of in enumerate(elements(source)):
            assert all(home.get(int(of) + i, n) == n for i in range(size))


def test_odd_elements_are_copied_over_even_ones_without_reading_first():
    dtype = as_dtype("float32")
    span = Span(Block(1 << 12, ROOM, None), 0, ROOM)
    target = Operand(span, 0, dtype, (50,), (8,))
    assert not plan(target, target._replace(start=4)).buffered
    assert plan(target, target._replace(start=8)).buffered
    assert not plan(target, target).buffered


@pytest.mark.parametrize(("extent", "bits"), [((1 << 29) - 1, 32), ((1 << 29) + 5, 64), ((1 << 31) + 5, 64)])
def test_indices_are_as_wide_as_the_distances(extent, bits):
    nbytes = 8 * extent
    target, source = (Span(Block(pointer, nbytes, None), 0, nbytes) for pointer in (1 << 12, 1 << 40))
    dtype = as_dtype("float32")
    result = plan(Operand(target, 0, dtype, (extent,), (4,)), Operand(source, 0, dtype, (extent,), (4,)))
    assert (result.index_bits, result.size, result.kind) == (bits, extent, "memcpy")


@pytest.mark.parametrize(
    ("channels", "dtype", "item"), [(4, "uint8", 4), (2, "float64", 16), (4, "float32", 16), (3, "uint8", 1)]
)
def test_a_few_elements_side_by_side_are_moved_as_one(channels, dtype, item):
    found_dtype = as_dtype(dtype)
    size, span = found_dtype.itemsize, Span(Block(1 << 12, ROOM, None), 0, ROOM)
    row = 16 * channels * size
    target = Operand(span, 0, found_dtype, (8, 16, channels), (row, channels * size, size))
    source = Operand(
        Span(Block(1 << 20, ROOM, None), 0, ROOM),
        0,
        found_dtype,
        (8, 16, channels),
        (channels * size, 8 * channels * size, size),
    )
    assert plan(target, source).itemsize == item
    assert plan(target, source._replace(start=1)).itemsize == size


@QUICK
@given(copies(), st.integers(0, 300), st.sampled_from(Fill), st.sampled_from(CacheEviction))
def test_masks_and_hints_are_passed_on_and_keep_elements_apart(given, bound, fill, eviction):
    result = plan(*given, mask=Mask(bound, fill), eviction=eviction)
    assert (result.bound, result.fill, result.eviction, result.itemsize) == (
        bound,
        fill,
        eviction,
        given[0].dtype.itemsize,
    )
    assert result.kind == "gather"


def test_tables_are_walked_by_one_loop():
    dtype, span = as_dtype("float32"), Span(Block(1 << 12, ROOM, None), 0, ROOM)
    through = Operand(span, 400, dtype, (3,), (0,), table=np.array([5, -1, 7]))
    plain = Operand(span, 4000, dtype, (3,), (-8,))
    assert plan(through, plain).leaves == ((3, 0, -8),)
    assert plan(plain, through).leaves == ((3, -8, 0),)
    assert plan(plain, through).kind == "table"
    with pytest.raises(OverlapError, match="twice"):
        plan(through._replace(table=np.array([1, 2, 1])), plain)


def test_a_swizzled_end_is_walked_element_by_element():
    dtype, span = as_dtype("float32"), Span(Block(1 << 12, ROOM, None), 0, ROOM)
    plain = Operand(span, 0, dtype, (32, 32), (128, 4))
    swizzled = plain._replace(start=1 << 14, swizzle=Swizzling(7 << 7, 3))
    assert plan(plain, swizzled).kind == plan(swizzled, plain).kind == "gather"


def test_the_same_question_is_answered_from_memory():
    dtype, span = as_dtype("float32"), Span(Block(1 << 12, ROOM, None), 0, ROOM)
    target, source = Operand(span, 0, dtype, (9, 8), (32, 4)), Operand(span, 1 << 12, dtype, (9, 8), (4, 36))
    assert plan(target, source) is plan(target, source)


def test_loops_without_a_common_refinement_have_no_plan():
    dtype, span = as_dtype("float32"), Span(Block(1 << 12, ROOM, None), 0, ROOM)
    with pytest.raises(LayoutError, match="no common refinement"):
        plan(Operand(span, 0, dtype, (2, 3), (4, 8)), Operand(span, 400, dtype, (3, 2), (4, 100)))


@QUICK
@given(arrangements(distinct=True), dtypes)
def test_the_fewest_loops_reach_the_same_elements(arrangement, dtype):
    given = operand(arrangement, dtype)
    result = fewest_loops(given)
    assert sorted(elements(result)) == sorted(elements(given))
    assert len(result.extents) <= len(given.extents)
    assert min(result.strides, default=1) > 0 or not arrangement.size
