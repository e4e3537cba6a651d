"""tensor-layouts, another implementation, agrees except where it is known to be wrong.

It has no 1-tuples and no complements of negative strides, and is compared on flat layouts without either.
"""

import pytest
import tensor_layouts as oracle
from hypothesis import assume, given
from hypothesis import strategies as st

from accel import layout as library
from accel.errors import LayoutError
from accel.layout import Layout
from accel.testing import compact_layouts, layouts, shapes

from . import definitions as by_hand
from .strategies import QUICK

FLAT = shapes(max_depth=1, max_size=64).filter(lambda shape: shape not in [(extent,) for extent in range(7)])
flat = layouts(FLAT, st.integers(0, 32)) | compact_layouts(FLAT)


def theirs(layout):
    return oracle.Layout(layout.shape, layout.stride)


def values(layout):
    return [layout(i) for i in range(oracle.size(layout))]


def answer(operation, *arguments):
    """Return the result of the oracle; None if it raises."""
    try:
        return operation(*arguments)
    except oracle.LayoutError:
        return None


@QUICK
@given(flat)
def test_calls_agree(layout):
    assert values(theirs(layout)) == by_hand.table(layout)
    assert oracle.cosize(theirs(layout)) == layout.cosize


@QUICK
@given(flat)
def test_coalesce_agrees(layout):
    result = oracle.coalesce(theirs(layout))
    ours = library.coalesce(layout)
    assert list(zip(by_hand.leaves(result.shape), by_hand.leaves(result.stride), strict=True)) == by_hand.pairs(ours)


@QUICK
@given(flat, flat)
def test_compositions_agree_where_there_is_one(a, b):
    assume(max(by_hand.table(b)) < a.size)
    assume(by_hand.representable(a, b))
    result = answer(oracle.compose, theirs(a), theirs(b))
    # It raises for some complements that exist: strides that only later leaves divide.
    assert result is None or values(result) == by_hand.table(library.composition(a, b))


@QUICK
@given(flat, st.integers(1, 128))
def test_complements_agree_where_there_is_one(layout, target):
    assume(by_hand.complement_table(layout, target) is not None)
    assert values(oracle.complement(theirs(layout), target)) == by_hand.table(library.complement(layout, target))


@QUICK
@given(compact_layouts(FLAT), st.data())
def test_divides_agree(layout, data):
    extent = by_hand.coalesced(layout).shape[0]
    tile = data.draw(st.sampled_from([width for width in range(1, extent + 1) if extent % width == 0]))
    result = oracle.logical_divide(theirs(layout), oracle.Layout(tile, 1))
    assert values(result) == by_hand.table(library.logical_divide(layout, Layout(tile, 1)))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        pytest.param(oracle.compose, library.composition, id="it does not see a carry"),
        pytest.param(oracle.logical_divide, library.logical_divide, id="nor in a divide"),
    ],
)
def test_known_wrong_compositions_are_refused_here(theirs, ours):
    a, b = Layout((6, 2), (1, 7)), Layout((3, 2), (2, 3))
    assert not by_hand.representable(a, b)
    assert answer(theirs, oracle.Layout(a.shape, a.stride), oracle.Layout(b.shape, b.stride)) is not None
    with pytest.raises(LayoutError):
        ours(a, b)


@pytest.mark.parametrize("stride", [(1, 4), (1, 1), (2, 3)])
def test_known_wrong_complements_of_layouts_that_overlap_are_refused_here(stride):
    layout = Layout((3, 2), stride)
    assert by_hand.complement_table(layout, 24) is None
    assert answer(oracle.complement, theirs(layout), 24) is not None
    with pytest.raises(LayoutError):
        library.complement(layout, 24)


def test_a_known_wrong_upcast_that_rounds_up_is_refused_here():
    layout = Layout((6, 4))
    result = oracle.upcast(theirs(layout), 4)
    assert 4 * oracle.size(result) > layout.size
    with pytest.raises(LayoutError):
        library.upcast(layout, 4)
