"""The backend protocol for simulated devices."""

import atexit
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from accel import config
from accel.abc import Block, ExternalAllocation, Leaf, Limits, Operand, Plan, RawParameter, Room, Span, Stream
from accel.device import Device
from accel.dtypes import SUPPORTED
from accel.errors import DeviceLostError, DeviceMismatchError
from accel.support import host_compiler
from accel.support.call_sites import call_site
from accel.support.kernel_coverage import counting

from ..common import host_copies
from ..common.special_functions import SpecialFunctions
from .arrays import SimArray
from .device_memory import ALIGNMENT, DeviceMemory
from .executor import Namespace, SimExecutor
from .faults import FaultPoints
from .kernel_heap import KernelHeap
from .memory import NOTHING, Memory
from .operands import bytes_of, elements, flat, memory_of, region_of, regions_of
from .pinned import PinnedMemory
from .races import Operation
from .regions import Region
from .scheduler import Scheduler
from .streams import SimStream

if TYPE_CHECKING:  # most programs run no kernels
    from pathlib import Path

    from accel.ir import Program
    from accel.support.kernel_coverage import Point

    from ..cuda_on_cpu.programs.execution import Ended
    from .kernels import SimKernel
    from .llvm_executable import LlvmExecutable
    from .raw_executable import SimRawExecutable
    from .raw_sources import Kernels

__all__ = ["SimBackend"]

_WARP = 32
_GRID = (2**31 - 1, 65_535, 65_535)


class SimBackend:
    """Simulated devices, ``sim`` to ``sim:3``, which can access each other's memory.

    Work runs late, in a random order seeded by ``sim_seed``; each device has ``sim_memory`` bytes. Without a stream,
    work goes to the current stream, or else to the device's default stream.

    Attributes
    ----------
    faults : FaultPoints
        Called before allocations, copies and work; tests replace its methods to make these fail.
    """

    name = "sim"
    languages = ("python",)

    def __init__(self, devices: int = 4) -> None:
        self._devices = tuple(Device.SIM[index] for index in range(devices))
        self._memory = {device: DeviceMemory(device) for device in self._devices}
        self._pinned = {device: PinnedMemory(device) for device in self._devices}
        self._scheduler = Scheduler()
        self._executors: dict[Device, SimExecutor] = {}
        self._kernels: dict[tuple[Device, str, tuple[str, ...], tuple[str, ...]], Kernels] = {}
        self.faults = FaultPoints()
        self.allocate_cleared = partial(self.allocate, cleared=True)
        atexit.register(self._scheduler.finish_at_exit)

    @property
    def spaces(self) -> Sequence[DeviceMemory]:
        """The memory of all devices."""
        return (*self._memory.values(),)

    @property
    def races(self) -> deque[str]:
        """Reports of the last thousand races; the caller clears it after reading."""
        return self._scheduler.detector.reports

    def reseed(self, seed: int) -> None:
        """Restart the random order of work from a seed."""
        self._scheduler.reseed(seed)

    def used(self, device: Device) -> int:
        """Return how many bytes of a device are in use, including the results of computations."""
        return self._memory[device].used

    def devices(self) -> Sequence[Device]:
        """Return all simulated devices."""
        return self._devices

    def why_unavailable(self) -> Mapping[str, str]:
        """Return an empty mapping: simulated devices are always available."""
        return MappingProxyType({})

    def limits(self, device: Device) -> Limits:
        """Return the limits of a device."""
        return Limits(config.current().sim_memory, ALIGNMENT, _WARP, SUPPORTED, _GRID)

    def allocate(
        self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None, cleared: bool = False
    ) -> Block:
        """Return poisoned bytes, or ``cleared`` ones for `allocate_cleared`: they are 0 at once, for every stream."""
        if alignment <= 0 or alignment & (alignment - 1):
            raise ValueError(f"an alignment is a power of two; found {alignment}")
        self._scheduler.refuse_fork()
        self.faults.at_work(device)
        self.faults.at_allocation(device, nbytes)
        memory = self._memory[device].allocate(nbytes, alignment, cleared=cleared)
        return Block(memory.pointer, memory.nbytes, memory)

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Free a block: at once, or after all work that was submitted to a stream so far.

        Raises
        ------
        ReleasedError
            If it was freed before.
        """
        memory, site = block.native, call_site()
        memory.refuse_freed()
        if stream is None:
            self._memory[memory.device].give_back(memory, site)
        else:
            self._free_late(block, site, stream)

    def free_memory(self, device: Device) -> Room:
        """Return how much memory of a device is free."""
        return self._memory[device].room()

    def device_at(self, address: int) -> Device | None:
        """Return the device whose address space contains an address; None for an address of the host."""
        return next((device for device, memory in self._memory.items() if memory.has_address(address)), None)

    def allocate_pinned(self, device: Device, nbytes: int) -> Block:
        """Return pinned host memory; for each device at most a quarter of ``sim_memory`` can be pinned."""
        return self._pinned[device].allocate(nbytes)

    def free_pinned(self, device: Device, block: Block) -> None:
        """Free pinned memory."""
        self._pinned[device].free(block)

    def adopt(self, external: ExternalAllocation) -> Block:
        """Return a block over memory of these devices: the buffer of a storage, a `SimArray`, or an address."""
        memory, pointer = external.native, external.pointer or 0
        if isinstance(memory, Memory):
            memory.refuse_freed()
            return Block(memory.pointer, memory.nbytes, memory)
        if isinstance(external.owner, SimArray):
            return Block(pointer, external.nbytes, external.owner.memory)
        if memory is not None:
            raise TypeError(f"{type(memory).__name__} is not memory of a simulated device; write storage.get_buffer()")
        if not external.nbytes:
            return Block(0, 0, NOTHING)
        existing = self.memory_at(pointer, external.nbytes)
        if existing is not None:
            return Block(pointer, external.nbytes, existing)
        raise ValueError(f"no simulated device has {external.nbytes} bytes at {pointer:#x}")

    def copy(self, target: Span, source: Span, *, stream: Stream | None) -> None:
        """Copy bytes late, between the host and these devices or among them; the spans may overlap."""
        if target.nbytes != source.nbytes:
            raise ValueError(f"{source.nbytes} bytes cannot be copied to {target.nbytes}")
        self.copy_strided(flat(target), flat(source), _one_piece(target.nbytes), stream=stream)

    def copy_strided(self, target: Operand, source: Operand, plan: Plan, *, stream: Stream | None) -> None:
        """Copy elements late, as planned; the operands may overlap."""
        written, read = regions_of(target, source, plan)
        fails = self.faults.takes_copy()

        def copy_now(operation: Operation) -> None:
            for end in (target, source):
                if _memory(end) is None:
                    operation.use_host(end.span.block.native)
            self.begin(operation, (_memory(source), read, False), (_memory(target), written, True))
            if fails:
                raise DeviceLostError(f"{operation} was made to fail")
            host_copies.copy(target, bytes_of(target.span), source, bytes_of(source.span), plan)

        queue, *others = self._streams(stream, target, source)
        copy = queue.submit("a copy", copy_now, [other.record() for other in others])
        for other in others:
            other.wait_for(copy)

    def fill(self, target: Operand, value: Any, *, stream: Stream | None) -> None:
        """Set every element late."""
        region = region_of(target)

        def fill_now(operation: Operation) -> None:
            self.begin(operation, (_memory(target), region, True))
            host_copies.fill(target, bytes_of(target.span), value)

        self.stream_of(stream, target.span.block.native.device).submit("a fill", fill_now)

    def synchronize(self, device: Device) -> None:
        """Run work until all of a device's is done; raises the errors of work that no wait has raised yet."""
        self._scheduler.finish(lambda operation: operation.device is device)
        self.faults.at_work(device)

    def new_stream(self, device: Device) -> SimStream:
        """Return a new stream of a device."""
        return self._scheduler.new_stream(device)

    def default_stream(self, device: Device) -> SimStream:
        """Return the stream used when none is given or current; it does not wait for the others."""
        return self._scheduler.default_stream(device)

    def namespace(self, device: Device) -> Namespace:
        """Return a namespace of the array standard in which NumPy computes on a device's memory."""
        from ..common import numpy_namespace as module

        return Namespace(self._executor(device), module)

    def special(self, device: Device) -> Namespace:
        """Return a namespace of special functions, in which SciPy computes on a device's memory."""
        return Namespace(self._executor(device), SpecialFunctions(device))

    def array(self, operand: Operand, keep: object) -> SimArray:
        """Return an array on simulated memory."""
        memory: Memory = operand.span.block.native
        values = elements(operand)
        values.flags.writeable = operand.writable
        return SimArray(self._executor(memory.device), values, memory, region_of(operand).address, keep=keep)

    def root(self, array: SimArray) -> SimArray:
        """Return the array whose memory an array is a view of."""
        return array.root

    def address(self, array: SimArray) -> int:
        """Return the address of an array's first element."""
        return array.address

    def is_readonly(self, array: SimArray) -> bool:
        """Return whether an array is read-only."""
        return array.readonly

    def checks_threads(self, device: Device) -> bool:
        """Return True: races, missing barriers and reads of memory that was never written are reported."""
        return True

    def compile_kernel(self, device: Device, program: "Program") -> "SimKernel":
        """Return a program compiled for a device."""
        from .kernels import SimKernel

        return SimKernel(program, device, self)

    def missing_compiler(self, device: Device) -> str | None:
        """Return how to install llvmlite, without which long launches are interpreted too; None if it is there."""
        return host_compiler.missing()

    def kernel_source(self, program: "Program", language: str) -> str:
        """Return the Python functions that the steps of a program become; other languages are a `CapabilityError`."""
        from .kernels import kernel_source

        return kernel_source(program, language)

    def compile_raw(
        self,
        device: Device,
        source: str,
        kernel: str,
        options: tuple[str, ...],
        parameters: Sequence[RawParameter] = (),
        instances: tuple[str, ...] = (),
    ) -> "SimRawExecutable":
        """Return a kernel in CUDA or HIP, compiled for a device by a C++ compiler of the host.

        Instances of templates that are named are compiled together with it, and share its variables.

        Raises
        ------
        KernelSyntaxError
            If the compiler refuses the source; the message is the compiler's.
        CapabilityError
            If there is no compiler, or the source uses a feature that is not simulated.
        """
        from .raw_executable import SimRawExecutable

        kernels = self._kernels_of(device, source, options, instances)
        executable = SimRawExecutable(device, self, kernels, kernel, parameters)
        executable.compile()
        return executable

    def compile_llvm(
        self,
        device: Device,
        texts: Sequence[str],
        entry: str,
        name: str,
        *,
        linked: Sequence[str] = (),
        options: Sequence[str] = (),
    ) -> "LlvmExecutable":
        """Return a kernel of numba.cuda, compiled for a device.

        Parameters
        ----------
        device : Device
            The device.
        texts : sequence of str
            Its modules, as numba-cuda writes them for NVIDIA's compiler.
        entry : str
            The symbol of the kernel in them.
        name : str
            What reports call it.
        linked : sequence of str
            What it is linked with, in CUDA.
        options : sequence of str
            For the compiler of that.

        Raises
        ------
        CapabilityError
            If there is no compiler, or the kernel uses a feature that is not simulated.
        """
        from ..cuda_on_cpu.nvvm.modules import source_of
        from ..cuda_on_cpu.nvvm.texts import renamed
        from .llvm_executable import LlvmExecutable

        texts, rename = renamed(texts)
        source = source_of(texts, rename(entry), linked, options)
        executable = LlvmExecutable(device, self, source, name, rename)
        executable.compile()
        return executable

    def raw_variable(
        self, device: Device, source: str, name: str, options: tuple[str, ...], instances: tuple[str, ...] = ()
    ) -> SimArray:
        """Return the bytes of a variable of a source in CUDA or HIP, as its kernels have them with the settings of now.

        Raises
        ------
        KernelLaunchError
            If there is no such variable.
        """
        settings, kernels = config.current(), self._kernels_of(device, source, options, instances)
        checked, space = bool(settings.kernel_checks), self._memory[device]
        memory = kernels.variable(name, space, settings.sim_warp, checked=checked, counts=counting())
        return SimArray(self._executor(device), memory.content(), memory, memory.pointer, keep=memory)

    def counted_points(self, source: str) -> "Sequence[Point]":
        """Return what counters of a source would count: its statements, and the outcomes of its conditions."""
        from ..cuda_on_cpu.text.counted import counted

        return counted(source).points

    def _kernels_of(
        self, device: Device, source: str, options: tuple[str, ...], instances: tuple[str, ...]
    ) -> "Kernels":
        from .raw_sources import Kernels

        key = device, source, options, instances
        return self._kernels.get(key) or self._kernels.setdefault(key, Kernels(*key))

    def run_program(self, sources: "Sequence[Path]", arguments: Sequence[str] = (), **options: Any) -> "Ended":
        """Build and run a program with ``main`` in a process of its own; see `programs.execution.run_program`."""
        from ..cuda_on_cpu.programs.execution import run_program

        return run_program(sources, arguments, **options)

    def memory_at(self, address: int, nbytes: int) -> Memory | None:
        """Return the memory that contains some bytes; None if no simulated device has them."""
        for space in self._memory.values():
            if space.has_address(address):
                return space.memory_at(address, nbytes)
        return None

    def heap(self, device: Device) -> KernelHeap:
        """Return the heap of a device's kernels."""
        return self._memory[device].heap

    def stream_of(self, stream: Stream | None, device: Device) -> SimStream:
        """Return the given stream, or by default the device's current stream."""
        if stream is None:
            return self._scheduler.stream_of(device)
        if isinstance(stream, SimStream):
            return stream
        raise DeviceMismatchError(f"{stream!r} is not a stream of a simulated device; write accel.new_stream('sim')")

    def carry_out(self, device: Device, what: str, work: Callable[[Operation], None]) -> None:
        """Do work on the current stream at once, after all that the stream must do before; raises its error."""
        self._scheduler.carry_out(self._scheduler.stream_of(device), what, work)

    def begin(self, operation: Operation, *uses: tuple[Memory | None, Region, bool]) -> None:
        """Declare the regions that an operation reads and writes, for injected faults and the checks."""
        self.touch(operation, *uses)
        for memory, region, writing in uses:
            if writing and memory is not None:
                memory.note_written(region)

    def touch(self, operation: Operation, *uses: tuple[Memory | None, Region, bool]) -> None:
        """Declare uses as `begin` does, for an operation that notes the bytes that it has written by itself."""
        for device in {operation.device, *(memory.device for memory, _, _ in uses if memory is not None)}:
            self.faults.at_work(device)
        for memory, region, writing in uses:
            history = None if memory is None else memory.history
            self._scheduler.detector.touch(operation, history, region, writing=writing)

    def draw(self) -> int:
        """Return a random number, which depends on ``sim_seed``."""
        return self._scheduler.draw()

    def repeats(self) -> bool:
        """Return whether the user set a seed, so that each run must give the same results."""
        return self._scheduler.repeats()

    def _executor(self, device: Device) -> SimExecutor:
        executor = self._executors.get(device)
        if executor is None:
            allocate = partial(self.allocate, device, alignment=ALIGNMENT, stream=None)
            new = SimExecutor(self._scheduler, self.faults, self._memory[device], allocate)
            executor = self._executors.setdefault(device, new)
        return executor

    def _streams(self, stream: Stream | None, *operands: Operand) -> list[SimStream]:
        """Return the stream for a copy, and that of the other device if a copy between two must be ordered on both."""
        ends = (memory_of(operand.span.block) for operand in operands)
        return list(dict.fromkeys(self.stream_of(stream, end.device) for end in ends if end is not None))

    def _free_late(self, block: Block, site: str, stream: Stream) -> None:
        whole = Region.at(block.pointer, (block.nbytes,), (1,), 1)

        def free_now(operation: Operation) -> None:
            self.begin(operation, (block.native, whole, True))
            block.native.refuse_freed()
            self._memory[block.native.device].give_back(block.native, site)

        self.stream_of(stream, block.native.device).enqueued("a release", free_now)


def _memory(operand: Operand) -> Memory | None:
    return memory_of(operand.span.block)


def _one_piece(nbytes: int) -> Plan:
    return Plan((Leaf(nbytes, 1, 1),), 1, "memcpy")
