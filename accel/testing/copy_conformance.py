"""`CopyConformance`: tests of a backend with each kind of plan."""

from itertools import product
from typing import ClassVar, Self

import numpy as np
import pytest

from accel.abc import Block, Fill, OffsetTable, Operand, Span, Swizzling
from accel.copies.planner import Mask, plan
from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.memory import Heap
from accel.testing.blocks import Bytes, host_span, lent, random_bytes, read, write
from accel.testing.plans import carry_out, set_all

__all__ = ["CopyConformance"]

_ROOM = 1 << 18
_START = 1 << 17
_DTYPES = tuple(map(as_dtype, ("uint8", "int16", "float32", "float64", "complex128")))
_ENDS = tuple(product(("host", "device"), repeat=2))[1:]

# Extents, strides of the target and strides of the source (in elements), by the plan that they lead to.
_LOOPS: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    "memcpy": ((5, 7), (7, 1), (7, 1)),
    "rows": ((5, 33), (40, 1), (35, 1)),
    "transpose": ((70, 9), (9, 1), (1, 70)),
    "transpose of the last of three": ((3, 37, 40), (1480, 40, 1), (1480, 1, 37)),
    "transpose of all": ((3, 4, 37), (148, 37, 1), (1, 3, 12)),
    "transpose of pairs": ((17, 35, 2), (70, 2, 1), (2, 34, 1)),
    "reversed": ((31, 8), (-8, -1), (8, 1)),
    "gather": ((11, 6), (12, 2), (3, 40)),
    "broadcast": ((9, 12), (12, 1), (0, 1)),
    "one value": ((9, 12), (1, 9), (0, 0)),
    "one item": ((), (), ()),
    "nothing": ((0, 4), (4, 1), (4, 1)),
}


class CopyConformance:
    """The tests of `BackendConformance` that are about plans; the fixture ``heap`` is the heap of the device."""

    device: ClassVar[Device]

    @pytest.mark.parametrize("dtype", _DTYPES, ids=str)
    @pytest.mark.parametrize("loops", _LOOPS)
    def test_a_plan_of_each_kind_is_followed(self, heap: Heap, loops: str, dtype: DType) -> None:
        extents, into, out_of = _LOOPS[loops]
        for ends in _ENDS:
            with _Copy(heap, *ends) as copy:
                copy.check(copy.target(dtype, extents, into), copy.source(dtype, extents, out_of))

    @pytest.mark.parametrize("shift", [1, 3])
    def test_misaligned_ends_are_right(self, heap: Heap, shift: int) -> None:
        dtype = as_dtype("float64")
        with _Copy(heap, "device", "device") as copy:
            for extents, into, out_of in _LOOPS.values():
                target = copy.target(dtype, extents, into)
                copy.check(target._replace(start=target.start + 8 * shift), copy.source(dtype, extents, out_of))

    @pytest.mark.parametrize("fill", Fill)
    @pytest.mark.parametrize("loops", ["memcpy", "rows", "transpose", "gather", "broadcast"])
    @pytest.mark.parametrize("bound", [0, 1, 20, 1000])
    def test_what_lies_beyond_a_bound_is_not_read(self, heap: Heap, loops: str, bound: int, fill: Fill) -> None:
        extents, into, out_of = _LOOPS[loops]
        dtype = as_dtype("int16")
        for ends in _ENDS:
            with _Copy(heap, *ends) as copy:
                target, source = copy.target(dtype, extents, into), copy.source(dtype, extents, out_of)
                copy.check(target, source, Mask(bound * dtype.itemsize, fill))

    @pytest.mark.parametrize("ends", _ENDS, ids=" to ".join)
    @pytest.mark.parametrize("swizzled", ["target", "source", "both"])
    def test_swizzled_ends_are_right(self, heap: Heap, swizzled: str, ends: tuple[str, str]) -> None:
        dtype = as_dtype("float32")
        swizzle = Swizzling(0b111 << 7, 3, 64)
        with _Copy(heap, *ends) as copy:
            target, source = copy.target(dtype, (16, 32), (32, 1)), copy.source(dtype, (16, 32), (1, 16))
            if swizzled != "source":
                target = target._replace(swizzle=swizzle)
            if swizzled != "target":
                source = source._replace(swizzle=swizzle)
            copy.check(target, source)
            copy.check(target, source, Mask(300 * dtype.itemsize, Fill.ZERO))

    @pytest.mark.parametrize("ends", _ENDS, ids=" to ".join)
    @pytest.mark.parametrize("dtype", _DTYPES, ids=str)
    @pytest.mark.parametrize("fill", Fill)
    def test_ends_by_tables_are_right(self, heap: Heap, dtype: DType, ends: tuple[str, str], fill: Fill) -> None:
        places = np.random.default_rng(5).permutation(500).astype(np.int64) - 250
        with _Copy(heap, *ends) as copy:
            target, source = copy.target(dtype, (500,), (1,)), copy.source(dtype, (500,), (2,))
            through, out_of = _through(target, places), _through(source, places[::-1] // 2)
            for into, data in ((through, source), (target, out_of), (through, out_of)):
                copy.check(into, data)
                copy.check(into, data, Mask(31 * dtype.itemsize, fill))

    @pytest.mark.parametrize("loops", ["rows", "transpose", "reversed", "gather"])
    def test_a_source_under_the_target_is_read_first(self, heap: Heap, loops: str) -> None:
        extents, into, out_of = _LOOPS[loops]
        dtype = as_dtype("float32")
        for shift in (-3, 0, 5):
            with lent(heap, _ROOM) as block:
                whole = Span(block, 0, _ROOM)
                target = _operand(whole, dtype, extents, into)
                source = _operand(whole, dtype, extents, out_of)._replace(start=_START + shift * dtype.itemsize)
                data = random_bytes(_ROOM)
                write(heap, block, data)
                copy_plan = plan(target, source)
                heap.backend.copy_strided(target, source, copy_plan, stream=None)
                carry_out(copy_plan, target, data, source, data)
                assert np.array_equal(read(heap, block, _ROOM), data)

    @pytest.mark.parametrize("dtype", _DTYPES, ids=str)
    def test_fills_reach_swizzled_elements_and_those_of_a_table(self, heap: Heap, dtype: DType) -> None:
        places = np.random.default_rng(7).permutation(900)[:300].astype(np.int64) - 450
        with lent(heap, _ROOM) as block:
            data = random_bytes(_ROOM)
            write(heap, block, data)
            plain = _operand(Span(block, 0, _ROOM), dtype, (12, 30), (30, 1))
            swizzled = plain._replace(swizzle=Swizzling(0b11 << 6, 2, 0))
            for target, value in ((plain, 1), (swizzled, 2), (_through(plain, places), 3)):
                heap.backend.fill(target, dtype.type(value), stream=None)
                set_all(target, data, value)
                assert np.array_equal(read(heap, block, _ROOM), data)


class _Copy:
    """A target and a source with known bytes, each on the host or on the device."""

    def __init__(self, heap: Heap, target: str, source: str) -> None:
        self._heap = heap
        self._on_device = target == "device", source == "device"
        self._lent = [lent(heap, _ROOM) for _ in range(2)]
        self._bytes = [random_bytes(_ROOM), random_bytes(_ROOM)[::-1].copy()]
        self._blocks: list[Block] = []

    def __enter__(self) -> Self:
        self._blocks = [each.__enter__() for each in self._lent]
        for block, data in zip(self._blocks, self._bytes, strict=True):
            write(self._heap, block, data)
        self._host = [data.copy() for data in self._bytes]
        return self

    def __exit__(self, *exception: object) -> None:
        for each in self._lent:
            each.__exit__(None, None, None)

    def target(self, dtype: DType, extents: tuple[int, ...], strides: tuple[int, ...]) -> Operand:
        return _operand(self._span(0), dtype, extents, strides)

    def source(self, dtype: DType, extents: tuple[int, ...], strides: tuple[int, ...]) -> Operand:
        return _operand(self._span(1), dtype, extents, strides)

    def _span(self, end: int) -> Span:
        return Span(self._blocks[end], 0, _ROOM) if self._on_device[end] else host_span(self._host[end])

    def check(self, target: Operand, source: Operand, mask: Mask | None = None) -> None:
        """Copy, and compare every byte of both ends."""
        copy_plan = plan(target, source, mask=mask)
        self._heap.backend.copy_strided(target, source, copy_plan, stream=None)
        self._heap.backend.synchronize(self._heap.device)
        carry_out(copy_plan, target, self._bytes[0], source, self._bytes[1])
        for end, expected in enumerate(self._bytes):
            assert np.array_equal(self._now(end), expected)

    def _now(self, end: int) -> Bytes:
        return read(self._heap, self._blocks[end], _ROOM) if self._on_device[end] else self._host[end]


def _operand(span: Span, dtype: DType, extents: tuple[int, ...], strides: tuple[int, ...]) -> Operand:
    """Return elements that start in the middle of a span, so that negative strides stay inside."""
    return Operand(span, _START, dtype, extents, tuple(stride * dtype.itemsize for stride in strides))


def _through(operand: Operand, table: OffsetTable) -> Operand:
    return operand._replace(table=table, extents=(table.size,), strides=(0,))
