"""The backend protocol for CUDA and ROCm."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

from accel.abc import (
    Block,
    DirectAllocator,
    Event,
    ExternalAllocation,
    Limits,
    Operand,
    Plan,
    PreparedCopy,
    PreparedFill,
    RawParameter,
    Room,
    Span,
    Stream,
)
from accel.device import Device
from accel.dtypes import supported
from accel.errors import DeviceMismatchError, DeviceUnavailableError
from accel.ir import Program
from accel.support.locks import open_after_fork

from .array_blocks import block_of
from .arrays import Namespace, array_on, is_readonly
from .computations import Computations
from .copies import Copier
from .corrections import Corrected
from .device_code import device_source
from .device_streams import DeviceStreams
from .direct_allocation import direct_allocator
from .discovery import Installation, find_cupy
from .driver import Driver
from .foreign_streams import hold_up
from .memory import ALIGNMENT, DeviceBlock, LentBlock, adopted, allocated, cleared, give_back, index_at, memory_of, room
from .modules import Modules
from .pinned import pinned
from .pools import trim
from .python_kernels import CompiledProgram, Toolchain
from .raw_kernels import RawExecutable
from .result_memory import ResultMemory, owner_of, root_of
from .special_functions import SpecialFunctions
from .streams import CupyStream

__all__ = ["CupyBackend"]


_CONCURRENCY = 1 << 14


class CupyBackend:
    """The CUDA or ROCm devices that CuPy finds, depending on the platform that CuPy is built for.

    CuPy is imported when the devices are first asked for. Without a stream, work goes to the current stream, or else
    to the device's default stream, which is CuPy's default stream.
    """

    name = "cupy"
    languages = ("cuda", "hip")
    address = staticmethod(attrgetter("data.ptr"))
    """Return the address of an array's first element."""
    is_readonly = staticmethod(is_readonly)
    """Tell whether an array is not to be written to; CuPy itself refuses none."""
    root = staticmethod(root_of)
    """Return the array whose memory an array is a view of."""

    def __init__(self) -> None:
        self._lock = open_after_fork(threading.RLock())
        self._computations: dict[Device, Computations] = {}

    @cached_property
    def _installation(self) -> Installation:
        with self._lock:
            return find_cupy()

    @cached_property
    def _driver(self) -> Driver:
        installation = self._installation
        if installation.module is None or not installation.device_count:
            raise DeviceUnavailableError("; ".join(installation.reasons.values()))
        return Driver(installation.module, installation.platform)

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
        installation = self._installation
        if not installation.device_count:
            return ()
        first = Device[installation.platform.type.upper()]
        return tuple(first[index] for index in range(installation.device_count))

    def why_unavailable(self) -> Mapping[str, str]:
        """Return, for each type of device that cannot be used here, the reason."""
        return self._installation.reasons

    def limits(self, device: Device) -> Limits:
        """Return the limits of a device."""
        return self._limits[device]

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return bytes from CuPy's pool, for first use on the given stream."""
        streams = self._streams
        queue = streams.current(device) if stream is None else streams.stream_for(stream, device)
        return allocated(self._driver, nbytes, alignment, queue)

    def allocate_cleared(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return bytes from CuPy's pool that the given stream clears; other streams wait for that."""
        streams = self._streams
        queue = streams.current(device) if stream is None else streams.stream_for(stream, device)
        return cleared(self._driver, allocated(self._driver, nbytes, alignment, queue), queue)

    def prepare_allocation(self, device: Device) -> DirectAllocator:
        """Return functions that allocate and free memory of a device in the usual case."""
        return direct_allocator(self._driver, self._streams.default(device))

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Return a block to CuPy's pool, after the work on it of all streams."""
        if not isinstance(block, DeviceBlock):
            return
        after = [] if stream is None else [self._streams.stream_for(stream, block.device)]
        if block.lent:
            after += self._streams.all(block.device)
        give_back(self._driver, block, after)

    def trim(self) -> int:
        """Return the free memory of CuPy's pools to the driver, which waits for all work; return its bytes.

        The idle pinned memory of staged copies is freed too, and is not counted.
        """
        self._copier.trim()
        return sum(map(self._trim, self._streams.devices))

    def free_memory(self, device: Device) -> Room:
        """Return how much memory of a device is free, including the free memory of CuPy's pools."""
        with self._driver.on(device):
            return room(self._driver)

    def device_at(self, address: int) -> Device | None:
        """Return the device that has memory at an address; None if the host can read it."""
        index = index_at(self._driver, address)
        return None if index is None else self.devices()[index]

    def allocate_pinned(self, device: Device, nbytes: int) -> Block:
        """Return pinned memory of the host."""
        return pinned(self._driver, device, nbytes)

    def free_pinned(self, device: Device, block: Block) -> None:
        """Drop the reference to pinned memory; it is unpinned with the last one."""
        self._driver.relaxed(setattr, block, "native", None)

    def adopt(self, external: ExternalAllocation) -> Block:
        """Return a block over the memory of a CuPy array or pointer, or at an address."""
        block = adopted(self._driver, external, self.devices())
        for each in (external.native, external.owner):
            memory = owner_of(self._driver, each)
            if isinstance(memory, ResultMemory):
                memory.lent = True
            elif isinstance(each, self._driver.array_type) and not isinstance(memory, LentBlock):
                self.computing(block.device).results.lend(each)
        return block

    def block_of(self, device: Device, array: Any) -> tuple[DeviceBlock, object] | None:
        """Return the memory of an array that CuPy allocated, and what identifies it; see `accel.abc.OrdersArrays`."""
        block = block_of(self._driver, self._streams, device, array)
        return None if block is None else (block, array.data.mem)

    def copy(self, target: Span, source: Span, *, stream: Stream | None) -> None:
        """Copy bytes, from or to the host, or within or between devices; the spans may overlap."""
        if target.nbytes != source.nbytes:
            raise ValueError(f"{source.nbytes} bytes cannot be copied to {target.nbytes}")
        queue = self._streams.direct_for(stream, target.block, source.block)
        if queue is not None:
            queue.at_once(self._copier.copy, target, source)
        elif target.nbytes:
            work = partial(self._copier.copy, target, source)
            blocks = stream is not None and self._copier.blocks(target, source)
            self._streams.submit(work, stream, target.block, source.block, blocks=blocks)

    def copy_strided(self, target: Operand, source: Operand, plan: Plan, *, stream: Stream | None) -> None:
        """Copy elements as planned; the operands may overlap."""
        copier, ends = self._copier, (target.span.block, source.span.block)
        queue = self._streams.direct_for(stream, *ends) if plan.size else None
        if queue is not None:
            queue.at_once(copier.copy_within, target, source, plan)
            return
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

    def prepare_copy(self, device: Device, target: Operand, source: Operand, plan: Plan) -> PreparedCopy | None:
        """Return a function that copies as planned within a device, or between it and the host, for other addresses."""
        if memory_of(target.span.block) is None or memory_of(source.span.block) is None:
            return self._copier.prepared_with_host(target, source, plan)
        with self._driver.on(device):
            submit = self._copier.prepared(device, target, source, plan)

        def start(stream: CupyStream, into: int, out_of: int) -> None:
            stream.at_once(submit, into, out_of)

        return start

    def prepare_fill(self, device: Device, target: Operand) -> PreparedFill:
        """Return a function that fills operands of a device at other addresses."""
        return self._copier.prepared_fill(device, target)

    def fill(self, target: Operand, value: Any, *, stream: Stream | None) -> None:
        """Set every element."""
        if 0 in target.extents:
            return
        queue = self._streams.direct_for(stream, target.span.block)
        if queue is not None:
            queue.at_once(self._copier.fill, target, value)
        else:
            self._streams.submit(partial(self._copier.fill, target, value), stream, target.span.block)

    def synchronize(self, device: Device) -> None:
        """Wait until all work on the device is done."""
        for stream in self._streams.all(device):
            stream.synchronize()
        with self._driver.on(device):
            self._driver.runtime.deviceSynchronize()

    def new_stream(self, device: Device) -> CupyStream:
        """Return a new stream of a device; it does not wait for the default stream."""
        return self._streams.new(device)

    def default_stream(self, device: Device) -> CupyStream:
        """Return the stream used when none is given or current: CuPy's default stream."""
        return self._streams.default(device)

    def hold_up(self, block: Block, number: int | None, events: Sequence[Event]) -> Sequence[Event]:
        """Make another library's stream wait for some events before it uses a block, without blocking the host."""
        memory = memory_of(block)
        assert memory is not None, "memory of the host is not used by streams"
        ready = [] if memory.stream is None else [memory.stream.event_after(memory.ready)[1]]
        for_host = hold_up(self._streams.events(memory.device), number, [*events, *ready])
        self._streams.lend(memory)  # the stream may be CuPy's, and thus one of this backend
        memory.lend()
        return for_host

    @contextmanager
    def consuming(self, device: Device) -> Iterator[int]:
        """Return a context in which to ask another library for memory of a device; the device is current in it."""
        with self._driver.on(device):
            yield self._streams.stream_for(None, device).number

    def mark(self, stream: Stream) -> Event | None:
        """Return None if the driver has the last work of a stream; else an event after it."""
        return self._streams.stream_for(stream, stream.device).mark()

    def use(self, block: Block, stream: Stream) -> None:
        """Let a stream use a block from now on."""
        memory = memory_of(block)
        if memory is not None:
            memory.use(self._streams.stream_for(stream, memory.device))

    def compile_raw(
        self,
        device: Device,
        source: str,
        kernel: str,
        options: tuple[str, ...],
        parameters: Sequence[RawParameter] = (),
    ) -> RawExecutable:
        """Compile a kernel of CUDA or HIP source, or return the one compiled before."""
        with self._driver.on(device):
            function = self._modules.function(device, source, kernel, options)
        return RawExecutable(self._driver, self._streams, device, function)

    def compile_kernel(self, device: Device, program: Program) -> CompiledProgram:
        """Compile a kernel that is written in Python."""
        return CompiledProgram(self._toolchain(device), program)

    def kernel_source(self, program: Program, language: str) -> str:
        """Return the text that is compiled for a kernel that is written in Python; CUDA and HIP have the same.

        Raises
        ------
        ValueError
            If the language is another.
        """
        if language not in self.languages:
            raise ValueError(f"kernels on GPUs are compiled from 'cuda' and 'hip'; found {language!r}")
        return device_source(program)

    def namespace(self, device: Device) -> Namespace:
        """Return CuPy as a namespace of the array standard, for a device."""
        computing = self.computing(device)
        import array_api_compat.cupy as module

        return Namespace(Corrected(module, self._driver.cupy), computing)

    def special(self, device: Device) -> Namespace:
        """Return CuPy's special functions, for a device."""
        return Namespace(SpecialFunctions(self._driver.cupy), self.computing(device))

    def computing(self, device: Device) -> Computations:
        """Return a factory of contexts in which CuPy computes on a device."""
        return self._computations.get(device) or self._computations.setdefault(
            device, Computations(self._driver, device, self._streams)
        )

    def array(self, operand: Operand, keep: object) -> Any:
        """Return a CuPy array on a device's memory."""
        block = memory_of(operand.span.block)
        if block is None:
            raise DeviceMismatchError("CuPy has no arrays on memory of the host; copy it to a device first")
        self._streams.lend(block)
        return array_on(self._driver, operand, block, keep)

    def _toolchain(self, device: Device) -> Toolchain:
        processors = self._driver.properties(device)["multiProcessorCount"]
        warp = self._limits[device].warp
        return Toolchain(self._driver, self._streams, self._modules, self._copier.copy, device, processors, warp)

    def _trim(self, device: Device) -> int:
        with self._driver.on(device):
            return trim(self._driver)

    def _limits_of(self, device: Device) -> Limits:
        properties = self._driver.properties(device)
        return Limits(
            properties["totalGlobalMem"],
            ALIGNMENT,
            properties["warpSize"],
            frozenset(dtype for dtype in supported() if dtype.isbuiltin == 1),
            tuple(properties["maxGridSize"]),
            self._driver.platform.threads,
            self._driver.parameter_bytes(properties),
            _CONCURRENCY,
        )
