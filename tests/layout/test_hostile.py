"""Input that is nested too deep, has too many parts or is too large for a table raises at once."""

import copy
import pickle
import sys
from contextlib import suppress
from functools import reduce
from types import SimpleNamespace

import pytest

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import ComposedLayout, Layout, Swizzle, _, int_tuple
from accel.layout.int_tuple import DEEPEST, MOST


def nested(levels, leaf=2):
    """Return a tuple of one in a tuple of one, so many times; 2 and 1 in turn are its leaves at each level."""
    return reduce(lambda inner, _level: (inner, 1), range(levels), leaf)


def doubled(levels, leaf=()):
    """Return a tuple that contains another tuple twice, which contains another twice, and so on."""
    return reduce(lambda inner, _level: (inner, inner), range(levels), leaf)


TAKEN = {
    "bank_conflicts": lambda x: library.bank_conflicts(x, 4),
    "blocked_product": lambda x: library.blocked_product(x, x),
    "coalesce": library.coalesce,
    "coalesce by a profile": lambda x: library.coalesce(Layout((2, 2)), x),
    "coalescing": lambda x: library.coalescing(x, 4),
    "col_major": library.col_major,
    "complement": library.complement,
    "complement in a shape": lambda x: library.complement(Layout(2), x),
    "composition": lambda x: library.composition(x, 2),
    "composition with it": lambda x: library.composition(Layout(2), x),
    "composition by mode": lambda x: library.composition(Layout(2), (x, None)),
    "ComposedLayout": lambda x: ComposedLayout(Swizzle(1, 0, 1), 0, x),
    "cosize": library.cosize,
    "crd2crd": lambda x: library.crd2crd(0, x, x),
    "crd2crd of it": lambda x: library.crd2crd(x, (2, 2), 4),
    "crd2idx": lambda x: library.crd2idx(0, x),
    "crd2idx of it": lambda x: library.crd2idx(x, (2, 2)),
    "depth": library.depth,
    "dice": lambda x: library.dice(x, 0),
    "dice at it": lambda x: library.dice((2, 2), x),
    "diff": lambda x: library.diff(x, 2),
    "downcast": lambda x: library.downcast(x, 1),
    "equivalent": lambda x: library.equivalent(x, 2),
    "explain": lambda x: library.explain("composition", x, 2),
    "filter": library.filter,
    "filter_zeros": library.filter_zeros,
    "find_swizzle": lambda x: library.find_swizzle(x, 4),
    "flat_divide": lambda x: library.flat_divide(x, 2),
    "flat_divide by it": lambda x: library.flat_divide(Layout((2, 2)), x),
    "flat_product": lambda x: library.flat_product(x, 2),
    "flatten": library.flatten,
    "from_strides": lambda x: Layout.from_strides(x, x, 1),
    "idx2crd": lambda x: library.idx2crd(0, x),
    "Layout": Layout,
    "Layout and its strides": lambda x: Layout(x, x),
    "Layout called": Layout((2, 2)),
    "Layout sliced": lambda x: Layout((2, 2))[x],
    "left_inverse": library.left_inverse,
    "local_partition": lambda x: library.local_partition(x, 2, 0),
    "local_partition of it": lambda x: library.local_partition(Layout(2), x, 0),
    "local_tile": lambda x: library.local_tile(x, (2,), (0,)),
    "local_tile of it": lambda x: library.local_tile(Layout(2), x, 0),
    "local_tile at it": lambda x: library.local_tile(Layout(2), (2,), x),
    "logical_divide": lambda x: library.logical_divide(x, 2),
    "logical_product": lambda x: library.logical_product(x, 2),
    "make_layout_tv": lambda x: library.make_layout_tv(x, 2),
    "make_ordered_layout": library.make_ordered_layout,
    "make_ordered_layout by it": lambda x: library.make_ordered_layout((2, 2), x),
    "max_common_layout": lambda x: library.max_common_layout(x, x),
    "max_common_vector": lambda x: library.max_common_vector(x, x),
    "mode": lambda x: library.mode(x, 0),
    "nullspace": library.nullspace,
    "offsets": library.offsets,
    "ordered": library.ordered,
    "overhang": lambda x: library.overhang(x, 2),
    "Picture": lambda x: library.Picture(SimpleNamespace(shape=x, stride=x)).svg(),
    "raked_product": lambda x: library.raked_product(x, x),
    "rank": library.rank,
    "recast": lambda x: library.recast(x, 8, 8),
    "right_inverse": library.right_inverse,
    "row_major": library.row_major,
    "size": library.size,
    "slice_layout": lambda x: library.slice_layout(x, _),
    "tile_to_shape": lambda x: library.tile_to_shape(2, x),
    "tile_to_shape by it": lambda x: library.tile_to_shape(x, (2, 2)),
    "tiled_divide": lambda x: library.tiled_divide(x, 2),
    "tiled_product": lambda x: library.tiled_product(x, 2),
    "upcast": lambda x: library.upcast(x, 1),
    "vector_width": lambda x: library.vector_width(x, 4, 16),
    "zipped_divide": lambda x: library.zipped_divide(x, 2),
    "zipped_product": lambda x: library.zipped_product(x, 2),
}
"""What takes nested tuples, by name."""


def test_no_function_is_forgotten():
    functions = {name for name in library.__all__ if callable(getattr(library, name)) and name.islower()}
    assert functions - {"parse_tiler"} <= {name.partition(" ")[0] for name in TAKEN}


@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("levels", [DEEPEST + 1, 900, 100_000])
def test_tuples_nested_too_deep_are_a_layout_error(take, levels):
    deep = nested(levels)  # built here, because pytest would need its repr to name the test
    with pytest.raises(LayoutError, match=f"more than {DEEPEST} deep"):
        take(deep)


@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("leaf", [(), 2])
def test_tuples_of_too_many_parts_are_a_layout_error(take, leaf, monkeypatch):
    monkeypatch.setattr(int_tuple, "MOST", 1000)
    with pytest.raises(LayoutError, match="more than 1,000 parts"):
        take(doubled(80, leaf))


def test_many_parts_are_not_too_many():
    assert Layout((2,) * MOST).size == 2**MOST
    for vast in ((2,) * (MOST + 1), ((2,) * MOST,)):
        with pytest.raises(LayoutError, match=f"more than {MOST:,} parts"):
            Layout(vast)


@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST - 1])
def test_tuples_as_deep_as_is_allowed_have_an_answer_or_a_layout_error(take, levels):
    with suppress(LayoutError):
        take(nested(levels))


def test_lists_are_as_deep_as_tuples():
    for take in (Layout, library.row_major, lambda x: library.crd2idx(x, 2), lambda x: Layout(2)[x]):
        with pytest.raises(LayoutError, match=f"more than {DEEPEST} deep"):
            take([nested(900)])


@pytest.mark.parametrize("take", [library.size, library.offsets, library.Picture, Layout])
def test_what_is_no_layout_is_told_in_short(take):
    deep = nested(100_000, None)
    with pytest.raises((TypeError, LayoutError)) as caught:
        take([deep])
    assert len(str(caught.value)) < 200


def test_text_is_as_deep_as_tuples():
    assert Layout.parse("(" * DEEPEST + "2" + ")" * DEEPEST).depth == DEEPEST
    for text in ("(" * (DEEPEST + 1) + "2" + ")" * (DEEPEST + 1), "(" * 100_000):
        with pytest.raises(LayoutError, match=f"brackets nested at most {DEEPEST} deep"):
            Layout.parse(text)
        with pytest.raises(LayoutError, match=f"brackets nested at most {DEEPEST} deep"):
            library.parse_tiler(f"<{text}>")


GROWING = {
    "products": lambda x: library.logical_product(x, 2),
    "slices": lambda x: x[_][0],
    "compositions": lambda x: Layout((2 * x.leaves[-1][1], 2**300), (1, 4 * x.leaves[-1][1])) @ x,
}


@pytest.mark.parametrize("grow", GROWING.values(), ids=GROWING)
def test_operations_do_not_nest_deeper_than_is_allowed(grow):
    layout = Layout(2**200)
    for _time in range(DEEPEST):
        with suppress(LayoutError):
            layout = grow(layout)
    assert Layout.parse(str(layout)) == layout
    assert layout.depth == DEEPEST
    with pytest.raises(LayoutError, match=f"more than {DEEPEST} deep"):
        grow(layout)


def test_the_deepest_layout_is_copied_and_pickled():
    layout = Layout(nested(DEEPEST))
    assert layout.depth == DEEPEST
    for twin in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout)):
        assert twin == layout


def test_the_deepest_layout_leaves_a_caller_most_of_the_stack():
    def called(depth):
        if depth:
            return called(depth - 1)
        layout = Layout(nested(DEEPEST))
        assert library.zipped_divide(layout, Layout(2)).size == layout.size
        return Layout.parse(str(layout)) == layout

    assert called(sys.getrecursionlimit() // 4)


@pytest.mark.parametrize("size", [2**27 + 1, 2**31, 2**40, 2**63])
@pytest.mark.parametrize("swizzle", [None, Swizzle(3, 0, 3)])
def test_a_table_of_more_than_a_gibibyte_is_refused(size, swizzle):
    layout = Layout((2, size // 2 + 1), (size // 2 + 1, 1))
    with pytest.raises(LayoutError, match=f"{layout.size} offsets, and a table at most {2**27}|into 64 bits"):
        library.offsets(layout if swizzle is None else swizzle @ layout)


@pytest.mark.parametrize(
    "bits", [(2**16 + 1, 0, 2**17), (1, 2**16, 1), (1, 0, 2**16), (1, 0, -(10**11)), (10**12,) * 3]
)
def test_a_swizzle_of_bits_that_no_offset_has_is_refused(bits):
    with pytest.raises(LayoutError, match="within the first 65,536"):
        Swizzle(*bits)


def test_the_widest_swizzle_swizzles():
    swizzle = Swizzle(2**15, 0, 2**15)
    assert swizzle(1 << 2**15) == (1 << 2**15) + 1
    assert Swizzle(1, 0, 1 - 2**16)(1) == (1 << 2**16 - 1) + 1


def test_many_leaves_are_ordered_in_no_time():
    layout = library.make_ordered_layout((2,) * 30_000, tuple(range(30_000, 0, -1)))
    assert layout.stride[::-1] == Layout((2,) * 30_000).stride


def test_an_error_shows_the_beginning_of_a_long_text():
    with pytest.raises(LayoutError, match="at most 1000 digits at position 0") as caught:
        Layout.parse("9" * 1_000_000 + ":1")
    assert len(str(caught.value)) < 600


def test_an_access_that_no_thread_can_make_is_refused_before_its_offsets_are_listed():
    with pytest.raises(LayoutError, match="found 1 elements of 32 bytes"):
        library.find_swizzle(Layout((1 << 20, 1 << 20)), 32)
