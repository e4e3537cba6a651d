"""Costs of accesses and differences of layouts, checked against a byte-by-byte simulation of memory."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import ComposedLayout, Layout, Swizzle, bank_conflicts, coalescing, diff, find_swizzle, vector_width
from accel.testing import layouts, shapes

from . import definitions as by_hand
from .strategies import QUICK, something

WIDTHS = st.sampled_from([(1, 1), (1, 4), (2, 1), (2, 2), (2, 8), (4, 1), (4, 2), (4, 4), (8, 1), (8, 2), (16, 1)])
"""Bytes of an element, and elements of an access."""


@st.composite
def accesses(draw):
    """Return the layout of what up to 40 threads access, the bytes of an element and the elements of an access."""
    itemsize, vector = draw(WIDTHS)
    threads = draw(layouts(shapes(max_size=40), st.integers(-3, 70)))
    wide = [stride * vector for stride in by_hand.leaves(threads.stride)]
    layout = Layout((vector, *by_hand.leaves(threads.shape)), (1, *wide))
    return layout, itemsize, vector


def batched(values, count):
    return [values[start : start + count] for start in range(0, len(values), count)]


def bytes_of_threads(offsets, itemsize, vector):
    """Return the bytes that each thread of the first warp accesses."""
    runs = batched(offsets[: 32 * vector], vector)
    return [[offset * itemsize + byte for offset in run for byte in range(itemsize)] for run in runs]


def words_of_banks(group, banks=32):
    """Return the words that each bank gives to a group of threads."""
    words = {byte // 4 for accessed in group for byte in accessed}
    return {bank: {word for word in words if word % banks == bank} for bank in range(banks)}


def served_together(width):
    """Return how many threads are served in one phase, according to the programming guide."""
    return {8: 16, 16: 8}.get(width, 32)


def ways(offsets, itemsize, vector):
    groups = batched(bytes_of_threads(offsets, itemsize, vector), served_together(itemsize * vector))
    return max(len(words) for group in groups for words in words_of_banks(group).values())


@QUICK
@given(accesses())
def test_bank_conflicts_are_those_of_simulated_banks(access):
    layout, itemsize, vector = access
    assert bank_conflicts(layout, itemsize, vector=vector).ways == ways(by_hand.table(layout), itemsize, vector)


@QUICK
@given(accesses())
def test_the_threads_of_a_conflict_want_different_words_of_its_bank(access):
    layout, itemsize, vector = access
    result = bank_conflicts(layout, itemsize, vector=vector)
    accessed = bytes_of_threads(by_hand.table(layout), itemsize, vector)
    together = served_together(itemsize * vector)
    for bank, threads in result.conflicts:
        assert len({thread // together for thread in threads}) == 1
        assert all(any(byte // 4 % 32 == bank for byte in accessed[thread]) for thread in threads)
        assert len(words_of_banks([accessed[thread] for thread in threads])[bank]) > 1
    expected = sum(len(words) > 1 for group in batched(accessed, together) for words in words_of_banks(group).values())
    assert len(result.conflicts) == expected
    assert (result.worst in result.conflicts) == (result.ways > 1)


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (Layout(32, 1), 1),
        (Layout(32, 32), 32),
        (Layout(32, 33), 1),
        (Layout(32, 2), 2),
        (Layout(32, 0), 1),
        (Swizzle(5, 0, 5) @ Layout(32, 32), 1),
        (Swizzle(5, 0, 5) @ Layout(32, 1), 1),
        (Swizzle(3, 0, 5) @ Layout(32, 32), 4),
    ],
    ids=str,
)
def test_known_conflicts_of_floats(layout, expected):
    assert bank_conflicts(layout, 4).ways == expected


def test_threads_of_different_phases_do_not_collide():
    assert bank_conflicts(Layout((2, 32), (1, 2)), 4, vector=2).ways == 1
    assert bank_conflicts(Layout((4, 32), (1, 4)), 4, vector=4).ways == 1
    assert bank_conflicts(Layout(32, 1), 8).ways == 1
    assert bank_conflicts(Layout(32, 1), 16).ways == 1
    assert bank_conflicts(Layout((16, 2), (1, 256)), 8).ways == 1


def test_the_rows_that_a_matrix_instruction_reads_collide_and_a_swizzle_frees_them():
    rows = Layout((8, 8), (1, 64))
    assert str(bank_conflicts(rows, 2, vector=8)) == (
        "8 ways: threads 0, 1, 2, 3, 4, 5, 6, 7 access different words of bank 0"
    )
    assert bank_conflicts(Swizzle(3, 3, 3) @ rows, 2, vector=8) == (1, None, ())


def test_another_machine_has_other_banks():
    assert bank_conflicts(Layout(64, 32), 4, banks=64, threads=64).ways == 32
    assert bank_conflicts(Layout(16, 16), 4, banks=16, threads=16).ways == 16
    assert bank_conflicts(Layout(32, 2), 4, bank_bytes=8).ways == 1


@pytest.mark.parametrize(
    ("layout", "itemsize", "options", "message"),
    [
        (Layout(32), 12, {}, "found 1 elements of 12 bytes"),
        (Layout(32), 4, {"vector": 8}, "found 8 elements of 4 bytes"),
        (Layout(32, 2), 4, {"vector": 2}, r"has the offsets \[0, 2\]; `vector_width` tells"),
        (Layout((2, 4), (1, 3)), 4, {"vector": 2}, r"at coordinate 2 has the offsets \[3, 4\]"),
        (Layout(7), 4, {"vector": 2}, r"offsets \[6\]"),
        (Layout(32), 0, {}, "itemsize is at least 1; found 0"),
        (Layout(32), 4, {"threads": 0}, "threads is at least 1; found 0"),
    ],
)
@pytest.mark.parametrize("measure", [bank_conflicts, coalescing])
def test_what_no_thread_can_access_at_once_is_refused(measure, layout, itemsize, options, message):
    with pytest.raises(LayoutError, match=message):
        measure(layout, itemsize, **options)


@QUICK
@given(accesses(), st.sampled_from([16, 32, 64]), st.sampled_from([1, 4, 16, 32, 256]))
def test_sectors_are_counted_at_the_worst_base(access, sector, alignment):
    layout, itemsize, vector = access
    used = {byte for accessed in bytes_of_threads(by_hand.table(layout), itemsize, vector) for byte in accessed}
    touched = [len({(byte + base) // sector for byte in used}) for base in range(0, sector * alignment, alignment)]
    result = coalescing(layout, itemsize, vector=vector, sector=sector, alignment=alignment)
    assert result.sectors == max(touched)
    assert result.fewest == -(-len(used) // sector)
    assert result.efficiency == len(used) / (max(touched) * sector)


def test_known_transactions():
    assert coalescing(Layout(32, 1), 4) == (4, 4, 1.0)
    assert coalescing(Layout(32, 1), 4, alignment=4) == (5, 4, 0.8)
    assert coalescing(Layout(32, 0), 4) == (1, 1, 0.125)
    assert coalescing(Layout(32, 32), 4) == (32, 4, 0.125)
    assert coalescing(Layout(0), 4) == (0, 0, 1.0)


def fits(offsets, vector):
    """Tell whether each run of so many offsets is consecutive from a multiple on."""
    return len(offsets) % vector == 0 and all(
        start % vector == 0 and offsets[i : i + vector] == list(range(start, start + vector))
        for i, start in enumerate(offsets)
        if i % vector == 0
    )


def widest(offsets, itemsize, alignment, limit):
    """Return the largest power of two that fits, by trying them all."""
    powers = [1 << bit for bit in range(8)]
    allowed = [n for n in powers if n * itemsize <= limit and alignment % (n * itemsize) == 0 and fits(offsets, n)]
    return max(allowed, default=1)


sliding = layouts(shapes(max_size=48, max_depth=3), st.sampled_from([0, 1, 1, 2, 4, 6, 8, 12, 16, 32, -8, 2**70]))


@QUICK
@given(
    sliding | something, st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 8, 12, 256]), st.sampled_from([16, 100])
)
def test_the_vector_width_is_the_widest_that_fits(layout, itemsize, alignment, limit):
    result = vector_width(layout, itemsize, alignment, limit=limit)
    assert result.elements == widest(by_hand.table(layout), itemsize, alignment, limit)


@QUICK
@given(sliding)
def test_the_vector_width_divides_what_is_common_with_a_contiguous_layout(layout):
    common = library.max_common_vector(layout, Layout(layout.size))
    width = vector_width(layout, 1, 1 << 40, limit=1 << 40).elements
    assert common % width == 0
    others = by_hand.pairs(by_hand.coalesced(layout))[1:]
    if all(stride % (common & -common) == 0 for _, stride in others):
        assert width == common & -common


@QUICK
@given(sliding, st.sampled_from([0, 1, 4, 8]), st.integers(0, 3), st.integers(0, 3), st.integers(-4, 4))
def test_a_vector_stays_together_under_a_swizzle(layout, offset, bits, base, shift):
    assume(abs(shift) >= bits)
    composed = ComposedLayout(Swizzle(bits, base, shift), offset, layout)
    offsets = [composed(i) for i in range(layout.size)]
    result = vector_width(composed, 1, 256).elements
    assert result == 1 or fits(offsets, result)


@pytest.mark.parametrize(
    ("layout", "itemsize", "alignment", "text"),
    [
        (Layout(64), 2, 256, "8 at once, not 16: an access has at most 16 bytes"),
        (Layout(64), 2, 8, "4 at once, not 8: the memory is aligned to 8 bytes"),
        (Layout(6), 2, 256, "2 at once, not 4: leaf 6:1 has 6 elements, which is no multiple of 4"),
        (
            Layout((4, 8), (8, 1)),
            2,
            256,
            "1 at once, not 2: the first leaf 4:8 steps by 8 elements, not by 1",
        ),
        (
            Layout((8, 4), (1, 12)),
            2,
            256,
            "4 at once, not 8: leaf 4:12 steps by 12 elements, which is no multiple of 8",
        ),
        (Layout(1), 2, 256, "1 at once, not 2: there is one element"),
        (Layout(64), 12, 256, "1 at once, not 2: elements of 12 bytes are no power of two"),
        (Swizzle(2, 1, 3) @ Layout(64), 2, 256, "2 at once, not 4: S<2,1,3> keeps only runs of 2 elements together"),
        (
            ComposedLayout(Swizzle(0, 0, 0), 4, Layout(64)),
            2,
            256,
            "4 at once, not 8: the offset 4 inside the swizzle is no multiple",
        ),
    ],
)
def test_a_certificate_says_what_is_in_the_way(layout, itemsize, alignment, text):
    assert str(vector_width(layout, itemsize, alignment)) == text


def inside(swizzle, tile):
    """Whether a swizzle permutes the memory that a tile has, holes included."""
    span = range(by_hand.cosize(tile))
    return {by_hand.swizzled(offset, *swizzle) for offset in span} == set(span)


def is_free(swizzle, tile, itemsize, access, vector):
    """Whether no warp has conflicts under a swizzle, and all vectors stay together."""
    table = by_hand.table(tile)
    offsets = [by_hand.swizzled(table[i], *swizzle) for i in by_hand.table(access)]
    return fits(offsets, vector) and all(ways(warp, itemsize, vector) == 1 for warp in batched(offsets, 32 * vector))


def fewest_bits(tile, itemsize, wanted):
    """Return the bits of the smallest swizzle that is free, by trying them all; None if none is."""
    for bits in range(6):
        for base in range(6):
            for shift in range(bits, 8):
                swizzle = bits, base, shift
                if inside(swizzle, tile) and all(is_free(swizzle, tile, itemsize, *access) for access in wanted):
                    return bits
    return None


def column_of(rows, columns):
    """Return (thread) -> coordinate, where the threads go down the columns."""
    return Layout((rows, columns), (1, rows))


def row_of(rows, columns):
    return Layout((columns, rows), (rows, 1))


def test_no_swizzle_is_found_where_none_is_needed():
    assert find_swizzle(Layout((32, 32), (32, 1)), 4, row_of(32, 32)) == Swizzle(0, 0, 0)
    assert find_swizzle(Layout((32, 32), (33, 1)), 4, row_of(32, 32), column_of(32, 32)) == Swizzle(0, 0, 0)
    assert find_swizzle(Layout(64), 4) == Swizzle(0, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tile", "itemsize", "wanted"),
    [
        (Layout((16, 16), (16, 1)), 4, [(column_of(16, 16), 1)]),
        (Layout((16, 16), (16, 1)), 4, [(column_of(16, 16), 1), (row_of(16, 16), 1)]),
        (Layout((32, 32), (32, 1)), 4, [(column_of(32, 32), 1), (row_of(32, 32), 1)]),
        (Layout((8, 64), (64, 1)), 2, [(Layout((8, 8), (8, 1)), 8)]),
        (Layout((16, 32), (32, 1)), 2, [(Layout((8, 16), (16, 1)), 8), (row_of(16, 32), 1)]),
        (Layout((8, 32), (32, 1)), 8, [(column_of(8, 32), 1)]),
        (Layout((16, 24), (24, 1)), 4, [(column_of(16, 24), 1)]),
    ],
    ids=str,
)
def test_the_swizzle_found_is_free_and_none_has_fewer_bits(tile, itemsize, wanted):
    fewest = fewest_bits(tile, itemsize, wanted)
    layouts_of, vectors = zip(*wanted, strict=True)
    if fewest is None:
        with pytest.raises(LayoutError, match="none of the"):
            find_swizzle(tile, itemsize, *layouts_of, vector=vectors)
    else:
        result = find_swizzle(tile, itemsize, *layouts_of, vector=vectors)
        as_numbers = result.bits, result.base, result.shift
        assert inside(as_numbers, tile)
        assert all(is_free(as_numbers, tile, itemsize, *access) for access in wanted)
        assert result.bits == fewest


def test_a_swizzle_that_does_not_exist_is_refused_with_the_best():
    with pytest.raises(
        LayoutError, match=r"the best is S<0,0,0>, which leaves access 0 with 2 ways: threads .* bank 0"
    ):
        find_swizzle(Layout(32, 2), 4)
    with pytest.raises(LayoutError, match="a negative stride"):
        find_swizzle(Layout(32, -1), 4)
    with pytest.raises(LayoutError, match="one vector is needed for each of 1 accesses; found 2"):
        find_swizzle(Layout(32), 4, Layout(32), vector=(1, 2))


@QUICK
@given(something, something)
def test_a_difference_is_where_the_tables_part_or_one_ends(one, other):
    ours, theirs = by_hand.table(one), by_hand.table(other)
    longest = max(len(ours), len(theirs))
    padded = [values + [None] * (longest - len(values)) for values in (ours, theirs)]
    assert diff(one, other) == next(
        ((i, *pair) for i, pair in enumerate(zip(*padded, strict=True)) if len({*pair}) > 1), None
    )


@QUICK
@given(something, st.data())
def test_the_difference_of_layouts_that_begin_alike_is_found(layout, data):
    leaves = by_hand.pairs(layout)
    changed = data.draw(st.integers(0, len(leaves)).map(lambda k: leaves[:k] + leaves[k + 1 :]))
    other = Layout(tuple(extent for extent, _ in changed), tuple(stride for _, stride in changed))
    ours, theirs = by_hand.table(layout), by_hand.table(other)
    first = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    result = diff(layout, other)
    assert result is None if ours == theirs else result.coordinate == first


def test_differences_of_huge_layouts_are_found_at_once():
    assert diff(Layout(2**70), Layout((2**35, 2**35))) is None
    assert diff(Layout(2**70), Layout((2**69, 2), (1, 2**69 + 1))) == (2**69, 2**69, 2**69 + 1)
    assert diff(Layout(2**70), Layout(2**70 - 1)) == (2**70 - 1, 2**70 - 1, None)


def test_layouts_without_elements_differ_from_the_others_at_once():
    assert diff(Layout(0), Layout((3, 0), (5, 7))) is None
    assert diff(Layout(0), Layout(4, 3)) == (0, None, 0)
    assert diff(Layout(1), Layout((), ())) is None
