"""`CompiledProgram`: a kernel that is written in Python, compiled for one device."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from accel.abc import Block, Event, Span, Stream
from accel.abc.kernels import Failure
from accel.device import Device
from accel.ir import SLOT, Loop, Number, Program, Threads
from accel.support.kernel_reports import Dim3

from .device_code import (
    NARROW,
    PARTIAL,
    THREADS,
    FormPacking,
    Packing,
    counting_numbers,
    device_source,
    is_joined,
    kept,
    kernel_name,
    launched,
    reach,
    reductions,
    shared_bytes,
    totals_name,
    trips,
)
from .device_streams import DeviceStreams
from .driver import Driver
from .kernel_calls import Arguments, Launch, SpareArguments, launch_in_order
from .memory import DeviceBlock, temporary
from .modules import Modules
from .raw_kernels import RawExecutable
from .streams import CupyStream

__all__ = ["CompiledProgram", "Toolchain"]

Geometry = tuple[int, int, int, int, int, int]
"""Blocks, then threads of a block, along each axis."""
Explain = Callable[[Failure], Exception]

_BLOCKS = 8
"""Blocks of `THREADS` threads that a multiprocessor runs at once; more would wait for these."""

_MOST_COUNTED = 256
"""Of how many numbers of iterations the launches are kept."""
_ONE_THREAD = (1, 1, 1, 1, 1, 1)
_ONE_BLOCK = (1, 1, 1, THREADS, 1, 1)
_RECORD = 64
"""Bytes for the record of failures: seven integers of 64 bits, and padding for what comes after it."""


class Toolchain(NamedTuple):
    """What compiles and launches the programs of one device.

    Attributes
    ----------
    driver, streams, modules : Driver, DeviceStreams, Modules
        Those of the backend.
    copy : callable
        Copies bytes to the host, and blocks until they are there: takes the target, the source, and the stream.
    device : Device
        The device.
    processors : int
        The number of its multiprocessors.
    warp : int
        The number of threads of a warp.
    """

    driver: Driver
    streams: DeviceStreams
    modules: Modules
    copy: Callable[[Span, Span, CupyStream], None]
    device: Device
    processors: int
    warp: int

    def executable(self, source: str, kernel: str, bits: int) -> RawExecutable:
        """Return a kernel of a text, with distances of 32 or 64 bits; the device is current."""
        options = (f"-DACCEL_INDEX={bits}", f"-DACCEL_WARP={self.warp}", self.driver.platform.no_contraction)
        function = self.modules.function(self.device, source, kernel, options)
        return RawExecutable(self.driver, self.streams, self.device, function)


class _Step(NamedTuple):
    """A step of a program.

    ``trips`` computes the number of iterations of a loop; it is None if the host cannot, and for other steps. If
    ``joined``, the kernel of the totals does what comes after them, also if there are no iterations.
    """

    loop: bool
    trips: Callable[[Sequence[Any]], int] | None
    kernel: str
    totals: str | None
    joined: bool = False


class CompiledProgram:
    """A program, compiled for one device; see `accel.abc.CompiledKernel`."""

    def __init__(self, tools: Toolchain, program: Program) -> None:
        self.tools = tools
        self.program = program
        self.steps = [_step(program, number) for number in launched(program)]
        self.explicit = any(isinstance(step, Threads) for step in program.steps)
        self.shared = shared_bytes(program)
        self.reductions = reductions(program)
        self.frame = kept(program)
        self.own = "Q" * bool(self.frame) + "QI" * bool(self.reductions) + "Q" * program.debug
        """The codes of the backend's own arguments."""
        self.packing = Packing(program, self.own)
        self.scratch = PARTIAL * self.reductions * self.blocks(None)
        self._source = device_source(program)
        self._reach = reach(program)
        self._counting = counting_numbers(program)
        self._kernels: dict[tuple[str, int], RawExecutable] = {}
        for step in self.steps:  # errors of the compiler are raised now; others are rare and compiled at a launch
            self.kernel(step.kernel, 32)

    def launch(
        self, arguments: Sequence[Any], *, grid: Dim3, block: Dim3, stream: Stream | None, explain: Explain
    ) -> Callable[[], tuple[Any, ...]] | None:
        """Run the steps in order, ordered by the stream; see `accel.abc.CompiledKernel`."""
        streams = self.tools.streams
        queue = streams.stream_for(stream, self.tools.device)
        if queue.caught_up != queue.new_blocks.number:
            streams.wait_for_reused(queue)
        counts = [None if step.trips is None else step.trips(arguments) for step in self.steps]
        bits = self.bits(arguments, counts)
        for step in self.steps:
            self.kernel(step.kernel, bits).allow(self.shared)
        launch = _Launch(self, arguments, counts, bits, (*grid, *block), explain)
        # In debug mode a thread of the host waits for the kernels, and each wait for it raises the error.
        queue.submit(partial(launch.start, queue), blocks=self.program.debug)
        return partial(launch.results, queue, queue.record()) if self.program.results else None

    def computation(
        self, forms: Sequence[tuple[int, ...]], explain: Explain
    ) -> Callable[[Sequence[int], Sequence[Any], Any], object] | None:
        """Return a function that runs the kernel on arrays of certain forms; see `accel.abc.ComputesArrays`."""
        if self.program.debug or self.program.results or self.explicit:
            return None
        if sum(step.totals is not None for step in self.steps) > 1:
            return None
        values = [number for form in forms for number in (0, *form)]
        values += [0] * sum(isinstance(each, Number) for each in self.program.parameters)
        return self._prepared(values)

    def _prepared(self, values: Sequence[Any]) -> Callable[[Sequence[int], Sequence[Any], Any], object]:
        """Return a function that launches the kernels with arguments of the forms of these."""
        launches, blocks = self._launches(values, _ONE_THREAD)
        if not launches:
            return _nothing
        driver, device, needed = self.tools.driver, self.tools.device, SLOT * len(self.frame)
        packing = FormPacking(self.program, self.own, values)
        prepared = SpareArguments(_with_forms(packing))
        write, current, has_frame, scratch = (
            packing.write,
            driver.cuda.get_current_stream,
            bool(self.frame),
            self.scratch,
        )
        allocate = driver.cuda.alloc

        def own_of(start: int) -> Sequence[int]:
            own = [start] if has_frame else []
            return [*own, start + needed, blocks] if scratch else own

        def compute(addresses: Sequence[int], numbers: Sequence[Any], queue: Any) -> None:
            arguments = prepared.take()
            try:
                stream = (current() if queue is None else queue).ptr
                # CuPy's pool reuses it on this stream.
                memory = allocate(needed + scratch) if needed + scratch else None
                write(arguments.memory, addresses, numbers, () if memory is None else own_of(memory.ptr))
                for launch in launches:
                    launch(stream, arguments.table, 0)
            except Exception as error:
                raise driver.translated(error, device) from error
            finally:
                prepared.give_back(arguments)

        return compute

    def launcher(self, arguments: Sequence[Any], grid: Dim3, block: Dim3) -> Callable[..., bool] | None:
        """Return a function that launches the kernels on memory of the same forms; see `accel.abc.PreparesForms`."""
        if self.own or self.program.results:
            return None
        packing, explicit = FormPacking(self.program, self.own, arguments), (*grid, *block)
        prepared, write = _with_forms(packing), packing.pack_into
        launches_of = partial(self._counted_launches, [*arguments], explicit, {})
        fixed = None if self._counting else self._launches(arguments, explicit)[0]

        def submit(stream: int, *values: Any) -> None:
            write(prepared.memory, 0, *values)
            for launch in launches_of(values) if fixed is None else fixed:
                launch(stream, prepared.table, 0)

        return launch_in_order(self.tools.driver, self.tools.streams, self.tools.device, submit)

    def _counted_launches(
        self, arguments: list[Any], explicit: Geometry, cached: dict[Any, list[Launch]], values: Sequence[Any]
    ) -> list[Launch]:
        """Return what launches each kernel with addresses and numbers on which the loops depend."""
        numbers = tuple([values[place] for place, _ in self._counting])
        launches = cached.get(numbers)
        if launches is None:
            for (_, argument), number in zip(self._counting, numbers, strict=True):
                arguments[argument] = number
            if len(cached) >= _MOST_COUNTED:
                cached.clear()
            launches = cached[numbers] = self._launches(arguments, explicit)[0]
        return launches

    def _launches(self, values: Sequence[Any], explicit: Geometry) -> tuple[list[Launch], int]:
        """Return what launches each kernel, in order, and the number of blocks whose totals are joined."""
        counts, blocks = [None if step.trips is None else step.trips(values) for step in self.steps], 0
        bits = self.bits(values, counts)
        launches: list[Launch] = []

        def add(name: str, geometry: Geometry) -> None:
            kernel = self.kernel(name, bits)
            kernel.allow(self.shared)
            launches.append(partial(self.tools.driver.launch_kernel, kernel.pointer, *geometry, self.shared))

        for step, count in zip(self.steps, counts, strict=True):
            geometry = self.geometry(step, count, explicit)
            if count != 0:
                add(step.kernel, geometry)
            if step.totals is not None and (count != 0 or step.joined):
                blocks = geometry[0]
                add(step.totals, _ONE_BLOCK)
        return launches, blocks

    def start(self, name: str, bits: int, geometry: Geometry, arguments: Arguments, queue: CupyStream) -> None:
        """Launch a kernel; the device is current."""
        pointer = self.kernel(name, bits).pointer
        self.tools.driver.launch_kernel(pointer, *geometry, self.shared, queue.handle, arguments.table, 0)

    def geometry(self, step: _Step, count: int | None, explicit: Geometry) -> Geometry:
        """Return the blocks and the threads of a step."""
        if self.explicit:
            return explicit
        return (self.blocks(count), 1, 1, THREADS, 1, 1) if step.loop else _ONE_THREAD

    def blocks(self, count: int | None) -> int:
        """Return the blocks for a number of iterations; None if it is not known."""
        most = _BLOCKS * self.tools.processors
        return most if count is None else min(-(-count // THREADS), most)

    def kernel(self, name: str, bits: int) -> RawExecutable:
        """Return one of the kernels."""
        match = self._kernels.get((name, bits))
        if match is None:
            with self.tools.driver.on(self.tools.device):
                match = self._kernels[name, bits] = self.tools.executable(self._source, name, bits)
        return match

    def bits(self, arguments: Sequence[Any], counts: Sequence[int | None]) -> int:
        """Return the bits of distances and numbers of iterations that a launch needs."""
        counted = [count for count, step in zip(counts, self.steps, strict=True) if step.loop]
        fits = None not in counted and max([self._reach(arguments), *[count or 0 for count in counted]]) < NARROW
        return 32 if fits else 64


def _with_forms(packing: FormPacking) -> Arguments:
    arguments = Arguments(packing.offsets, packing.nbytes)
    packing.write_forms(arguments.memory)
    return arguments


def _nothing(_: Sequence[int], __: Sequence[Any], ___: Any) -> None:
    pass


def _step(program: Program, number: int) -> _Step:
    step, kernel = program.steps[number], kernel_name(program, number)
    if not isinstance(step, Loop):
        return _Step(False, None, kernel, None)
    totals = totals_name(program, number) if step.reductions else None
    return _Step(True, trips(program, step), kernel, totals, is_joined(program))


class _Launch:
    """One launch of a program: its kernels, and the memory that they use besides the arguments."""

    def __init__(
        self,
        compiled: CompiledProgram,
        arguments: Sequence[Any],
        counts: Sequence[int | None],
        bits: int,
        geometry: Geometry,
        explain: Explain,
    ) -> None:
        self._compiled = compiled
        self._tools = compiled.tools
        self._values = arguments
        self._counts = counts
        self._geometry = geometry
        self._explain = explain
        self._bits = bits
        self._arguments = Arguments(compiled.packing.offsets, compiled.packing.nbytes)
        self._memory: DeviceBlock | None = None

    def start(self, queue: CupyStream) -> None:
        """Submit the kernels to the driver; in debug mode wait for them, and raise the first failure."""
        in_use = False
        try:
            self._submit(queue)
            in_use = bool(self._compiled.program.results)
        finally:
            if not in_use:  # an error keeps this object, but need not keep the memory
                self._memory = None

    def _submit(self, queue: CupyStream) -> None:
        debug = self._compiled.program.debug
        self._memory = self._allocation(queue)
        if debug and self._memory is not None:
            self._tools.driver.runtime.memsetAsync(self._memory.pointer, 0, _RECORD, queue.handle)
        for step, count in zip(self._compiled.steps, self._counts, strict=True):
            if count != 0 or step.joined:
                self._run(step, count, queue)
        if debug:
            self._raise_failure(queue)

    def results(self, queue: CupyStream, done: Event) -> tuple[Any, ...]:
        """Wait for the kernels, and return the results."""
        done.wait()
        program, memory = self._compiled.program, self._memory
        assert memory is not None, "results are in the frame"
        with self._tools.driver.on(queue.device):
            frame = self._read(memory, _RECORD, SLOT * len(program.frame), queue)
        names = [local.name for local in program.frame]
        slots = [(SLOT * names.index(local.name), local.dtype) for local in program.results]
        return tuple([frame[start : start + dtype.itemsize].view(dtype)[0] for start, dtype in slots])

    def _allocation(self, queue: CupyStream) -> DeviceBlock | None:
        """Return memory for the record, the frame and the partial totals, in this order; None if there are none.

        Only this stream uses it, and CuPy's pool reuses it on this stream.
        """
        compiled = self._compiled
        nbytes = _RECORD + SLOT * len(compiled.frame) + compiled.scratch
        if nbytes == _RECORD and not compiled.program.debug:
            return None
        native = temporary(self._tools.driver, nbytes, queue)
        return DeviceBlock(native.ptr, nbytes, native, queue.device, queue)

    def _run(self, step: _Step, count: int | None, queue: CupyStream) -> None:
        compiled, arguments = self._compiled, self._arguments
        geometry = compiled.geometry(step, count, self._geometry)
        compiled.packing.write(arguments.memory, self._values, self._own(geometry[0]))
        if count != 0:
            compiled.start(step.kernel, self._bits, geometry, arguments, queue)
        if step.totals is not None:
            compiled.start(step.totals, self._bits, _ONE_BLOCK, arguments, queue)

    def _own(self, blocks: int) -> list[int]:
        """Return the arguments that follow those of the launch."""
        program, memory = self._compiled.program, self._memory
        if memory is None:
            return []
        frame, kept_bytes = memory.pointer + _RECORD, SLOT * len(self._compiled.frame)
        own = [frame] if kept_bytes else []
        if self._compiled.reductions:
            own += [frame + kept_bytes, blocks]
        return [*own, memory.pointer] if program.debug else own

    def _raise_failure(self, queue: CupyStream) -> None:
        assert self._memory is not None, "debug mode has a record"
        result = Failure._make(self._read(self._memory, 0, 8 * len(Failure._fields), queue).view(np.int64).tolist())
        if result.failures:
            raise self._explain(result)

    def _read(self, memory: DeviceBlock, start: int, nbytes: int, queue: CupyStream) -> Any:
        into = np.empty(nbytes, np.uint8)
        self._tools.copy(Span(Block(into.ctypes.data, nbytes, into), 0, nbytes), Span(memory, start, nbytes), queue)
        return into
