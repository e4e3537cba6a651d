"""What the result of each operation must satisfy, checked over all coordinates."""

from math import prod

from .definitions import (
    Plain,
    at,
    at_coordinate,
    coalesced,
    colex,
    compatible,
    complement_table,
    congruent,
    cosize,
    filtered,
    from_pairs,
    image,
    in_domain,
    is_a_table,
    leaves,
    modes,
    natural,
    pairs,
    size,
    table,
)


def agrees(layout, values):
    """The layout has these values; None stands for any."""
    assert size(layout) == len(values)
    wrong = [
        (i, at(layout, i), value) for i, value in enumerate(values) if value is not None and at(layout, i) != value
    ]
    assert not wrong, f"{layout}: (coordinate, found, expected) first differs at {wrong[0]}"


def same(one, other):
    return (one.shape, one.stride) == (other.shape, other.stride)


def coalesce(result, layout):
    agrees(result, table(layout))
    assert pairs(result) == pairs(coalesced(layout))
    assert not isinstance(result.shape, tuple) or all(isinstance(extent, int) for extent in result.shape)


def coalesce_by_profile(result, layout, profile):
    """Each mode that the profile names is coalesced; those past its end are unchanged."""
    if not isinstance(profile, tuple):
        coalesce(result, layout)
        return
    assert len(modes(result)) == len(modes(layout))
    for actual, mode, part in zip(modes(result), modes(layout), profile, strict=False):
        coalesce_by_profile(actual, mode, part)
    assert pairs_past(result, profile) == pairs_past(layout, profile)


def pairs_past(layout, profile):
    return [pairs(mode) for mode in modes(layout)[len(profile) :]]


def filter_zeros(result, layout):
    assert congruent(result.shape, layout.shape)
    kept = [(1, 0) if not stride else (extent, stride) for extent, stride in pairs(layout)]
    assert table(result) == table(from_pairs(kept))


def filter_(result, layout):
    coalesce(result, filtered(layout))
    assert image(result) == image(layout)


def flatten(result, layout):
    assert pairs(result) == pairs(layout)
    assert leaves(result.shape) == list(result.shape if isinstance(result.shape, tuple) else (result.shape,))


def composition(result, a, b):
    assert compatible(b.shape, result.shape)
    agrees(result, in_domain(a, b))


def composition_by_mode(result, a, tiler):
    assert len(modes(result)) == len(modes(a))
    for actual, mode, tile in zip(modes(result), modes(a), tiler, strict=False):
        if tile is None:
            assert same(actual, mode)
        else:
            composition(actual, mode, tile)
    assert pairs_past(result, tiler) == pairs_past(a, tiler)


def complement(result, layout, target):
    assert table(result) == complement_table(layout, target)


def right_inverse(result, layout):
    assert [at(layout, index) for index in table(result)] == list(range(size(result)))
    if len(image(layout)) == size(layout) and min(table(layout)) >= 0:
        assert size(result) == len(inverse_prefix(layout))


def inverse_prefix(*layouts):
    """Return the longest table R of a layout with A(R(i)) == i for each A, all of them injective."""
    inverses = [{value: index for index, value in enumerate(table(layout))} for layout in layouts]
    common = []
    while all(inverse.get(len(common), -1) == inverses[0].get(len(common)) for inverse in inverses):
        common.append(inverses[0][len(common)])
    while not is_a_table(common):
        common.pop()
    return common


def left_inverse(result, layout):
    assert [at(result, value) for value in table(layout)] == list(range(size(layout)))


def max_common_layout(result, a, b):
    for layout in (a, b):
        assert [at(layout, index) for index in table(result)] == list(range(size(result)))
    if all(len(image(layout)) == size(layout) and min(table(layout)) >= 0 for layout in (a, b)):
        assert size(result) == len(inverse_prefix(a, b))


def nullspace(result, layout):
    assert not any(at(layout, index) for index in table(result))
    assert len(image(result)) == size(result) == prod(extent for extent, stride in pairs(layout) if not stride)


def cut(layout, tile):
    """Return the indices of the tile and of the rest of one mode, which without a tile is all rest."""
    return ([0], range(size(layout))) if tile is None else (table(tile), complement_table(tile, size(layout)))


def known(layout, index):
    return at(layout, index) if 0 <= index < size(layout) else None


def total(values):
    return None if None in values else sum(values)


def divided(layout, tiler):
    """Return the values of a divide by mode, in each order: by mode (tile, rest), and all tiles before all rests."""
    parts = modes(layout)
    tiles = (*tiler, *[None] * (len(parts) - len(tiler)))
    cuts = [cut(mode, tile) for mode, tile in zip(parts, tiles, strict=True)]
    logical = [
        total([known(mode, tile + rest) for mode, tile, rest in zip(parts, at_[::2], at_[1::2], strict=True)])
        for at_ in colex(*(axis for both in cuts for axis in both))
    ]
    zipped = [
        total([known(mode, tile + rest) for mode, tile, rest in zip(parts, tiles, rests, strict=True)])
        for rests in colex(*(rests for _, rests in cuts))
        for tiles in colex(*(tiles for tiles, _ in cuts))
    ]
    return logical, zipped


def logical_divide(result, layout, tiler):
    """The tiler is one layout, or a tuple of layouts by mode."""
    if not isinstance(tiler, tuple) or isinstance(tiler, Plain):
        assert len(modes(result)) == 2
        assert compatible(tiler.shape, modes(result)[0].shape)
        agrees(result, divided(Plain((layout.shape,), (layout.stride,)), (tiler,))[0])
        return
    agrees(result, divided(layout, tiler)[0])
    assert len(modes(result)) == len(modes(layout))
    for actual, mode, tile in zip(modes(result), modes(layout), tiler, strict=False):
        if tile is None:
            assert same(actual, mode)
        else:
            assert len(modes(actual)) == 2
            assert compatible(tile.shape, modes(actual)[0].shape)
    assert pairs_past(result, tiler) == pairs_past(layout, tiler)


def zipped_divide(result, layout, tiler):
    """((tiles), (rests)) by mode; the same as the logical divide for one layout."""
    if not isinstance(tiler, tuple) or isinstance(tiler, Plain):
        logical_divide(result, layout, tiler)
        return
    agrees(result, divided(layout, tiler)[1])
    tiles, rests = modes(result)
    assert compatible(tuple(tile.shape for tile in tiler), tiles.shape)
    assert len(modes(rests)) == len(modes(layout))
    assert pairs_past(rests, tiler) == pairs_past(layout, tiler)


def tiled_divide(result, zipped):
    """The zipped divide with the rests as modes of their own."""
    tiles, rests = modes(zipped)
    assert [pairs(mode) for mode in modes(result)] == [pairs(tiles), *map(pairs, modes(rests))]


def flat_divide(result, zipped):
    """The zipped divide with the tiles and the rests as modes of their own."""
    tiles, rests = modes(zipped)
    assert [pairs(mode) for mode in modes(result)] == [pairs(mode) for mode in modes(tiles) + modes(rests)]


def repeats(layout, other):
    """Return where each copy of the layout begins: complement(A, size A * cosize B) o B."""
    room = complement_table(layout, size(layout) * cosize(other))
    return [room[index] for index in table(other)]


def logical_product(result, layout, other):
    starts = repeats(layout, other)
    agrees(result, [start + value for start in starts for value in table(layout)])
    first, second = modes(result)
    assert same(first, layout)
    assert compatible(other.shape, second.shape)


def regrouped_product(result, layout, other):
    """A tiled or flat product: the values of the logical one, in modes of their own."""
    agrees(result, [start + value for start in repeats(layout, other) for value in table(layout)])


def padded(layout, rank):
    result = modes(layout) + [Plain(1, 0)] * (rank - len(modes(layout)))
    return Plain(tuple(mode.shape for mode in result), tuple(mode.stride for mode in result))


def blocked_product(result, layout, other, raked=False):
    """(A_i, B_i) by mode, or (B_i, A_i): the smaller rank is padded."""
    rank = max(len(modes(layout)), len(modes(other)))
    a, b = padded(layout, rank), padded(other, rank)
    starts = repeats(layout, other)
    inner, outer = colex(*map(range, extents(a))), colex(*map(range, extents(b)))
    expected = {}
    for start, block in zip(starts, outer, strict=True):
        for within in inner:
            pair = (block, within) if raked else (within, block)
            expected[tuple(zip(*pair, strict=True))] = start + at_coordinate(a, within)
    assert len(modes(result)) == rank
    assert {coordinate: at_coordinate(result, coordinate) for coordinate in expected} == expected
    assert extents(result) == [m * n for m, n in zip(extents(a), extents(b), strict=True)]


def extents(layout):
    return [size(mode) for mode in modes(layout)]


def upcast(result, layout, count):
    assert congruent(result.shape, layout.shape)
    assert spread(result, count) == image(layout)


def downcast(result, layout, count):
    assert congruent(result.shape, layout.shape)
    assert image(result) == spread(layout, count)


def recast(result, layout, new, old):
    assert spread(result, new) == spread(layout, old)


def spread(layout, width):
    """Return the set of all elements that the elements of this width cover."""
    return {width * value + part for value in image(layout) for part in range(width)}


def make_ordered_layout(result, shape, order):
    assert result.shape == shape
    ranks = leaves(order)
    for position, (extent, stride) in enumerate(pairs(result)):
        smaller = [other for other, rank in zip(leaves(shape), ranks, strict=True) if rank < ranks[position]]
        assert stride == (0 if extent == 1 else prod(smaller))


def tile_to_shape(result, layout, shape, order):
    """The block, repeated in that order until the shape is full."""
    counts = tuple(whole // part for whole, part in zip(shape, extents(padded(layout, len(shape))), strict=True))
    strides = tuple(prod(counts[j] for j in range(len(counts)) if order[j] < rank) for rank in order)
    blocked_product(result, layout, Plain(counts, strides))
    assert extents(result) == list(shape)


def make_layout_tv(tile, result, threads, values):
    """Maps (thread, value) to the index in the tile where the raked product has them; a bijection."""
    assert sorted(table(result)) == list(range(size(threads) * size(values)))
    assert extents(result) == [size(threads), size(values)]
    rank = max(len(modes(threads)), len(modes(values)))
    a, b = padded(threads, rank), padded(values, rank)
    assert list(tile) == [m * n for m, n in zip(extents(a), extents(b), strict=True)]
    for value in colex(*map(range, extents(b))):
        for thread in colex(*map(range, extents(a))):
            place = [v + t * n for v, t, n in zip(value, thread, extents(b), strict=True)]
            index = sum(step * prod(tile[:axis]) for axis, step in enumerate(place))
            assert at_coordinate(result, (at_coordinate(a, thread), at_coordinate(b, value))) == index


def local_tile_values(layout, tile, coordinate):
    """Return the offsets of the tiles that a coordinate leaves free, tile coordinates fastest."""
    counts = [-(-extent // width) for extent, width in zip(extents(layout), tile, strict=True)]
    free = [range(count) if place is None else [place] for count, place in zip(counts, coordinate, strict=True)]
    starts = [[width * step for step, width in zip(block, tile, strict=True)] for block in colex(*free)]
    return [offset(layout, start, within) for start in starts for within in colex(*map(range, tile))]


def offset(layout, *places):
    """Return the value at the sum of some coordinates; None if it is outside."""
    return total([known(mode, sum(at_)) for mode, *at_ in zip(modes(layout), *places, strict=True)])


def local_partition_values(layout, threads, index):
    """Return the offsets of one thread: every extent-of-the-threads-th, from the thread's coordinate on."""
    place = natural(table(threads).index(index), tuple(extents(threads)))
    counts = [-(-extent // width) for extent, width in zip(extents(layout), extents(threads), strict=True)]
    steps = [range(0, width * count, width) for width, count in zip(extents(threads), counts, strict=True)]
    return [offset(layout, place, step) for step in colex(*steps)]
