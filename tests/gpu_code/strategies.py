"""Random copies of every kind: as the planner makes them, and with arbitrary valid plans."""

import math

import numpy as np
from hypothesis import strategies as st

from accel.abc import Fill, Leaf, Plan, Swizzling

from .comparison import Case, End, places

WIDTHS = (1, 2, 4, 8, 16)
# Near the sizes of tiles and of blocks; fewer extents for more loops.
EXTENTS = {
    0: (),
    1: (0, 1, 7, 255, 1024, 3001),
    2: (1, 2, 7, 8, 9, 31, 32, 33, 64, 65, 127, 128, 130),
    3: (2, 3, 8, 17, 32, 33),
    4: (1, 2, 3, 5, 9),
    9: (1, 2, 3),
}
few_blocks = st.sampled_from([1, 2, 3, 1 << 20])
seeds = st.integers(0, 1 << 20)
phases = st.sampled_from([0, 0, 0, 0, 0, 1, 2, 4, 8, 12])
swizzles = st.none() | st.builds(
    lambda bits, base, shift, offset: Swizzling(((1 << bits) - 1) << max(base, base + shift), shift, offset << base),
    bits=st.integers(0, 3),
    base=st.integers(0, 5),
    shift=st.integers(-5, 5).filter(bool),
    offset=st.integers(0, 9),
)


@st.composite
def shapes(draw):
    """Extents of loops."""
    rank = draw(st.sampled_from([2, 3, 4, 9, 1, 0]))
    extents = [draw(st.sampled_from(EXTENTS[rank])) for _ in range(rank)]
    while math.prod(extents) > 20_000:
        extents.pop()
    return extents


@st.composite
def strides_apart(draw, shape, unit):
    """Strides with which no two items share bytes: a permutation of the axes, with gaps."""
    strides, covered = [0] * len(shape), unit
    for axis in draw(st.permutations(range(len(shape)))):
        gap = draw(st.sampled_from([0, 0, 0, 1, 3])) * unit
        strides[axis] = covered + gap
        covered = strides[axis] * max(shape[axis], 1)
    return strides


@st.composite
def any_strides(draw, shape, unit):
    """Strides with which items may share bytes; strides may be negative."""
    return [draw(st.integers(-3, 40)) * draw(st.sampled_from([1, unit])) for _ in shape]


def plan_of(itemsize, shape, target, source, starts, bits):
    """Return a copy like the planner's: loops in the order of the target, and the kind that fits."""
    leaves = sorted(map(Leaf, shape, target, source), key=lambda leaf: -leaf.target_stride)
    kind, tile = _kind(leaves, itemsize)
    return Plan(tuple(leaves), itemsize, kind, starts[0] * itemsize, starts[1] * itemsize, tile, index_bits=bits)


def _kind(leaves, size):
    if not leaves:
        return "memcpy", None
    if leaves[-1][1:] == (size, size):
        return ("memcpy" if len(leaves) == 1 else "rows"), None
    others = [i for i, leaf in enumerate(leaves[:-1]) if leaf.source_stride == size]
    if leaves[-1].target_stride == size and others:
        return "transpose", (len(leaves) - 1, others[0])
    return "gather", None


@st.composite
def plans(draw):
    """Copies whose source has its loops in any order."""
    itemsize = draw(st.sampled_from(WIDTHS))
    shape = draw(shapes())
    source = strides_apart(shape, itemsize) | any_strides(shape, itemsize)
    starts = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    bits = draw(st.sampled_from([32, 64]))
    return plan_of(itemsize, shape, draw(strides_apart(shape, itemsize)), draw(source), starts, bits)


@st.composite
def special_plans(draw):
    """Copies in which each end has a contiguous loop: the same one (rows), or different ones (transposes)."""
    itemsize = draw(st.sampled_from(WIDTHS))
    shape = [draw(st.sampled_from((2, 3, *EXTENTS[2][2:]))) for _ in range(2)]
    shape += draw(st.sampled_from([[], [2], [3, 2]]))
    target, source = (
        _with_gaps(shape, order, itemsize, draw(st.sampled_from([0, 1, 2, 4]))) for order in _orders(draw, len(shape))
    )
    return plan_of(itemsize, shape, target, source, (0, 0), draw(st.sampled_from([32, 64])))


@st.composite
def narrow_plans(draw):
    """Copies from one order of a few short axes and a longer one to another, perhaps with gaps."""
    itemsize = draw(st.sampled_from(WIDTHS))
    shape = [draw(st.sampled_from((2, 3, 4, 5, 7, 12, 20, 31))) for _ in range(draw(st.integers(1, 4)))]
    shape.append(draw(st.sampled_from((40, 97, 300))))
    while math.prod(shape) > 20_000:
        shape.pop(0)
    gaps = st.sampled_from([0, 0, 0, 1, 4])
    axes = range(len(shape))
    target, source = (_with_gaps(shape, draw(st.permutations(axes)), itemsize, draw(gaps)) for _ in range(2))
    return plan_of(itemsize, shape, target, source, (0, 0), draw(st.sampled_from([32, 64])))


@st.composite
def long_rows(draw):
    """Copies of rows of some hundred bytes, which start anywhere."""
    itemsize = draw(st.sampled_from(WIDTHS))
    shape = [draw(st.integers(512, 3000)) // itemsize, *draw(st.sampled_from([[], [3], [2, 2]]))]
    target, source = (_with_gaps(shape, range(len(shape)), itemsize, draw(st.integers(0, 9))) for _ in range(2))
    starts = draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))
    return plan_of(itemsize, shape, target, source, starts, draw(st.sampled_from([32, 64])))


def _orders(draw, rank):
    """Return the order of the axes at the target and at the source, the fastest first."""
    first = draw(st.sampled_from([1, 1, 0]))
    others = [i for i in range(rank) if i not in {0, first}]
    return [0, *([1] if first else []), *others], [first, *([0] if first else []), *others]


def _with_gaps(shape, order, itemsize, gap):
    """Return strides; the smallest is contiguous, and the next may have a gap of some items."""
    strides, covered = [0] * len(shape), itemsize
    for place, axis in enumerate(order):
        strides[axis] = covered + (gap * itemsize if place == 1 else 0)
        covered = strides[axis] * shape[axis]
    return strides


def aligned(plan, target, source):
    """Return a plan with the maximal width of its accesses."""
    run = plan.itemsize
    leaves = list(plan.leaves)
    if plan.kind in {"memcpy", "rows"} and leaves:
        run *= leaves.pop().extent
    steps = [step for _, *both in leaves for step in both]
    starts = (target.phase + plan.target_start, source.phase + plan.source_start)
    mixed = [number for end in (target, source) if end.swizzle for number in moved(end.swizzle)]
    vector = math.gcd(16, run, *steps, *starts, *mixed)
    return plan._replace(vector=vector)


def moved(swizzle):
    """Return the offset that a swizzle adds to a distance, and the bits that it may change."""
    mask, shift, offset = swizzle
    return offset, mask >> shift if shift >= 0 else mask << -shift


@st.composite
def copies(draw):
    """Copies without masks."""
    ends = (End(phase=draw(phases)), End(phase=draw(phases)))
    plan = draw(st.one_of(plans(), special_plans(), special_plans(), narrow_plans(), long_rows()))
    return Case(aligned(plan, *ends), *ends, draw(few_blocks), draw(seeds))


@st.composite
def gathers(draw):
    """Copies that may be masked, swizzled, and have negative strides at both ends."""
    plan = draw(plans())._replace(kind="gather", tile=None, fill=draw(st.sampled_from(Fill)))
    leaves = [
        leaf._replace(target_stride=leaf.target_stride * draw(st.sampled_from([1, 1, -1]))) for leaf in plan.leaves
    ]
    plan = plan._replace(leaves=tuple(draw(st.permutations(leaves))))
    ends = [End(draw(swizzles), phase=draw(phases)) for _ in range(2)]
    into = places(plan, ends[0], plan.target_start, plan.target_strides)[1]
    if clash(into, plan.itemsize):
        ends[0] = ends[0]._replace(swizzle=None)
    before = places(plan, ends[1], plan.source_start, plan.source_strides)[0]
    low, high = (int(before.min()), int(before.max())) if before.size else (0, 0)
    plan = plan._replace(bound=draw(st.none() | st.integers(low, high + 1)))
    return Case(aligned(plan, *ends), *ends, draw(few_blocks), draw(seeds))


@st.composite
def tables(draw):
    """Copies with tables at one end or at both."""
    itemsize = draw(st.sampled_from(WIDTHS))
    size = draw(st.sampled_from([0, 1, 7, 300, 1100]))
    order = np.random.default_rng(draw(seeds))
    into = End(table=order.permutation(2 * size).astype(np.int64)[:size] - draw(st.integers(0, 9)), phase=draw(phases))
    out_of = End(table=order.integers(-9, size + 9, size), phase=draw(phases))
    which = draw(st.integers(0, 2))
    ends = (into if which != 1 else End(draw(st.none()), phase=into.phase), out_of if which != 0 else End(phase=3))
    leaf = Leaf(size, itemsize * draw(st.integers(1, 3)), itemsize * draw(st.integers(-2, 3)))
    plan = Plan((leaf,), itemsize, "table", itemsize * draw(st.integers(0, 3)), itemsize * draw(st.integers(0, 3)))
    bound = draw(st.none() | st.integers(-9, size + 9))
    plan = plan._replace(bound=None if bound is None else bound * itemsize, fill=draw(st.sampled_from(Fill)))
    return Case(aligned(plan, *ends), *ends, draw(few_blocks), draw(seeds))


@st.composite
def fills(draw):
    """Fills: an item size, extents, strides, and an end with its phase and perhaps a table."""
    itemsize = draw(st.sampled_from(WIDTHS))
    shape = draw(shapes())
    strides = [stride * draw(st.sampled_from([1, 1, -1])) for stride in draw(strides_apart(shape, itemsize))]
    plan = Plan(tuple(map(Leaf, shape, strides, strides)), itemsize, index_bits=draw(st.sampled_from([32, 64])))
    end = End(draw(swizzles), phase=draw(phases))
    if clash(places(plan, end, 0, strides)[1], itemsize):
        end = end._replace(swizzle=None)
    if draw(st.sampled_from([False, False, True])):
        end = end._replace(swizzle=None, table=np.random.default_rng(draw(seeds)).permutation(700)[:300] - 9)
    return plan, end


def clash(positions, itemsize):
    """Tell whether two items share bytes."""
    return positions.size > 1 and bool(np.diff(np.sort(positions)).min() < itemsize)
