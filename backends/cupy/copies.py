"""`Copier`: copies on the streams of GPUs, between their memory and the host's.

What it does in each case: bytes by the driver's own copies; items on one device by a kernel; items that come from
elsewhere by a kernel on an image of all the bytes between them; and items that go to the host packed by a kernel, and
unpacked there. Memory for the time of a copy comes from the pool on the copy's own stream, and goes back to it at once.
"""

from typing import Any

import numpy as np

from accel.device import Device
from accel.memory import Limits, Operand, Plan, Span

from .driver import Driver
from .host_items import unpack
from .launches import fill_launch, launches_of
from .memory import DeviceBlock, memory_of, taken
from .modules import Modules
from .peers import Peers
from .pinned import Staging
from .pitched import Pitched, pitched
from .reach import End, packed
from .streams import CupyStream

__all__ = ["Copier"]

_PHASE = 256


class Copier:
    """What copies for the devices of one backend. All is done with the device of the stream current."""

    def __init__(self, driver: Driver, modules: Modules, limits: dict[Device, Limits]) -> None:
        self._driver = driver
        self._limits = limits
        self._runtime = driver.runtime
        self._staging = Staging(driver)
        self._peers = Peers(driver)
        self._modules = modules

    def copy(self, target: Span, source: Span, stream: CupyStream) -> None:
        """Copy bytes; spans may overlap."""
        (into, after), (out_of, before) = _place_of(target), _place_of(source)
        keep = None
        if _one_device(after, before) and 0 < abs(into - out_of) < target.nbytes:
            # What the driver does with overlapping bytes is not defined.
            keep = self._temporary(source.nbytes, stream)
            self._move(keep.ptr, before, out_of, before, source.nbytes, stream)
            out_of = keep.ptr
        self._move(into, after, out_of, before, target.nbytes, stream)

    def copy_within(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items in the memory of the stream's device."""
        if plan.buffered and _share_bytes(End.target(target, plan), End.source(source, plan)):
            self.copy_from_elsewhere(target, source, plan, stream)
        else:
            self._launch(target, source, plan, source.address, stream)

    def copy_from_elsewhere(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items into the memory of the stream's device, from an image of their source in that memory."""
        low, high = End.source(source, plan).reach
        first = source.address + low
        # The image is aligned as the source is.
        image = self._temporary(high - low + _PHASE, stream)
        there = image.ptr + (first - image.ptr) % _PHASE
        self._move(there, self._of(stream), first, memory_of(source.span.block), high - low, stream)
        self._launch(target, source, plan, there - low, stream)

    def copy_from_host(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items from the host."""
        rows = pitched(target, source, plan, End.source(source, plan).reach)
        if rows is None:
            self.copy_from_elsewhere(target, source, plan, stream)
        else:
            self._copy_rows(rows, self._runtime.memcpyHostToDevice, stream)

    def copy_to_host(self, target: Operand, source: Operand, plan: Plan, stream: CupyStream) -> None:
        """Copy items to the host."""
        rows = pitched(target, source, plan, End.target(target, plan).reach)
        if rows is not None:
            self._copy_rows(rows, self._runtime.memcpyDeviceToHost, stream)
            return
        pack = packed(plan)
        image = self._temporary(plan.nbytes, stream)
        # Without its swizzle and its table: those are of the place that the items do not go to yet.
        plain = target._replace(swizzle=None, table=None)
        self._launch(plain, source, pack, source.address, stream, target_address=image.ptr)
        self._fetch_items(End.target(target, plan), End.source(source, plan), image, stream)

    def fill(self, target: Operand, value: Any, stream: CupyStream) -> None:
        """Set every element in the memory of the stream's device."""
        table = self._table(target, stream)
        address, limits = target.address, self._limits[stream.device]
        launch = fill_launch(target, value, address, table=0 if table is None else table.ptr, limits=limits)
        self._modules.launch(launch, stream)

    def upload(self, values: "np.ndarray[Any, Any]", stream: CupyStream) -> Any:
        """Return memory with a copy of an array of the host."""
        memory = self._temporary(values.nbytes, stream)
        address = values.__array_interface__["data"][0]
        self._runtime.memcpyAsync(
            memory.ptr, address, values.nbytes, self._runtime.memcpyHostToDevice, stream.native.ptr
        )
        return memory

    def _fetch_items(self, target: End, source: End, image: Any, stream: CupyStream) -> None:
        """Copy packed items to their places on the host, and wait for them, as the driver does with pageable memory."""
        plan = target.plan
        staging = self._staging.take(plan.nbytes, stream.device)
        address = staging.__array_interface__["data"][0]
        kind = self._runtime.memcpyDeviceToHost
        self._runtime.memcpyAsync(address, image.ptr, plan.nbytes, kind, stream.native.ptr)
        stream.native.synchronize()
        unpack(target, source, staging[: plan.nbytes])
        self._staging.give(staging)

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
        launch = launches_of(
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

    def _copy_rows(self, rows: Pitched, kind: int, stream: CupyStream) -> None:
        handle, (pitch, source_pitch) = stream.native.ptr, (rows.target_pitch, rows.source_pitch)
        for into, out_of in rows.starts:
            if rows.height == 1:  # which may be longer than any pitch
                self._runtime.memcpyAsync(into, out_of, rows.width, kind, handle)
            else:
                self._runtime.memcpy2DAsync(into, pitch, out_of, source_pitch, rows.width, rows.height, kind, handle)

    def _move(
        self,
        into: int,
        target: DeviceBlock | None,
        out_of: int,
        source: DeviceBlock | None,
        nbytes: int,
        stream: CupyStream,
    ) -> None:
        """Copy bytes that do not overlap."""
        runtime, handle = self._runtime, stream.native.ptr
        if not nbytes:
            return
        if target is None:
            runtime.memcpyAsync(into, out_of, nbytes, runtime.memcpyDeviceToHost, handle)
        elif source is None:
            runtime.memcpyAsync(into, out_of, nbytes, runtime.memcpyHostToDevice, handle)
        elif source.device is target.device:
            runtime.memcpyAsync(into, out_of, nbytes, runtime.memcpyDeviceToDevice, handle)
        else:
            self._peers.enable(target.device, source.device)
            runtime.memcpyPeerAsync(into, target.device.index, out_of, source.device.index, nbytes, handle)

    def _of(self, stream: CupyStream) -> DeviceBlock:
        """Return what stands for memory of a stream's device."""
        return DeviceBlock(0, 0, None, stream.device, None)

    def _temporary(self, nbytes: int, stream: CupyStream) -> Any:
        return taken(self._driver, nbytes, stream)


def _place_of(span: Span) -> tuple[int, DeviceBlock | None]:
    return span.block.pointer + span.start, memory_of(span.block)


def _one_device(one: DeviceBlock | None, other: DeviceBlock | None) -> bool:
    return one is not None and other is not None and one.device is other.device


def _share_bytes(target: End, source: End) -> bool:
    """Tell whether two ends on one device may share bytes."""
    into, out_of = target.reach, source.reach
    first, other = target.operand.address, source.operand.address
    return first + into.low < other + out_of.high and other + out_of.low < first + into.high
