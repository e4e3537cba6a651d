"""The laws of divides, products, tiles and thread-value layouts."""

from math import prod

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import Layout, _, equivalent
from accel.testing import tilers

from . import definitions as by_hand
from . import postconditions as post
from .strategies import MANY, QUICK, compact, composable, meeting, positive, something, spaced

DIVIDES = (library.logical_divide, library.zipped_divide, library.tiled_divide, library.flat_divide)
PRODUCTS = (library.logical_product, library.zipped_product, library.tiled_product, library.flat_product)


def attempt(operation, *arguments):
    try:
        return operation(*arguments)
    except LayoutError:
        return None


def dividable(layout, tiler):
    """Tell whether the layout composes with the tile and with its complement."""
    if by_hand.complement_table(tiler, layout.size) is None:
        return False
    rest = library.complement(tiler, layout.size)
    return by_hand.representable(layout, Layout((tiler.shape, rest.shape), (tiler.stride, rest.stride)))


def check_divides(layout, tiler):
    """Check a divide in its four arrangements."""
    post.logical_divide(library.logical_divide(layout, tiler), layout, tiler)
    zipped = library.zipped_divide(layout, tiler)
    post.zipped_divide(zipped, layout, tiler)
    post.tiled_divide(library.tiled_divide(layout, tiler), zipped)
    post.flat_divide(library.flat_divide(layout, tiler), zipped)


@MANY
@given(composable())
def test_a_divide_is_found_exactly_where_tile_and_rest_compose(pair):
    layout, tiler = pair
    assume(layout.size > 1 and tiler.size > 1)
    result = attempt(library.logical_divide, layout, tiler)
    assert (result is not None) == dividable(layout, tiler)
    if result is not None:
        check_divides(layout, tiler)


@QUICK
@given(something, st.data())
def test_divides_by_mode_are_one_function_in_four_arrangements(layout, data):
    check_divides(layout, data.draw(tilers(layout)))


@QUICK
@given(something, st.data())
def test_an_even_divide_covers_the_same_offsets_as_often(layout, data):
    tiler = data.draw(tilers(layout))
    for divide in DIVIDES:
        assert sorted(by_hand.table(divide(layout, tiler))) == sorted(by_hand.table(layout))
    assert library.overhang(layout, tiler) == (0,) * len(tiler)


@QUICK
@given(st.lists(st.integers(1, 12), min_size=1, max_size=3), st.data())
def test_the_overhang_is_how_far_tiles_leave_the_layout(extents, data):
    layout = Layout(tuple(extents))
    widths = [data.draw(st.integers(1, 2 * extent)) for extent in extents]
    tiler = tuple(Layout(width, 1) for width in widths)
    over = tuple(-extent % width for extent, width in zip(extents, widths, strict=True))
    assert library.overhang(layout, tiler) == over
    covered = prod(extent + more for extent, more in zip(extents, over, strict=True))
    assert by_hand.size(library.zipped_divide(layout, tiler)) == covered


@QUICK
@given(something, st.data())
def test_none_leaves_a_mode_alone(layout, data):
    assume(isinstance(layout.shape, tuple))
    tiler = data.draw(tilers(layout))
    alone = data.draw(st.integers(0, len(tiler) - 1))
    tiler = (*tiler[:alone], None, *tiler[alone + 1 :])
    result = library.logical_divide(layout, tiler)
    post.logical_divide(result, layout, tiler)
    for divide in DIVIDES[1:]:
        assert sorted(by_hand.table(divide(layout, tiler))) == sorted(by_hand.table(layout))


def repeatable(layout, other):
    """Tell whether the layout has a complement, and this composes with the other."""
    if by_hand.complement_table(layout, layout.size * other.cosize) is None:
        return False
    return by_hand.representable(library.complement(layout, layout.size * other.cosize), other)


@MANY
@given(compact | spaced() | positive | meeting, compact | positive)
def test_a_product_is_found_exactly_where_the_repeats_compose(layout, other):
    assume(layout.size * other.cosize < 2000 and other.size > 1)
    assume(library.coalesce(layout).size > 1)
    result = attempt(library.logical_product, layout, other)
    assert (result is not None) == repeatable(layout, other)
    if result is not None:
        post.logical_product(result, layout, other)
        for product in PRODUCTS:
            post.regrouped_product(product(layout, other), layout, other)


@QUICK
@given(compact, st.integers(1, 6))
def test_products_differ_only_in_their_modes(layout, count):
    logical, zipped, tiled, flat = (product(layout, Layout((count, 2))) for product in PRODUCTS)
    assert logical == zipped
    assert (tiled.rank, flat.rank) == (3, layout.rank + 2)
    assert equivalent(tiled, flat)


@QUICK
@given(compact, compact)
def test_blocks_stand_side_by_side_and_rakes_interleave(layout, other):
    assume(layout.size * other.size < 400)
    post.blocked_product(library.blocked_product(layout, other), layout, other)
    post.blocked_product(library.raked_product(layout, other), layout, other, raked=True)


@QUICK
@given(compact, st.data())
def test_a_block_is_repeated_until_the_shape_is_full(block, data):
    counts = data.draw(st.lists(st.integers(1, 4), min_size=block.rank, max_size=block.rank))
    extents = [by_hand.size(mode) for mode in by_hand.modes(block)]
    shape = tuple(extent * count for extent, count in zip(extents, counts, strict=True))
    order = tuple(data.draw(st.permutations(range(len(shape)))))
    post.tile_to_shape(library.tile_to_shape(block, shape, order), block, shape, order)
    assert library.tile_to_shape(block, shape) == library.tile_to_shape(block, shape, tuple(range(len(shape))))


@QUICK
@given(something, st.data())
def test_a_local_tile_is_what_a_coordinate_of_the_tiles_holds(layout, data):
    assume(isinstance(layout.shape, tuple))
    modes = by_hand.modes(layout)
    tile = tuple(data.draw(st.sampled_from(library_tiles(mode))) for mode in modes)
    counts = [by_hand.size(mode) // width for mode, width in zip(modes, tile, strict=True)]
    place = tuple(data.draw(st.none() | st.integers(0, count - 1)) for count in counts)
    result, offset = library.local_tile(layout, tile, tuple(_ if at is None else at for at in place))
    assert [offset + value for value in by_hand.table(result)] == post.local_tile_values(layout, tile, place)


def library_tiles(mode):
    """Return the extents that end at a leaf, or within the first."""
    first = by_hand.coalesced(mode).shape[0]
    return [by_hand.size(mode), *(width for width in range(1, first + 1) if first % width == 0)]


@QUICK
@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.data())
def test_threads_share_a_layout_without_overlap(extents, data):
    threads = data.draw(compact_of([data.draw(divisor(extent)) for extent in extents]))
    layout = data.draw(compact_of(extents))
    taken = []
    for index in range(threads.size):
        result, offset = library.local_partition(layout, threads, index)
        values = [offset + value for value in by_hand.table(result)]
        assert values == post.local_partition_values(layout, threads, index)
        taken += values
    assert sorted(taken) == sorted(by_hand.table(layout))


def divisor(extent):
    return st.sampled_from([width for width in range(1, extent + 1) if extent % width == 0])


def compact_of(extents):
    return st.permutations(range(len(extents))).map(lambda order: library.ordered(tuple(extents), tuple(order)))


@QUICK
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=3), st.data())
def test_threads_and_values_are_a_bijection_onto_the_tile(extents, data):
    threads, values = (data.draw(compact_of(result)) for result in zip(*extents, strict=True))
    tile, result = library.make_layout_tv(threads, values)
    post.make_layout_tv(tile, result, threads, values)


@pytest.mark.parametrize("threads", ["(2,2):(1,1)", "(2,2):(1,4)", "(2,2):(0,1)"])
def test_threads_that_are_no_numbering_have_no_thread_value_layout(threads):
    with pytest.raises(LayoutError):
        library.make_layout_tv(Layout.parse(threads), Layout((2, 1)))
