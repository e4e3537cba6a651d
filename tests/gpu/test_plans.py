"""Plans executed by the device's kernels against the reference: masks, swizzles, tables, and every kernel."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accel.abc import Leaf, Operand, Span
from accel.dtypes import as_dtype
from accel.memory import heap_of
from accel.testing.blocks import host_span, lent, read, write
from accel.testing.plans import carry_out, set_all

from ..gpu_code.cases import every_kernel
from ..gpu_code.comparison import DTYPES, End, places, wide_distances
from ..gpu_code.strategies import WIDTHS, copies, fills, gathers, seeds, tables
from .effort import THOROUGH

MARGIN = 64
ends = st.sampled_from(list(product(("host", "device"), repeat=2))[1:])


class Region:
    """Random host bytes that contain all positions of one end of a copy, and the operand that describes them."""

    def __init__(self, plan, end, start, strides, margin=MARGIN):
        result = places(plan, end, start, strides)[1]
        low, high = (int(result.min()), int(result.max()) + plan.itemsize) if result.size else (0, 0)
        first = margin - low
        first += (end.phase - first) % 16
        self.bytes = np.random.default_rng(high - low).integers(0, 256, first + high + margin, np.uint8)
        self._shape = plan.extents if end.table is None else (end.table.size,)
        self._strides = strides if end.table is None else (0,)
        self._first, self._end, self._dtype = first, end, as_dtype(DTYPES[plan.itemsize])

    def operand(self, span):
        """Describe the elements in a span of these bytes."""
        swizzle, table, _ = self._end
        return Operand(span, self._first, self._dtype, self._shape, self._strides, True, swizzle, table)


def check(heap, region, work, carry):
    """Do work on an operand of the device and by the reference; compare all bytes."""
    with lent(heap, region.bytes.size) as block:
        write(heap, block, region.bytes)
        operand = region.operand(Span(block, 0, region.bytes.size))
        work(operand)
        carry(operand, region.bytes)
        np.testing.assert_array_equal(read(heap, block, region.bytes.size), region.bytes)


def check_copy(heap, case, to="device", of="device", margin=MARGIN):
    plan = case.plan
    target = Region(plan, case.target, plan.target_start, plan.target_strides, margin)
    source = Region(plan, case.source, plan.source_start, plan.source_strides, margin)

    def follow(into, out_of):
        with wide_distances(plan):
            heap.backend.copy_strided(into, out_of, plan, stream=None)
        heap.backend.synchronize(heap.device)

    def carry(into, out_of):
        carry_out(plan, into, target.bytes, out_of, source.bytes)

    if to == "host":
        result = target.bytes.copy()
        into = target.operand(host_span(result))
        check(heap, source, lambda out_of: follow(into, out_of), lambda out_of, _: carry(into, out_of))
        np.testing.assert_array_equal(result, target.bytes)
    elif of == "host":
        out_of = source.operand(host_span(source.bytes))
        check(heap, target, lambda into: follow(into, out_of), lambda into, _: carry(into, out_of))
    else:
        with lent(heap, source.bytes.size) as block:
            write(heap, block, source.bytes)
            out_of = source.operand(Span(block, 0, source.bytes.size))
            check(heap, target, lambda into: follow(into, out_of), lambda into, _: carry(into, out_of))


def check_fill(heap, plan, end, value, margin=MARGIN):
    region = Region(plan, end, 0, plan.target_strides, margin)
    check(
        heap,
        region,
        lambda target: heap.backend.fill(target, value, stream=None),
        lambda target, expected: set_all(target, expected, value),
    )


@THOROUGH
@given(copies() | gathers() | tables(), ends)
def test_a_plan_is_followed_and_nothing_else_is_touched(device, case, ends):
    check_copy(heap_of(device), case, *ends)


@THOROUGH
@given(fills(), seeds)
def test_a_fill_reaches_these_elements_and_no_others(device, case, seed):
    plan, end = case
    if end.table is not None:
        plan = plan._replace(leaves=(Leaf(end.table.size, 0, 0),))
    value = np.frombuffer(np.random.default_rng(seed).bytes(plan.itemsize), DTYPES[plan.itemsize])[0]
    check_fill(heap_of(device), plan, end, value)


@pytest.fixture
def unpooled():
    """Disable CuPy's pool: compute-sanitizer does not see out-of-bounds accesses within pool memory."""
    import cupy

    cupy.cuda.set_allocator(None)
    yield
    cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_kernel_stays_within_its_memory(device, unpooled, width, bits):
    for case in every_kernel(width, bits):
        check_copy(heap_of(device), case, margin=0)
        check_fill(heap_of(device), case.plan, End(), np.zeros((), DTYPES[width])[()], margin=0)
