"""Cases of copies and fills, and comparisons of all bytes between NumPy and the kernels."""

from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from accel.backends.cupy import launches, structures

from accel.abc import Block, Fill, Limits, Operand, Plan, Span, Swizzling
from accel.dtypes import as_dtype

from . import on_processor

__all__ = ["DTYPES", "Case", "End", "Memory", "check_copy", "check_fill", "conflicts", "places", "wide_distances"]

DTYPES = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}
MARGIN = 1 << 16  # bytes on both sides that must not change; even a wrong kernel does not reach farther


class End(NamedTuple):
    """The target or source of a copy, without its memory."""

    swizzle: Swizzling | None = None
    table: Any = None
    phase: int = 0  # of its start, modulo 16


class Case(NamedTuple):
    """A copy: a plan and both ends."""

    plan: Plan
    target: End = End()
    source: End = End()
    blocks: int = 1 << 20  # at most
    seed: int = 0


class Memory:
    """Bytes that contain all positions of one end of a copy, with margins."""

    def __init__(self, positions, size, phase, seed):
        low, high = (int(positions.min()), int(positions.max()) + size) if positions.size else (0, 0)
        self.low, self.nbytes = low, high - low
        room = np.random.default_rng(seed).integers(0, 256, high - low + 2 * MARGIN + 32, np.uint8)
        first = room.ctypes.data + MARGIN - low
        self.bytes = room
        self.address = first + (phase - first) % 16
        self.start = self.address - room.ctypes.data

    def range(self, written=None):
        """Return the bytes from the first position to the last one, for launches with checks."""
        return on_processor.Memory(self.address + self.low, self.nbytes, written)

    def unwritten(self):
        """Return the same bytes, for launches that only write them."""
        return self.range(np.zeros(self.nbytes + 16, np.uint8))

    def at(self, positions, size):
        """Return the indices of the bytes of items at some positions, one item in each row."""
        return self.start + positions[:, None] + np.arange(size)


def places(plan, end, start, strides):
    """Return the distance of every item from the start of an end, before and after its swizzle."""
    if end.table is not None:
        positions = np.asarray(end.table, np.int64) * plan.itemsize
        return positions, positions
    positions = np.array([start], np.int64)
    for extent, stride in zip(plan.extents, strides, strict=True):
        positions = (positions[:, None] + np.arange(extent) * stride).reshape(-1)
    return positions, positions if end.swizzle is None else end.swizzle(positions)


def launch_of(case, target, source):
    """Return the launch of a copy between two memories."""
    with wide_distances(case.plan):
        return launches.copy_launch(
            case.plan,
            _operand(case.target, target, case.plan),
            _operand(case.source, source, case.plan),
            target.address,
            source.address,
            target_table=_address(case.target.table),
            source_table=_address(case.source.table),
            limits=_limits(case.blocks),
        )


@contextmanager
def wide_distances(plan):
    """Choose distances of 64 bits for a plan that says so, even if they are small."""
    if plan.index_bits == 32:
        yield
        return
    for cached in (launches._copy, launches._fill):
        cached.cache_clear()
    with patch.object(structures, "_NARROW", 0):
        yield
    for cached in (launches._copy, launches._fill):
        cached.cache_clear()


def check_copy(case, text=None, **how):
    """Copy by a kernel and by NumPy, and compare all bytes; return the launch."""
    plan = case.plan
    into = places(plan, case.target, plan.target_start, plan.target_strides)[1]
    before, out_of = places(plan, case.source, plan.source_start, plan.source_strides)
    target = Memory(into, plan.itemsize, case.target.phase, seed=1)
    source = Memory(out_of, plan.itemsize, case.source.phase, seed=2)
    expected, untouched = _copied(plan, target, source, into, before, out_of), source.bytes.copy()
    launch = launch_of(case, target, source)
    memory = [target.unwritten(), source.range(), *_tables(case.target, case.source)]
    run(launch, case.seed, text, memory=memory, **how)
    np.testing.assert_array_equal(target.bytes, expected)
    np.testing.assert_array_equal(source.bytes, untouched)
    return launch


def conflicts(case, text=None):
    """Return the passes over shared memory of a copy for each that is needed, of the line with the most."""
    plan = case.plan
    into = places(plan, case.target, plan.target_start, plan.target_strides)[1]
    out_of = places(plan, case.source, plan.source_start, plan.source_strides)[1]
    target, source = (Memory(positions, plan.itemsize, 0, seed=1) for positions in (into, out_of))
    launch = launch_of(case, target, source)
    module = on_processor.compile(text or launches.module_source(), launch.defines, 32, checked=True)
    return module.conflicts(launch.kernel, launch.grid, launch.block, launch.arguments, launch.shared_bytes)


def check_fill(plan, end, value, *, blocks=1 << 20, seed=0, **how):
    """Fill the target of a plan by a kernel and by NumPy, and compare all bytes; return the launch."""
    positions = places(plan, end, 0, plan.target_strides)[1]
    memory = Memory(positions, plan.itemsize, end.phase, seed=1)
    expected = memory.bytes.copy()
    expected[memory.at(positions, plan.itemsize)] = np.frombuffer(value.tobytes(), np.uint8)
    operand, table = _operand(end, memory, plan), _address(end.table)
    with wide_distances(plan):
        launch = launches.fill_launch(operand, value, memory.address, table=table, limits=_limits(blocks))
    run(launch, seed, memory=[memory.unwritten(), *_tables(end)], **how)
    np.testing.assert_array_equal(memory.bytes, expected)
    return launch


def run(launch, seed, text=None, checks="", memory=(), warp=None):
    """Run a launch on the processor, with checks if there are names of some."""
    # The warp size makes no difference to these kernels; both sizes are run.
    warp = warp or (64 if seed % 2 and "-DACCEL_DISTANCE=32" in launch.defines else 32)
    module = on_processor.compile(text or launches.module_source(), launch.defines, warp, checked=bool(checks))
    arguments = launch.kernel, launch.grid, launch.block, launch.arguments, launch.shared_bytes, seed
    module.launch(*arguments, checks=checks or "sync", memory=memory)


def _copied(plan, target, source, into, before, out_of):
    expected = target.bytes.copy()
    there = before < plan.bound if plan.bound is not None else np.ones(before.shape, bool)
    items = source.bytes[source.at(out_of, plan.itemsize)]
    expected[target.at(into[there], plan.itemsize)] = items[there]
    if plan.fill is Fill.ZERO:
        expected[target.at(into[~there], plan.itemsize)] = 0
    return expected


def _operand(end, memory, plan):
    span = Span(Block(memory.bytes.ctypes.data, memory.bytes.size, memory.bytes), 0, memory.bytes.size)
    dtype = as_dtype(DTYPES[plan.itemsize])
    return Operand(span, memory.start, dtype, plan.extents, plan.target_strides, True, end.swizzle, end.table)


def _tables(*ends):
    tables = [end.table for end in ends if end.table is not None and end.table.size]
    return [*map(on_processor.Memory.of, tables)]


def _address(table):
    return 0 if table is None else table.ctypes.data


def _limits(blocks):
    return Limits(1 << 30, 256, 32, frozenset(), (blocks, 1, 1))
