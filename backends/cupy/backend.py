"""The backend protocol for CUDA and ROCm."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

from accel.abc import Block, Event, ExternalAllocation, Limits, Operand, Plan, Room, Span, Stream
from accel.device import Device
from accel.dtypes import supported
from accel.errors import DeviceMismatchError, DeviceUnavailableError
from accel.locks import open_after_fork

from .arrays import Namespace, array_on, root_of
from .computing import Computing, computed_of
from .copies import Copier
from .device_streams import DeviceStreams
from .discovery import Installation, find_cupy
from .driver import Driver
from .foreign_streams import hold_up
from .memory import ALIGNMENT, DeviceBlock, adopted, allocated, give_back, index_at, memory_of, room
from .modules import Kernel, Modules
from .pinned import pinned
from .streams import CupyStream

__all__ = ["CupyBackend"]


class CupyBackend:
    """The devices that CuPy finds, of CUDA or of ROCm, as CuPy is built for.

    Nothing of CuPy is imported before the devices are first asked for. Without a stream, work goes to the stream that
    is current, or else to the device's default one, which is also CuPy's.
    """

    name = "cupy"

    def __init__(self) -> None:
        self._lock = open_after_fork(threading.RLock())

    @cached_property
    def _installation(self) -> Installation:
        with self._lock:
            return find_cupy()

    @cached_property
    def _driver(self) -> Driver:
        library = self._installation
        if library.module is None or not library.found:
            raise DeviceUnavailableError("; ".join(library.reasons.values()))
        return Driver(library.module, library.platform)

    @cached_property
    def _streams(self) -> DeviceStreams:
        with self._lock:
            return self.__dict__.get("_streams") or DeviceStreams(self._driver)

    @cached_property
    def _limits(self) -> dict[Device, Limits]:
        return {device: self._limits_of(device) for device in self.devices()}

    @cached_property
    def _modules(self) -> Modules:
        return Modules(self._driver)

    @cached_property
    def _copier(self) -> Copier:
        return Copier(self._driver, self._modules, self._limits)

    def devices(self) -> Sequence[Device]:
        """Return the devices that CuPy finds."""
        library = self._installation
        if not library.found:
            return ()
        first = Device[library.platform.type.upper()]
        return tuple(first[index] for index in range(library.found))

    def why_unavailable(self) -> Mapping[str, str]:
        """Return the reason against each type of device that cannot be used here."""
        return self._installation.reasons

    def limits(self, device: Device) -> Limits:
        """Return the amounts of a device."""
        return self._limits[device]

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return bytes from CuPy's pool, to be used on a stream first."""
        block = allocated(self._driver, nbytes, alignment, self._streams.stream_for(stream, device))
        self._streams.remember_reused(block)
        return block

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Give a block back to CuPy's pool, when all streams have used it that were given work on it."""
        if isinstance(block, DeviceBlock):
            after = [] if stream is None else [self._streams.stream_for(stream, block.device)]
            if block.lent:
                after += self._streams.all(block.device)
            give_back(self._driver, block, after)

    def trim(self) -> int:
        """Let CuPy's pool give back what is free to the driver, which waits for all work; returns how many bytes.

        Pinned memory that copies went through goes too, and is not counted.
        """
        self._copier.trim()
        return sum(self._trim(device) for device in self.devices())

    def free_memory(self, device: Device) -> Room:
        """Return what a device can still give, with what CuPy's pool keeps."""
        with self._driver.on(device):
            return room(self._driver)

    def device_at(self, address: int) -> Device | None:
        """Return the device that has memory at an address, if the host cannot read it there."""
        index = index_at(self._driver, address)
        return None if index is None else self.devices()[index]

    def allocate_pinned(self, device: Device, nbytes: int) -> Block:
        """Return pinned memory of the host."""
        return pinned(self._driver, device, nbytes)

    def free_pinned(self, device: Device, block: Block) -> None:
        """Take pinned memory back."""
        block.native = None

    def adopt(self, external: ExternalAllocation) -> Block:
        """Look at memory by an array or a pointer of CuPy's, or by its address."""
        block = adopted(self._driver, external, self.devices())
        for each in (external.native, external.owner):
            computed = computed_of(self._driver, each)
            if computed is not None:
                computed.lent = True
        return block

    def copy(self, target: Span, source: Span, *, stream: Stream | None) -> None:
        """Copy bytes, from or to the host, or within or between devices; overlapping spans are right."""
        if target.nbytes != source.nbytes:
            raise ValueError(f"{source.nbytes} bytes cannot be copied to {target.nbytes}")
        if target.nbytes:
            work = partial(self._copier.copy, target, source)
            blocks = stream is not None and self._copier.blocks(target, source)
            self._streams.submit(work, stream, target.block, source.block, blocks=blocks)

    def copy_strided(self, target: Operand, source: Operand, plan: Plan, *, stream: Stream | None) -> None:
        """Copy elements as planned; overlapping operands are right."""
        copier, ends = self._copier, (target.span.block, source.span.block)
        into, out_of = map(memory_of, ends)
        copy: Callable[[Operand, Operand, Plan, CupyStream], None]
        if into is None:
            copy = copier.copy_to_host
        elif out_of is None:
            copy = copier.copy_from_host
        else:
            copy = copier.copy_within if out_of.device is into.device else copier.copy_from_elsewhere
        if plan.size:
            lead = None if into is None else into.device
            blocks = stream is not None and copier.blocks_for_items(target, source, plan)
            self._streams.submit(partial(copy, target, source, plan), stream, *ends, lead=lead, blocks=blocks)

    def fill(self, target: Operand, value: Any, *, stream: Stream | None) -> None:
        """Set every element."""
        if 0 not in target.extents:
            self._streams.submit(partial(self._copier.fill, target, value), stream, target.span.block)

    def synchronize(self, device: Device) -> None:
        """Wait until all work on the device is done."""
        for stream in self._streams.all(device):
            stream.synchronize()
        with self._driver.on(device):
            self._driver.runtime.deviceSynchronize()

    def new_stream(self, device: Device) -> CupyStream:
        """Return a new stream of a device, which waits for no other."""
        return self._streams.new(device)

    def default_stream(self, device: Device) -> CupyStream:
        """Return the stream on which a device works when none is given or current: CuPy's default one."""
        return self._streams.default(device)

    def hold_up(self, block: Block, number: int | None, events: Sequence[Event]) -> Sequence[Event]:
        """Let a stream of another library use a block after some events, without blocking the host."""
        lent = memory_of(block)
        assert lent is not None, "memory of the host is not used by streams"
        left = hold_up(self._driver, lent.device, number, [*events, *([] if lent.ready is None else [lent.ready])])
        self._streams.lend(lent)  # it may be CuPy's, and one of ours
        lent.lent = True
        return left

    @contextmanager
    def consuming(self, device: Device) -> Iterator[int]:
        """Return a context in which another library is asked for memory of a device, which is current in it."""
        with self._driver.on(device):
            yield self._streams.stream_for(None, device).number

    def mark(self, stream: Stream) -> Event:
        """Return an event of which the driver is told when somebody asks."""
        return self._streams.stream_for(stream, stream.device).mark()

    def compile_raw(self, device: Device, source: str, kernel: str, options: tuple[str, ...]) -> Kernel:
        """Compile a kernel of CUDA or HIP, or return what was compiled before."""
        with self._driver.on(device):
            function = self._modules.function(device, source, kernel, options)
        return Kernel(self._driver, self._streams, device, function)

    def namespace(self, device: Device) -> Namespace:
        """Return CuPy as a namespace of the array standard, on a device."""
        computing = self.computing(device)
        import array_api_compat.cupy as module

        return Namespace(module, computing)

    def computing(self, device: Device) -> Computing:
        """Return what makes contexts in which CuPy computes on a device."""
        return Computing(self._driver, device, partial(self._streams.all, device))

    def array(self, operand: Operand, keep: object) -> Any:
        """Return an array of CuPy's on a device's memory."""
        block = memory_of(operand.span.block)
        if block is None:
            raise DeviceMismatchError("memory of the host has no array of CuPy; copy it to a device first")
        self._streams.lend(block)
        return array_on(self._driver, operand, block, keep)

    def root(self, array: Any) -> Any:
        """Return the array that has the memory which an array is a view of."""
        return root_of(array)

    def address(self, array: Any) -> int:
        """Return the address of an array's first element."""
        return int(array.data.ptr)

    def is_readonly(self, array: Any) -> bool:
        """Return False: CuPy refuses no write."""
        return False

    def _trim(self, device: Device) -> int:
        pool = self._driver.cupy.get_default_memory_pool()
        with self._driver.on(device):
            kept: int = pool.free_bytes()
            pool.free_all_blocks()
            left: int = pool.free_bytes()  # what is cut off blocks of which a part is in use
        return kept - left

    def _limits_of(self, device: Device) -> Limits:
        with self._driver.on(device):
            properties = self._driver.runtime.getDeviceProperties(device.index)
        return Limits(
            properties["totalGlobalMem"],
            ALIGNMENT,
            properties["warpSize"],
            frozenset(dtype for dtype in supported() if dtype.isbuiltin == 1),
            tuple(properties["maxGridSize"]),
            self._driver.platform.threads,
        )
