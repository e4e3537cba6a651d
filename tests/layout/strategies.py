"""Strategies for the layouts on which the laws are tested."""

from itertools import accumulate
from operator import mul

from hypothesis import settings
from hypothesis import strategies as st

from accel.layout import Layout, _
from accel.testing import compact_layouts, layouts, shapes

from .definitions import coalesced, pairs, size

QUICK = settings(max_examples=100, deadline=None, database=None)
MANY = settings(QUICK, max_examples=250)
HUGE = st.sampled_from([2**31 + 1, -(2**31), 2**63 + 3, -(2**64), 2**100])
SMALL = shapes(max_size=48, max_depth=4)

anything = layouts(shapes(min_extent=0, max_depth=4), st.integers(-64, 64) | HUGE)
"""Zero and one extents, zero, negative and huge strides, four levels."""

something = layouts(SMALL, st.integers(-40, 40) | HUGE)
"""The same without zero extents."""

positive = layouts(SMALL, st.integers(0, 24))

meeting = layouts(SMALL, st.sampled_from([1, 2, 3, 4, 6, 8, 12]))
"""Strides that mostly divide one another, so that leaves meet or overlap."""

compact = compact_layouts(SMALL)


@st.composite
def spaced(draw):
    """Return a compact layout whose strides are multiplied by a factor that grows with them."""
    layout = draw(compact)
    strides = [stride for _extent, stride in pairs(layout)]
    gaps, gap = {}, draw(st.integers(1, 3))
    for stride in sorted(set(strides)):
        gaps[stride] = gap
        gap *= draw(st.integers(1, 2))
    return restrided(layout, [stride * gaps[stride] for stride in strides])


def restrided(layout, strides):
    """Return the layout with other strides at its leaves."""
    following = iter(strides)

    def like(tree):
        return tuple(map(like, tree)) if isinstance(tree, tuple) else next(following)

    return Layout(layout.shape, like(layout.shape))


@st.composite
def composable(draw):
    """Return two layouts that often compose: the strides of the second fit the leaves of the first."""
    first = draw(compact | positive | something)
    steps = list(accumulate((extent for extent, _ in pairs(coalesced(first))), mul, initial=1))
    second = draw(layouts(shapes(max_size=24), st.sampled_from(steps) | st.integers(0, 4)))
    return first, second


@st.composite
def past_the_end(draw):
    """Return two layouts with many extents of 1, of which the second mostly leaves the first."""
    first = draw(layouts(shapes(max_extent=3, max_size=12), st.integers(0, 9)))
    steps = list(accumulate((extent for extent, _ in pairs(first)), mul, initial=1))
    second = draw(layouts(shapes(max_extent=3, max_size=12), st.sampled_from(steps) | st.integers(0, 3)))
    return first, second


@st.composite
def free_coordinates(draw, shape):
    """Return a coordinate of a shape, some parts of which are free."""
    choices = [st.just(_), st.integers(0, size(Layout(shape)) - 1)]
    if isinstance(shape, tuple):
        choices.append(st.tuples(*map(free_coordinates, shape)))
    return draw(st.one_of(choices))
