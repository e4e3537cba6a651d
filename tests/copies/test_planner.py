"""Plans visit the right pairs in few loops, and refuse a target that names a byte twice."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.abc import Block, Operand, Span
from accel.copies import plan
from accel.copies.injectivity import names_twice
from accel.dtypes import as_dtype
from accel.errors import LayoutError, OverlapError

from .model import QUICK, any_leaves, distinct_leaves, sizes

SPAN = Span(Block(0, 1 << 20, None), 0, 1 << 20)


def operand(extents, strides, dtype="float32"):
    return Operand(SPAN, 0, as_dtype(dtype), tuple(extents), tuple(strides))


def of_leaves(leaves):
    """Return an operand of leaves in elements, the fastest first."""
    return operand([extent for extent, _ in leaves[::-1]], [4 * stride for _, stride in leaves[::-1]])


def walked(extents, *strides):
    """Return the offsets that loops visit, the last loop the fastest."""
    steps = list(product(*map(range, extents)))
    return [tuple(sum(map(int.__mul__, step, along)) for along in strides) for step in steps]


def bytes_paired(found):
    """Return each byte of the target that a plan writes, with the byte of the source that is copied there."""
    items = walked(found.extents, found.target_strides, found.source_strides)
    starts = found.target_start, found.source_start
    return sorted(
        (into + starts[0] + i, out_of + starts[1] + i) for into, out_of in items for i in range(found.itemsize)
    )


def pairs(target, source):
    return list(zip(walked(target.extents, target.strides), walked(source.extents, source.strides), strict=True))


@QUICK
@given(st.data(), sizes)
def test_a_plan_walks_each_pair_once(data, size):
    target, source = of_leaves(data.draw(distinct_leaves(size))), of_leaves(data.draw(any_leaves(size)))
    try:
        result = plan(target, source)
    except LayoutError:
        return
    expected = [(into + i, out_of + i) for (into,), (out_of,) in pairs(target, source) for i in range(4)]
    assert bytes_paired(result) == sorted(expected)


@QUICK
@given(st.data(), sizes)
def test_there_is_a_plan_where_the_extents_agree(data, size):
    leaves = data.draw(distinct_leaves(size))
    source = tuple((extent, data.draw(st.integers(-9, 9))) for extent, _ in leaves)
    assert len(plan(of_leaves(leaves), of_leaves(source)).leaves) <= len([n for n, _ in leaves if n != 1])


@QUICK
@given(st.data(), sizes)
def test_one_loop_is_refined_by_any_other(data, size):
    leaves = data.draw(distinct_leaves(size))
    assert plan(operand((size,), (4,)), of_leaves(leaves)) is not None
    assert plan(of_leaves(leaves), operand((size,), (0,))) is not None


@pytest.mark.parametrize(
    ("target", "source", "text"),
    [
        (((4, 6), (24, 4)), ((24,), (4,)), "memcpy, 4 bytes each: 24 x (4 <- 4)"),
        (((4, 6), (4, 16)), ((4, 6), (4, 16)), "memcpy, 4 bytes each: 24 x (4 <- 4)"),
        (((4, 6), (24, 4)), ((4, 6), (40, 4)), "rows, 4 bytes each: 4 x (24 <- 40), 6 x (4 <- 4)"),
        (((2, 2, 6), (48, 24, 4)), ((4, 6), (40, 4)), "rows, 4 bytes each: 4 x (24 <- 40), 6 x (4 <- 4)"),
        (((4, 6), (24, 4)), ((4, 6), (4, 16)), "transpose, 4 bytes each: 4 x (24 <- 4), 6 x (4 <- 16)"),
        (((8,), (4,)), ((2, 4), (0, 4)), "gather, 16 bytes each: 2 x (16 <- 0)"),
        (((5,), (4,)), ((5,), (-4,)), "gather, 4 bytes each: 5 x (4 <- -4)"),
        (((1, 1), (0, 99)), ((), ()), "memcpy, 4 bytes each: one item"),
        (((0, 3), (4, 4)), ((3, 0), (4, 4)), "memcpy, 4 bytes each: 0 x (0 <- 0)"),
    ],
)
def test_a_plan_is_of_few_loops_and_says_which(target, source, text):
    assert str(plan(operand(*target), operand(*source))) == text


def test_extents_without_a_common_refinement_have_no_plan():
    with pytest.raises(LayoutError, match="no common refinement"):
        plan(operand((2, 3), (4, 8)), operand((3, 2), (4, 100)))


def test_sizes_must_be_equal():
    with pytest.raises(ValueError, match="different sizes"):
        plan(operand((0,), (4,)), operand((3,), (4,)))


@QUICK
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-12, 12)), max_size=4))
def test_repeats_are_found_exactly(leaves):
    offsets = walked([extent for extent, _ in leaves], [stride for _, stride in leaves])
    assert names_twice(tuple(leaves)) == (len(set(offsets)) < len(offsets))


@QUICK
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-14, 14)), max_size=3))
def test_a_target_may_not_name_a_byte_twice(leaves):
    extents, strides = [extent for extent, _ in leaves], [stride for _, stride in leaves]
    touched = [first + i for (first,) in walked(extents, strides) for i in range(4)]
    target = operand(extents, strides)
    if len(set(touched)) == len(touched):
        assert plan(target, target).itemsize == 4
    else:
        with pytest.raises(OverlapError, match="names an element twice"):
            plan(target, target)


@pytest.mark.parametrize(
    ("leaves", "twice"),
    [
        (((10**9, 1), (10**9, 10**9)), False),
        (((10**9, 1), (10**9, 10**9 - 1)), True),
        (((10**6, 10**6), (10**6, 10**6 + 1)), False),
        (((10**6 + 2, 10**6), (10**6 + 2, 10**6 + 1)), True),
        (((2, 3**9), *((2, 3**n) for n in range(9)), (2, 1 - 3**10)), False),
        (tuple((2, 1000 + n * n) for n in range(16)), True),
    ],
)
def test_repeats_are_found_among_more_elements_than_could_be_counted(leaves, twice):
    assert names_twice(leaves) is twice
