"""`Copier`: copies on the streams of GPUs, between their memory and the host's.

The driver copies bytes. A kernel copies items within one device. Items from another device or from the host: the range
of bytes that contains them is copied to the device, and a kernel copies the items from there. Items to the host: a
kernel packs them, and the host unpacks them. Pageable memory is staged. Temporary memory is allocated from the pool on
the copy's stream, and freed as soon as the work is submitted.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from accel.abc import Limits, Operand, Plan, Span
from accel.abc.direct import DOWNLOAD, UPLOAD
from accel.device import Device

from .copy_ends import CopyEnd, bytes_of, packed
from .driver import Driver
from .fills import CupyFill, equal_byte, run_of
from .kernel_calls import KernelCall
from .launches import copy_launch, fill_launch
from .memory import DeviceBlock, memory_of, temporary
from .modules import Modules
from .pinned import StagingMemory, is_pinned
from .rectangles import Rectangles, rectangles_of
from .staging import Ring
from .streams import CupyStream
from .unpacking import unpack

__all__ = ["Copier"]

_PHASE = 256
_WIDEST = 16
"""Bytes of the widest access: the launch of a copy depends on its addresses only by their alignment up to there."""
_OF_FILL = 4
"""How many arguments of a fill change from one to the next: the addresses of operand and table, and the value."""
_MOST_CALLS = 4096
"""Launches of copies that are kept."""


class _CachedCall(NamedTuple):
    """A launch of a copy between any operands of some alignments; it keeps the plan alive, whose `id` is its key."""

    plan: Plan
    call: KernelCall


class Copier:
    """Copies for the devices of one backend. In each call the stream's device is current."""

    def __init__(self, driver: Driver, modules: Modules, limits: dict[Device, Limits]) -> None:
        self._driver = driver
        self._limits = limits
        self._runtime = driver.runtime
        staging_memory = StagingMemory(driver)
        self._ring = Ring(driver, staging_memory, size=1 << 22, count=4)
        # For offset tables: most are small, and many may be in flight.
        self._small = Ring(driver, staging_memory, size=1 << 16, count=64)
        self._modules = modules
        self._calls: dict[tuple[int, int, int, Device], _CachedCall] = {}
        self._reading: dict[Device, bool] = {}

    def blocks(self, target: Span, source: Span) -> bool:
        """Return whether a copy of bytes blocks the thread that submits it."""
        after, before = memory_of(target.block), memory_of(source.block)
        if after is None and before is not None:
            return self._is_pageable(target, before.device)
        if after is None or before is not None or source.nbytes <= CupyStream.buffered:
            return False  # the driver itself buffers small copies from pageable memory
        return self._is_pageable(source, after.device)

    def blocks_for_items(self, target: Operand, source: Operand, plan: Plan) -> bool:
        """Return whether a copy of items blocks the thread that submits it."""
        if any(end.table is not None and end.table.nbytes > CupyStream.buffered for end in (target, source)):
            return True
        if memory_of(target.span.block) is None and self._rows_to_host(target, source, plan) is None:
            return True
        return self.blocks(target.span, source.span)

    def trim(self) -> None:
        """Free the pinned memory that no copy uses."""
        for ring in (self._ring, self._small):
            ring.trim()

    def copy(self, target: Span, source: Span, stream: CupyStream) -> None:
        """Copy bytes; spans may overlap."""
        (into, after), (out_of, before) = _place_of(target), _place_of(source)
        if after is None:
            self._copy_to_host(target, out_of, stream)
            return
        if before is not None and before.device is after.device and 0 < abs(into - out_of) < target.nbytes:
            # The driver's copies are undefined for overlapping bytes.
            keep = self._temporary(source.nbytes, stream)
            self._move(keep.ptr, after.device, source, stream)
            source = Span(DeviceBlock(keep.ptr, source.nbytes, keep, after.device, None), 0, source.nbytes)
        self._move(into, after.device, source, stream)

    def copy_within(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items in the memory of the stream's device."""
        if plan.buffered and _share_bytes(CopyEnd.target(target, plan), CopyEnd.source(source, plan)):
            self.copy_from_elsewhere(target, source, plan, stream)
        elif not self._launch_cached(target, source, plan, stream):
            self._launch(target, source, plan, source.address, stream)

    def _launch_cached(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> bool:
        """Launch a copy of plain strides; one launch is cached for each plan and alignments of its operands.

        Returns whether it was launched: swizzles and tables are not plain.
        """
        if target.swizzle or source.swizzle or target.table is not None or source.table is not None:
            return False
        call = self._call(stream.device, target, source, plan)
        call.start(stream.handle, target.address, source.address)
        return True

    def _call(self, device: Device, target: Operand, source: Operand, plan: Plan) -> KernelCall:
        into, out_of = target.address, source.address
        key = (id(plan), into % _WIDEST, out_of % _WIDEST, device)
        cached = self._calls.get(key)
        if cached is None or cached.plan is not plan:
            launch = copy_launch(plan, target, source, into, out_of, limits=self._limits[device])
            if len(self._calls) >= _MOST_CALLS:
                self._calls.clear()
            cached = self._calls[key] = _CachedCall(plan, self._modules.call(launch, device, 2))
        return cached.call

    def prepared(
        self, device: Device, target: Operand, source: Operand, plan: Plan
    ) -> Callable[[int, int, CupyStream], object]:
        """Return a function that copies as planned within a device, which is current, for other addresses.

        It is called with the addresses of the target and of the source, and the stream.
        """
        if plan.kind == "memcpy":
            start, begin, nbytes = plan.target_start, plan.source_start, plan.nbytes
            memcpy, kind = self._runtime.memcpyAsync, self._runtime.memcpyDeviceToDevice
            return lambda into, out_of, stream: memcpy(into + start, out_of + begin, nbytes, kind, stream.handle)
        launch = self._call(device, target, source, plan).start
        return lambda into, out_of, stream: launch(stream.handle, into, out_of)

    def prepared_with_host(
        self, target: Operand, source: Operand, plan: Plan
    ) -> Callable[[CupyStream, int, int], object] | None:
        """Return a function that copies as planned between a device and the host, for other addresses.

        It is called with the stream, and the addresses of the target and of the source. None unless the driver can do
        it in rows.
        """
        upload = memory_of(source.span.block) is None
        way = UPLOAD if upload else DOWNLOAD
        if plan.kind == "memcpy":
            start, begin, nbytes = plan.target_start, plan.source_start, plan.nbytes
            return lambda stream, into, out_of: stream.copy_bytes(into + start, out_of + begin, nbytes, way)
        host = CopyEnd.source(source, plan) if upload else CopyEnd.target(target, plan)
        rows = rectangles_of(target, source, plan, host.byte_range) if self._driver.platform.pitched else None
        if rows is None:
            return None
        kind = self._driver.kinds[way]

        def copy(into: int, out_of: int, stream: CupyStream) -> None:
            moved = into - target.address, out_of - source.address
            starts = [(first + moved[0], second + moved[1]) for first, second in rows.starts]
            self._copy_rows(rows._replace(starts=starts), kind, stream)

        return lambda stream, into, out_of: stream.at_once(copy, into, out_of)

    def copy_from_elsewhere(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items into the memory of the stream's device, through a copy of their source in that memory."""
        low, high = CopyEnd.source(source, plan).byte_range
        first = source.address + low
        # The image is aligned as the source is.
        image = self._temporary(high - low + _PHASE, stream)
        there = image.ptr + (first - image.ptr) % _PHASE
        touched = Span(source.span.block, first - source.span.block.pointer, high - low)
        self._move(there, stream.device, touched, stream)
        self._launch(target, source, plan, there - low, stream)

    def copy_from_host(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items from the host."""
        self._refuse_capture(stream, source.span)
        rows = self._rows_from_host(target, source, plan, stream.device)
        if rows is None:
            self.copy_from_elsewhere(target, source, plan, stream)
        else:
            self._copy_rows(rows, self._runtime.memcpyHostToDevice, stream)

    def copy_to_host(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items to the host."""
        self._refuse_capture(stream, target.span)
        rows = self._rows_to_host(target, source, plan)
        if rows is not None:
            self._copy_rows(rows, self._runtime.memcpyDeviceToHost, stream)
            return
        self._refuse_capture(stream)
        pack = packed(plan)
        image = self._temporary(plan.nbytes, stream)
        # Without swizzle and table: these apply when the items are unpacked on the host.
        plain = target._replace(swizzle=None, table=None)
        self._launch(plain, source, pack, source.address, stream, target_address=image.ptr)
        self._fetch_items(CopyEnd.target(target, plan), CopyEnd.source(source, plan), image, stream)

    def fill(self, target: Operand, value: Any, stream: CupyStream) -> None:
        """Set every element in the memory of the stream's device."""
        byte, run = equal_byte(target, value), run_of(target)
        if byte is not None and run is not None:
            self._runtime.memsetAsync(target.address + run[0], byte, run[1], stream.native.ptr)
            return
        table = self._table(target, stream)
        address, limits = target.address, self._limits[stream.device]
        launch = fill_launch(target, value, address, table=0 if table is None else table.ptr, limits=limits)
        self._modules.launch(launch, stream)

    def prepared_fill(self, device: Device, target: Operand) -> CupyFill:
        """Return a function that fills operands at other addresses."""
        launch = fill_launch(target, 0, target.address, limits=self._limits[device])
        return CupyFill(run_of(target), partial(self._modules.call, launch, device, _OF_FILL))

    def upload(self, values: "np.ndarray[Any, Any]", stream: CupyStream) -> Any:
        """Return device memory with a copy of an array of the host; the array may be freed when this returns."""
        memory = self._temporary(values.nbytes, stream)
        self._upload(memory.ptr, values.reshape(-1).view(np.uint8), stream)
        return memory

    def _upload(self, into: int, values: "np.ndarray[Any, np.dtype[np.uint8]]", stream: CupyStream) -> None:
        self._refuse_capture(stream)
        ring = self._small if values.nbytes <= self._small.size else self._ring
        ring.upload(into, values, stream)

    def _fetch_items(self, target: CopyEnd, source: CopyEnd, image: Any, stream: CupyStream) -> None:
        """Copy packed items to their places on the host, and wait for them."""
        unpack(target, source, lambda sizes: self._ring.fetch(image.ptr, sizes, stream), self._ring.size)

    def _launch(
        self,
        target: Operand,
        source: Operand,
        plan: Plan,
        source_address: int,
        stream: CupyStream,
        target_address: int | None = None,
    ) -> None:
        tables = [self._table(end, stream) for end in (target, source)]
        launch = copy_launch(
            plan,
            target,
            source,
            target.address if target_address is None else target_address,
            source_address,
            target_table=0 if tables[0] is None else tables[0].ptr,
            source_table=0 if tables[1] is None else tables[1].ptr,
            limits=self._limits[stream.device],
        )
        self._modules.launch(launch, stream)

    def _table(self, operand: Operand, stream: CupyStream) -> Any:
        return None if operand.table is None else self.upload(np.ascontiguousarray(operand.table), stream)

    def _rows_from_host(self, target: Operand, source: Operand, plan: Plan, device: Device) -> Rectangles | None:
        """Return the copy as rectangles; None if it has none, or if the device would read its source late."""
        if not self._driver.platform.pitched or (
            self._reads_pageable(device) and self._is_pageable(source.span, device)
        ):
            return None
        return rectangles_of(target, source, plan, CopyEnd.source(source, plan).byte_range)

    def _rows_to_host(self, target: Operand, source: Operand, plan: Plan) -> Rectangles | None:
        if not self._driver.platform.pitched:
            return None
        return rectangles_of(target, source, plan, CopyEnd.target(target, plan).byte_range)

    def _copy_rows(self, rows: Rectangles, kind: int, stream: CupyStream) -> None:
        handle, (pitch, source_pitch) = stream.native.ptr, (rows.target_pitch, rows.source_pitch)
        for into, out_of in rows.starts:
            if rows.height == 1:  # a single row may be longer than the largest pitch
                self._runtime.memcpyAsync(into, out_of, rows.width, kind, handle)
            else:
                self._runtime.memcpy2DAsync(into, pitch, out_of, source_pitch, rows.width, rows.height, kind, handle)

    def _move(self, into: int, device: Device, source: Span, stream: CupyStream) -> None:
        """Copy bytes to an address of a device; they must not overlap."""
        runtime, handle, nbytes = self._runtime, stream.native.ptr, source.nbytes
        out_of, before = _place_of(source)
        if not nbytes:
            return
        if before is None:
            self._copy_from_host(into, source, stream)
        elif before.device is device:
            runtime.memcpyAsync(into, out_of, nbytes, runtime.memcpyDeviceToDevice, handle)
        else:
            # Peer access is for kernels. To enable it would map all later memory of both devices into each other.
            runtime.memcpyPeerAsync(into, device.index, out_of, before.device.index, nbytes, handle)

    def _refuse_capture(self, stream: CupyStream, host: Span | None = None) -> None:
        """Raise if the stream is captured, since the host takes part in the work.

        It does not if its memory is pinned. Then accel's graphs record the copy, and keep the memory.
        """
        captured = stream.deferred is not None
        if stream.handle and not (captured and host is not None and not self._is_pageable(host, stream.device)):
            self._driver.refuse_capture(stream.native)

    def _copy_from_host(self, into: int, source: Span, stream: CupyStream) -> None:
        self._refuse_capture(stream, source)
        most = 0 if self._reads_pageable(stream.device) else CupyStream.buffered
        if source.nbytes > most and self._is_pageable(source, stream.device):
            self._upload(into, bytes_of(source), stream)
        else:
            out_of, kind = _place_of(source)[0], self._runtime.memcpyHostToDevice
            self._runtime.memcpyAsync(into, out_of, source.nbytes, kind, stream.native.ptr)

    def _copy_to_host(self, target: Span, out_of: int, stream: CupyStream) -> None:
        self._refuse_capture(stream, target)
        if target.nbytes > CupyStream.buffered and self._is_pageable(target, stream.device):
            self._ring.download(bytes_of(target), out_of, stream)
        else:
            into, kind = _place_of(target)[0], self._runtime.memcpyDeviceToHost
            self._runtime.memcpyAsync(into, out_of, target.nbytes, kind, stream.native.ptr)

    def _reads_pageable(self, device: Device) -> bool:
        """Return whether a device reads pageable memory itself (HMM, ATS): the driver then need not stage it."""
        reads = self._reading.get(device)
        if reads is None:
            reads = bool(self._driver.properties(device).get("pageableMemoryAccess", 0))
            self._reading[device] = reads
        return reads

    def _is_pageable(self, span: Span, device: Device) -> bool:
        with self._driver.on(device):
            return not is_pinned(self._driver, _place_of(span)[0])

    def _temporary(self, nbytes: int, stream: CupyStream) -> Any:
        return temporary(self._driver, nbytes, stream)


def _place_of(span: Span) -> tuple[int, DeviceBlock | None]:
    return span.block.pointer + span.start, memory_of(span.block)


def _share_bytes(target: CopyEnd, source: CopyEnd) -> bool:
    """Return whether two ends on one device may share bytes."""
    into, out_of = target.byte_range, source.byte_range
    first, other = target.operand.address, source.operand.address
    return first + into.low < other + out_of.high and other + out_of.low < first + into.high
