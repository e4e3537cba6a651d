"""The offset range of swizzled elements is exact, and only few of them are enumerated."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.abc import Swizzling
from accel.copies import offset_ranges
from accel.copies.offset_ranges import swizzled_offset_range, whole_runs
from accel.errors import BoundsError, LayoutError

MANY = settings(max_examples=300, deadline=None, database=None)
leaves_of_few = st.lists(st.tuples(st.integers(0, 6), st.integers(-40, 40)), max_size=3).map(tuple)


@st.composite
def swizzlings(draw):
    """Return swizzles of up to three bits, shifted up or down, with an offset."""
    bits, base = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    shift = draw(st.integers(bits, 6)) * draw(st.sampled_from([-1, 1]))
    mask = ((1 << bits) - 1) << (base + max(shift, 0))
    return Swizzling(mask, shift, draw(st.integers(-100, 100) | st.sampled_from([2**62, -(2**70)])))


def counted(leaves, swizzle):
    """Return the offsets of all elements, by enumeration."""
    sums = [sum(steps) for steps in product(*[[i * stride for i in range(extent)] for extent, stride in leaves])]
    return [swizzle(distance) for distance in sums]


@MANY
@given(leaves_of_few, swizzlings())
def test_the_ends_are_those_of_the_table(leaves, swizzle):
    result = counted(leaves, swizzle)
    expected = (len(result), min(result), max(result)) if result else (0, 0, 0)
    assert swizzled_offset_range.__wrapped__(leaves, swizzle, 0) == expected
    size, low, high = whole_runs(leaves, swizzle)
    assert size == len(result)
    assert all(low <= distance <= high for distance in result)


@MANY
@given(st.integers(-(2**80), 2**80), swizzlings())
def test_a_distance_stays_within_its_run(distance, swizzle):
    result = Swizzling(swizzle.mask, swizzle.shift)(distance)
    assert result // swizzle.run == distance // swizzle.run


HOSTILE = {
    "one long leaf": ((2**60, 1),),
    "many short ones": tuple((2, 3**k) for k in range(40)),
    "two that overlap": ((2**40, 3), (2**40, 5)),
    "backwards": ((2**50, -1), (2**50, 7)),
}


@pytest.mark.parametrize("leaves", HOSTILE.values(), ids=HOSTILE)
def test_more_elements_than_there_may_be_are_not_counted_out(leaves, monkeypatch):
    monkeypatch.setattr(offset_ranges, "_MANY", 1 << 16)  # far fewer than this are enumerated
    with pytest.raises(BoundsError, match=r"more than 1024 .*required, and 1024 available"):
        swizzled_offset_range(leaves, Swizzling(7 << 55, 3), 1024)


@pytest.mark.parametrize("leaves", HOSTILE.values(), ids=HOSTILE)
def test_of_far_elements_no_more_than_a_bound_are_counted_out(leaves, monkeypatch):
    monkeypatch.setattr(offset_ranges, "_MANY", 1 << 16)
    with pytest.raises(LayoutError, match=r"exchanges elements .* apart, and more than 65536"):
        swizzled_offset_range(leaves, Swizzling(7 << 55, 3), 2**60)


@pytest.mark.parametrize("leaves", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("swizzle", [Swizzling(56, 3), Swizzling(7, -3, 5), Swizzling(7 << 58, 55, 1)])
def test_of_near_elements_only_those_at_the_ends_are_counted_out(leaves, swizzle, monkeypatch):
    monkeypatch.setattr(offset_ranges, "_MANY", 1 << 12)
    size, low, high = swizzled_offset_range(leaves, swizzle, 2**62)
    plain = offset_ranges.offset_range(leaves)
    assert size == plain.size
    assert abs(low - plain.low - swizzle.offset) < swizzle.run
    assert abs(high - plain.high - swizzle.offset) < swizzle.run
