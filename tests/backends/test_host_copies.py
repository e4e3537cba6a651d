"""The host copies exactly what a plan says, by NumPy and by every kernel, and writes nothing else."""

import math

import numpy as np
import pytest
from accel.backends.common import compiled, host_copies, thresholds, tiles
from accel.backends.common.loop_order import in_order
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import accel
from accel.abc import Fill, Leaf, Operand, Plan, Swizzling
from accel.copies import plan
from accel.errors import BoundsError, ReadOnlyError
from accel.testing.blocks import host_span, random_bytes
from accel.testing.plans import carry_out, set_all

from ..profiles import slow
from .copied_arrays import ITEMSIZES, arrays, compare, operand_of

TURNED = (1, 2, 4, 8, 16)
BYTE = np.dtype("uint8")
many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=[1, 2, 5], ids="{} threads".format)
def kernels(request, monkeypatch):
    """All copies by kernels if there is one, in the smallest possible pieces, with 1 or more threads."""
    monkeypatch.setattr(thresholds, "SMALL", 0)
    monkeypatch.setattr(thresholds, "AT_ONCE", 0)
    monkeypatch.setattr(thresholds, "SHARED", 0)
    monkeypatch.setattr(thresholds, "PIECE", 1)
    with accel.using(threads=request.param):
        yield


@pytest.fixture(params=[True, False], ids=["streaming", "cached"])
def streaming(request, monkeypatch):
    monkeypatch.setattr(thresholds, "STREAMED", 0 if request.param else 1 << 60)
    tiles.tiling.cache_clear()
    yield
    tiles.tiling.cache_clear()


@pytest.fixture
def by_numpy(monkeypatch):
    """All copies count as large, and no kernel is compiled."""
    monkeypatch.setattr(thresholds, "SMALL", 0)
    monkeypatch.setattr(compiled, "_kernels", {})
    monkeypatch.setattr("accel.backends.common.host_code.machine_code._frozen", True)


def end(data, start=0, **more):
    return Operand(host_span(data), start, BYTE, (), (), **more)


def check(plan, target, into, source, out_of):
    """Copy, and compare every byte with a simple interpretation of the plan."""
    same = into is out_of
    expected, original = into.copy(), out_of.copy()
    carry_out(plan, target, expected, source, expected if same else original)
    host_copies.copy(target, into, source, out_of, plan)
    assert np.array_equal(into, expected)
    assert same or np.array_equal(out_of, original)


def reach(leaves, end):
    steps = [(leaf.extent - 1) * leaf[end] for leaf in leaves]
    return sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)


@st.composite
def loops_of(draw, itemsize, largest=9):
    """Loops over target items without overlap, with gaps, in any order and direction, and over any source items."""
    leaves, stride = [], itemsize
    for _ in range(draw(st.integers(0, 4))):
        extent = draw(st.integers(1, largest))
        gap = draw(st.sampled_from([0, 0, 1, itemsize, 64]))
        turn = draw(st.sampled_from([1, 1, -1]))
        source = draw(st.sampled_from([0, 1, itemsize, itemsize, -itemsize, 3 * itemsize, 40, 200]))
        leaves.append(Leaf(extent, turn * (stride + gap), source))
        stride = (stride + gap) * extent
    return tuple(draw(st.permutations(leaves)))


@st.composite
def copies(draw, itemsizes=ITEMSIZES, *, masked=True):
    itemsize = draw(st.sampled_from(itemsizes))
    leaves = draw(loops_of(itemsize))
    bound = draw(st.none() | st.integers(0, 300)) if masked else None
    plan = Plan(
        leaves,
        itemsize,
        target_start=draw(st.integers(0, 5)),
        source_start=draw(st.integers(0, 5)),
        buffered=draw(st.booleans()),
        bound=bound,
        fill=draw(st.sampled_from(Fill)),
    )
    starts = [draw(st.integers(0, 70)) - reach(leaves, which)[0] for which in (1, 2)]
    return plan, starts


def room(plan, starts):
    """Return bytes for target and source, with some more around them."""
    sizes = [
        start + reach(plan.leaves, which)[1] + plan.itemsize + 9 for start, which in zip(starts, (1, 2), strict=True)
    ]
    return [random_bytes(size) for size in sizes]


class TestLoops:
    @many
    @given(case=copies())
    def test_small_plans(self, case):
        plan, (to, of) = case
        into, out_of = room(plan, (to, of))
        check(plan, end(into, to), into, end(out_of, of), out_of)

    @pytest.mark.slow
    @many
    @given(case=copies())
    def test_large_plans_by_kernels(self, kernels, case):
        plan, (to, of) = case
        into, out_of = room(plan, (to, of))
        check(plan, end(into, to), into, end(out_of, of), out_of)

    @many
    @given(case=copies())
    def test_large_plans_by_numpy(self, by_numpy, case):
        plan, (to, of) = case
        into, out_of = room(plan, (to, of))
        check(plan, end(into, to), into, end(out_of, of), out_of)

    @many
    @given(case=copies(), shift=st.integers(0, 40))
    def test_a_source_under_the_target(self, kernels, case, shift):
        plan, (to, of) = case
        both = max(room(plan, (to, of + shift)), key=len)
        check(plan._replace(buffered=True), end(both, to), both, end(both, of + shift), both)


class TestTransposes:
    @pytest.mark.parametrize("itemsize", TURNED)
    @settings(many, max_examples=25)
    @given(
        rows=st.integers(1, 300),
        columns=st.integers(1, 140),
        outer=st.integers(1, 3),
        gaps=st.tuples(*[st.sampled_from([0, 1, 16, 64])] * 3),
        starts=st.tuples(st.integers(0, 70), st.integers(0, 70)),
    )
    def test_of_any_shape_anywhere(self, kernels, streaming, itemsize, rows, columns, outer, gaps, starts):
        down, across = rows * itemsize + gaps[0], columns * itemsize + gaps[1]
        leaves = (
            Leaf(outer, columns * down + gaps[2], rows * across),
            Leaf(columns, down, itemsize),
            Leaf(rows, itemsize, across),
        )
        plan = Plan(leaves, itemsize, "transpose", tile=(2, 1), buffered=False)
        into, out_of = room(plan, starts)
        check(plan, end(into, starts[0]), into, end(out_of, starts[1]), out_of)

    @pytest.mark.parametrize("columns", [73, 81, 113])
    def test_a_last_tile_of_one_column_is_written_where_it_is_read(self, kernels, columns):
        leaves = (Leaf(columns, 64, 8), Leaf(3, 8, columns * 8))
        plan = Plan(leaves, 8, "transpose", tile=(1, 0), buffered=False)
        into, out_of = room(plan, (0, 0))
        check(plan, end(into), into, end(out_of), out_of)

    @pytest.mark.parametrize("itemsize", TURNED)
    def test_a_row_of_the_target_that_begins_within_a_line_is_cut_where_the_next_begins(self, kernels, itemsize):
        rows, columns = 640 // itemsize, 70
        pitch = 704
        plan = Plan(
            (Leaf(columns, pitch, itemsize), Leaf(rows, itemsize, columns * itemsize)), itemsize, buffered=False
        )
        for start in range(0, 64, itemsize):
            into, out_of = room(plan, (start + 64, 3))
            check(plan, end(into, start), into, end(out_of, 3), out_of)

    def test_of_bytes_in_memory_that_they_share(self, kernels):
        plan = Plan((Leaf(96, 96, 1), Leaf(96, 1, 96)), 1, "transpose", tile=(1, 0), buffered=True)
        both = random_bytes(96 * 96)
        check(plan, end(both), both, end(both), both)


# Item sizes and numbers of planes that are narrower than a vector: primes, powers of two, and products.
NARROW = ((1, 2), (1, 3), (1, 6), (1, 15), (2, 3), (2, 4), (4, 2), (4, 3))


class TestNarrow:
    """Few planes interleaved, and separated again."""

    @pytest.mark.parametrize(("itemsize", "planes"), [*NARROW[::2], *slow(NARROW[1::2])])
    @settings(many, max_examples=15)
    @given(
        size=st.integers(1, 9000),
        images=st.integers(1, 3),
        gap=st.sampled_from([0, 1, 64]),
        starts=st.tuples(st.integers(0, 70), st.integers(0, 70)),
        turn=st.booleans(),
    )
    def test_of_any_size_anywhere(self, kernels, streaming, itemsize, planes, size, images, gap, starts, turn):
        pixel, plane = itemsize * planes, itemsize * size + gap
        whole = plane * planes
        back = -1 if turn else 1  # the last plane first
        interleaved = (
            Leaf(images, pixel * size, whole),
            Leaf(size, pixel, itemsize),
            Leaf(planes, itemsize, back * plane),
        )
        separated = tuple(Leaf(extent, out_of, into) for extent, into, out_of in interleaved)
        for leaves in (interleaved, separated):
            plan = Plan(leaves, itemsize, buffered=False)
            ends = [start - reach(leaves, which)[0] for start, which in zip(starts, (1, 2), strict=True)]
            into, out_of = room(plan, ends)
            check(plan, end(into, ends[0]), into, end(out_of, ends[1]), out_of)


class TestArrays:
    @settings(many, max_examples=300)
    @given(case=arrays())
    def test_are_copied_as_numpy_does(self, kernels, streaming, case):
        compare(*case)

    @pytest.mark.parametrize("itemsize", TURNED)
    def test_with_short_rows_are_cut_where_lines_begin_in_a_later_row(self, kernels, streaming, itemsize):
        shape = (9, 700, 2, 17)
        nbytes = math.prod(shape) * itemsize
        for start in range(0, 64, 7):
            into, out_of = random_bytes(nbytes + 70), random_bytes(nbytes + 70)
            target = np.ndarray(shape[::-1], f"V{itemsize}", into, start)
            compare(into, target, out_of, np.ndarray(shape, f"V{itemsize}", out_of, 3).T)

    @settings(many, max_examples=500)
    @given(case=arrays(), skew=st.integers(0, 63))
    def test_a_tile_fits_into_its_buffer(self, streaming, case, skew):
        into, target, out_of, source = case
        tiling = tiles.tiling(in_order(plan(operand_of(into, target), operand_of(out_of, source))), skew, skew // 3)
        if tiling is None:
            return
        axes, (nbytes, cut) = tiling.integers[:24].reshape(3, 8), tiling.integers[24:26]
        counts = np.minimum(axes[:, 1] + axes[:, 3], axes[:, 0])
        assert cut < 0 or (counts - 1) @ axes[:, 7] + nbytes <= tiles.ROOM


class TestScattered:
    @many
    @given(
        itemsize=st.sampled_from([1, 2, 4, 8]),
        extents=st.tuples(st.integers(1, 40), st.integers(1, 40)),
        swizzles=st.tuples(*[st.sampled_from([None, Swizzling(0b11 << 6, 3), Swizzling(0b11 << 6, -2, 64)])] * 2),
        bound=st.none() | st.integers(0, 4000),
        fill=st.sampled_from(Fill),
        buffered=st.booleans(),
    )
    def test_swizzles(self, itemsize, extents, swizzles, bound, fill, buffered):
        rows, columns = extents
        leaves = (Leaf(rows, columns * itemsize, itemsize), Leaf(columns, itemsize, -rows * itemsize))
        plan = Plan(leaves, itemsize, buffered=buffered, bound=bound, fill=fill)
        into, out_of = random_bytes(1 << 15), random_bytes(1 << 15)
        target, source = (end(each, 1 << 14, swizzle=by) for each, by in zip((into, out_of), swizzles, strict=True))
        check(plan, target, into, source, out_of)

    @pytest.mark.parametrize("threads", [1, 2, 5])
    @pytest.mark.parametrize("fill", Fill)
    @pytest.mark.parametrize("bound", [None, 0, 100_000, 1 << 20])
    @pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
    def test_tables(self, monkeypatch, threads, fill, bound, dtype):
        monkeypatch.setattr(thresholds, "SHARED", 0)
        dtype, size = np.dtype(dtype), 40_000
        table = np.random.default_rng(1).permutation(size) - size // 2
        into, out_of = (random_bytes(size * dtype.itemsize + 5) for _ in range(2))
        start = size // 2 * dtype.itemsize + 1
        ends = [Operand(host_span(each), start, dtype, (size,), (0,), table=table) for each in (into, out_of)]
        plain = [Operand(host_span(each), 3, dtype, (size,), (0,)) for each in (into, out_of)]
        step = dtype.itemsize
        plan = Plan((Leaf(size, step, step),), step, "table", buffered=False, bound=bound, fill=fill)
        with accel.using(threads=threads):
            for target, source in ((ends[0], plain[1]), (plain[0], ends[1]), ends):
                check(plan, target, into, source, out_of)
                check(plan._replace(buffered=True), target, into, source, out_of)


class TestCasts:
    @pytest.mark.parametrize("small", [True, False])
    @pytest.mark.parametrize("dtypes", [("int16", "float64"), ("float32", "complex128"), ("bool", "complex64")])
    def test_are_those_of_astype(self, monkeypatch, dtypes, small):
        monkeypatch.setattr(thresholds, "SMALL", 1 << 60 if small else 0)
        expected, given = map(np.dtype, dtypes)
        values = np.random.default_rng(2).normal(size=(30, 40)).astype(given) * 10
        result = np.zeros((40, 30), expected)
        into, out_of = result.reshape(-1).view(np.uint8), values.reshape(-1).view(np.uint8)
        leaves = (
            Leaf(40, 30 * expected.itemsize, given.itemsize),
            Leaf(30, expected.itemsize, 40 * given.itemsize),
        )
        target = Operand(host_span(into), 0, expected, (40, 30), (0, 0))
        source = Operand(host_span(out_of), 0, given, (30, 40), (0, 0))
        host_copies.copy(target, into, source, out_of, Plan(leaves, expected.itemsize, buffered=False))
        real = values.real if expected.kind not in "cb" else values
        assert np.array_equal(result, real.T.astype(expected))


class TestFill:
    @pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
    @pytest.mark.parametrize("swizzle", [None, Swizzling(0b11 << 6, 2)])
    @pytest.mark.parametrize("extents", [(), (3, 0), (12, 30)])
    def test_reaches_all_elements_and_no_others(self, dtype, swizzle, extents):
        dtype = np.dtype(dtype)
        into = random_bytes(1 << 14)
        strides = (30 * dtype.itemsize + 3, dtype.itemsize)[: len(extents)]
        target = Operand(host_span(into), 1024, dtype, extents, strides, swizzle=swizzle)
        expected = into.copy()
        set_all(target, expected, 7)
        host_copies.fill(target, into, 7)
        assert np.array_equal(into, expected)


class TestRefused:
    PLAIN = Plan((Leaf(50, 8, 8), Leaf(40, 400, 1)), 1)
    SIZE = 40 * 400

    @pytest.mark.parametrize("threads", [1, 2])
    @pytest.mark.parametrize("plan", [PLAIN, PLAIN._replace(bound=10_000), PLAIN._replace(buffered=False)])
    def test_a_target_that_is_read_only(self, plan, threads):
        into, out_of = random_bytes(self.SIZE), random_bytes(self.SIZE)
        before = into.copy()
        into.flags.writeable = False
        for target in (end(into), end(before.copy(), writable=False)):
            with pytest.raises(ReadOnlyError, match="are read-only"):
                host_copies.copy(target, into, end(out_of), out_of, plan)
            with pytest.raises(ReadOnlyError):
                host_copies.fill(target._replace(extents=(3,), strides=(1,)), into, 1)
        assert np.array_equal(into, before)

    @pytest.mark.parametrize("large", [True, False])
    @pytest.mark.parametrize("swizzle", [None, Swizzling(0b11 << 8, 2)])
    @pytest.mark.parametrize(("moved", "by"), [("target", -1), ("target", 1), ("source", -1), ("source", 1)])
    def test_an_item_outside_of_its_span(self, monkeypatch, kernels, large, swizzle, moved, by):
        if not large:
            monkeypatch.setattr(thresholds, "SMALL", 1 << 60)
        leaves = (Leaf(64, 64, 1), Leaf(64, 1, 64))
        into, out_of = random_bytes(4096), random_bytes(4096)
        target, source = end(into, swizzle=swizzle), end(out_of, swizzle=swizzle)
        plan = Plan(leaves, 1, buffered=False)
        check(plan, target, into, source, out_of)
        before = into.copy()
        with pytest.raises(BoundsError, match="were asked for of a span of 4096 bytes"):
            host_copies.copy(target, into, source, out_of, plan._replace(**{f"{moved}_start": by}))
        assert np.array_equal(into, before)

    def test_a_place_outside_of_a_table(self):
        into, out_of = random_bytes(100), random_bytes(100)
        plan = Plan((Leaf(3, 1, 1),), 1, "table")
        for table in ([0, 50, 100], [-1, 3, 5]):
            for target, source in (({"table": np.array(table)}, {}), ({}, {"table": np.array(table)})):
                with pytest.raises(BoundsError):
                    host_copies.copy(end(into, **target), into, end(out_of, **source), out_of, plan)

    def test_what_is_masked_may_lie_outside(self):
        into, out_of = random_bytes(100), random_bytes(60)
        plan = Plan((Leaf(100, 1, 1),), 1, bound=60, fill=Fill.ZERO)
        check(plan, end(into), into, end(out_of), np.concatenate([out_of]))


@pytest.mark.parametrize("shift", [0, 1, 4096, 3 << 20])
def test_bytes_are_copied_to_where_they_are_read_too(shift):
    memory = np.random.default_rng(3).integers(0, 256, (6 << 20) + 5, np.uint8)
    size = (3 << 20) + 5
    expected = memory.copy()
    expected[shift : shift + size] = memory[:size].copy()
    host_copies.copy_bytes(memory[shift : shift + size], memory[:size])
    assert np.array_equal(memory, expected)
