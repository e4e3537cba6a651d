"""`SimRawExecutable`: a user's CUDA or HIP kernel for a simulated device, where it runs as late work of a stream."""

import ctypes
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from accel import config
from accel.abc import Event, Pointer, RawParameter, Stream
from accel.device import Device
from accel.errors import KernelLaunchError
from accel.support.kernel_coverage import counting

from ..common.interrupts import stopped_by_interrupt
from ..cuda_on_cpu.launch.allocations import Areas, Layout
from ..cuda_on_cpu.launch.execution import Arguments, Outcome, run
from ..cuda_on_cpu.launch.structures import Dim3, Kind
from .launcher import Launcher
from .races import Operation
from .raw_arguments import MemoryArgument, NumPyValues, Values
from .raw_sources import LoadedKernel, Loads, refuse_cooperative
from .regions import Region

if TYPE_CHECKING:  # only reports need them
    from ..cuda_on_cpu.findings.explanations import Launched
    from .orders import Orders

__all__ = ["SimRawExecutable"]

_THREADS = 1024


@dataclass(frozen=True, slots=True)
class _Launch:
    """A launch as it was submitted, with the settings of that moment."""

    loaded: LoadedKernel
    values: Values
    grid: Dim3
    block: Dim3
    shared: int
    cooperative: bool
    settings: config.Settings
    workers: int

    def checks(self, name: str) -> bool:
        """Return whether a check is on."""
        return name in self.settings.kernel_checks.split(",")


class SimRawExecutable:
    """A kernel for one simulated device.

    Parameters
    ----------
    device : Device
        The device.
    launcher : Launcher
        The backend.
    kernels : Loads
        The source.
    kernel : str
        The name of the kernel in it.
    parameters : sequence of RawParameter
        Its parameters; without them, only an argument that is a `Pointer` is an address.
    """

    def __init__(
        self,
        device: Device,
        launcher: Launcher,
        kernels: Loads,
        kernel: str,
        parameters: Sequence[RawParameter] = (),
    ) -> None:
        self._device = device
        self._launcher = launcher
        self._kernels = kernels
        self._kernel = kernel
        self._parameters = parameters
        self._layout: Layout | None = None

    def compile(self) -> None:
        """Compile the kernel as the settings say; a launch with other settings compiles it again."""
        self._loaded(config.current())

    def launch(
        self,
        grid: Dim3,
        block: Dim3,
        arguments: Any,
        *,
        shared: int,
        stream: Stream | None,
        cooperative: bool = False,
    ) -> None:
        """Run the kernel late, with the settings of now; what it does wrong is raised by the next wait.

        Raises
        ------
        KernelLaunchError
            If the arguments are not those of the kernel, or a block has too much of something.
        """
        settings = config.current()
        loaded = self._loaded(settings)
        self._refuse(loaded, block, arguments)
        loaded.refuse_shared(self._kernel, shared, settings.sim_warp)
        if cooperative:
            refuse_cooperative(self._kernel, prod(grid), prod(block), shared, settings.sim_warp)
        values = self._values(arguments)
        alone = (
            not {"race", "order"}.isdisjoint(settings.kernel_checks.split(","))
            or loaded.counters is not None
            or self._launcher.repeats()
        )
        launch = _Launch(
            loaded, values, grid, block, shared, cooperative, settings, workers=1 if alone else settings.threads
        )
        self.submit(launch, stream)

    def submit(self, launch: _Launch, stream: Stream | None) -> Event:
        """Submit a launch."""
        queue = self._launcher.stream_of(stream, self._device)
        return queue.submit(f"kernel {self._kernel}", partial(self._run, launch))

    def _loaded(self, settings: config.Settings) -> LoadedKernel:
        return self._kernels.loaded(
            self._kernel, settings.sim_warp, checked=bool(settings.kernel_checks), counts=counting()
        )

    def _refuse(self, loaded: LoadedKernel, block: Dim3, arguments: Any) -> None:
        sizes = self._sizes(arguments)
        if sizes != loaded.entry.sizes:
            raise KernelLaunchError(
                f"{self._kernel} takes arguments of {_text(loaded.entry.sizes)} bytes; found {_text(sizes)}: pass "
                f"what its parameters are declared as"
            )
        if prod(block) > _THREADS:
            raise KernelLaunchError(
                f"{self._kernel} was launched with a block of {block}, which is {prod(block)} threads; up to "
                f"{_THREADS} are possible"
            )

    def _sizes(self, arguments: Any) -> tuple[int, ...]:
        """Return the bytes of each argument."""
        return tuple(np.asarray(each).nbytes for each in arguments)

    def _values(self, arguments: Any) -> Values:
        """Return the arguments, and which of them are memory."""
        values = [self._address(place, value) for place, value in enumerate(arguments)]
        return NumPyValues(values, [self._memory(place, value) for place, value in enumerate(values)])

    def _parameter(self, place: int) -> RawParameter | None:
        return self._parameters[place] if place < len(self._parameters) else None

    def _memory(self, place: int, value: Any) -> MemoryArgument | None:
        """Return memory for an argument that is an address."""
        parameter = self._parameter(place)
        if not isinstance(value, Pointer) and (parameter is None or not parameter.rank):
            return None
        region = _region(value, 1 if parameter is None else parameter.dtype.itemsize)
        memory = self._launcher.memory_at(region.low, region.high - region.low) if region.low < region.high else None
        name = "" if parameter is None else parameter.name
        if memory is None and region.low < region.high:
            raise KernelLaunchError(
                f"parameter {name or place} of {self._kernel} was given {region.high - region.low} bytes at "
                f"{region.low:#x}, which no simulated device has; pass memory that is not released"
            )
        if parameter is None:
            return MemoryArgument(name, memory, region, writable=True)
        return MemoryArgument(name, memory, region, parameter.writable, np.dtype(parameter.dtype))

    def _address(self, place: int, value: Any) -> Any:
        """Return a pointer for an integer that is a simulated address: up to the end of the memory that is there."""
        parameter = self._parameter(place)
        may_be_address = isinstance(value, np.int64 | np.uint64) and not isinstance(value, Pointer)
        if not may_be_address or (parameter is not None and parameter.rank != 0):
            return value
        memory = self._launcher.memory_at(int(value), 1)
        return value if memory is None else Pointer.to(int(value), memory.pointer + memory.nbytes - int(value))

    def _run(self, launch: _Launch, operation: Operation) -> None:
        """Run the kernel: the body of the task."""
        memory = launch.values.memory
        self._launcher.touch(operation, *((each.memory, each.region, each.writable) for each in memory))
        if not launch.checks("init"):
            _note_written(memory)
        arguments = launch.values.on_host()
        areas = self._areas(launch)
        orders = self._orders(areas) if launch.checks("order") else None
        outcome = self._outcome(launch, arguments, areas)
        if outcome.printed:
            sys.stdout.write(outcome.printed)
        if outcome.stopped == Kind.INTERRUPTED:
            raise KeyboardInterrupt
        if outcome.findings:
            self._raise(launch, outcome, areas)
        if orders is not None:
            self._compare(launch, arguments, areas, orders)

    def _orders(self, areas: Areas) -> "Orders":
        from .orders import Orders

        return Orders(self._kernel, areas, lambda: self._launcher.heap(self._device).used)

    def _compare(self, launch: _Launch, arguments: Arguments, areas: Areas, orders: "Orders") -> None:
        """Run the launch in other orders; raise the error of what one of them finds, or of results that differ."""
        outcome, differences = orders.compare(partial(self._outcome, launch, arguments, areas))
        if outcome is not None and outcome.stopped == Kind.INTERRUPTED:
            raise KeyboardInterrupt
        if outcome is not None:
            self._raise(launch, outcome, areas)
        if differences:
            from ..cuda_on_cpu.findings.orders import order_error

            arguments_of = [(each.argument, each.dtype) for each in launch.values.memory]
            dtypes = {memory.host: dtype for memory, dtype in arguments_of if memory is not None and dtype is not None}
            raise order_error(self._launched(launch, areas), differences, dtypes)

    def _areas(self, launch: _Launch) -> Areas:
        spaces = self._launcher.spaces
        for space in spaces:
            space.remember_released()
            _drop(launch.loaded, space.stale_cells)
        layout, module = self._layout, launch.loaded.module
        while layout is None or not layout.is_current(spaces, module) or (blocks := layout.blocks()) is None:
            layout = self._layout = Layout(spaces, module)
        return Areas(layout, blocks, launch.loaded.cells)

    def _outcome(
        self, launch: _Launch, arguments: Arguments, areas: Areas, watched: "np.ndarray[Any, Any] | None" = None
    ) -> Outcome:
        settings, runtime = launch.settings, launch.loaded.module.runtime
        checks = _checks(settings.kernel_checks)
        ranges = areas.ranges(checks.split(",")) if checks else None
        stop = ctypes.c_uint32(0)
        with stopped_by_interrupt(partial(setattr, stop, "value", 1)):
            outcome = run(
                launch.loaded.module,
                launch.loaded.entry,
                arguments,
                grid=launch.grid,
                block=launch.block,
                shared=launch.shared,
                warp=settings.sim_warp,
                ranges=ranges,
                checks=checks,
                seed=self._launcher.draw(),
                workers=launch.workers,
                limit=settings.kernel_limit,
                cooperative=launch.cooperative,
                stop=stop,
                heap=self._launcher.heap(self._device).address(runtime),
                heap_size=settings.sim_heap,
                watched=watched,
            )
        if ranges is not None:
            areas.take_shadows(ranges)
        if launch.loaded.counters is not None:
            launch.loaded.counters.tell()
        return outcome

    def _words(self) -> Mapping[str, str]:
        """Return what the language of the kernel has for words of CUDA in reports."""
        return {}

    def _raise(self, launch: _Launch, outcome: Outcome, areas: Areas) -> None:
        """Raise the error of the finding that stopped the launch, or of the first one, with all reports, if any."""
        from ..cuda_on_cpu.findings.explanations import distinct, error_of, reports_of

        findings = sorted(outcome.findings, key=lambda finding: (finding.kind != outcome.stopped, finding.kind))
        launched = self._launched(launch, areas)
        findings = distinct(launched, findings)
        if not findings:
            return
        reports = tuple(reports_of(launched, findings, outcome.standings))
        self._launcher.races.extend([str(each) for each in reports if each.check == "race"])
        raise error_of(findings[0].kind, reports)

    def _launched(self, launch: _Launch, areas: Areas) -> "Launched":
        """Return what reports need to know of a launch."""
        from ..cuda_on_cpu.findings.explanations import Launched

        return Launched(
            kernel=self._kernel,
            grid=launch.grid,
            block=launch.block,
            warp=launch.settings.sim_warp,
            shared=launch.shared,
            module=launch.loaded.module,
            areas=areas,
            arguments=[each.argument for each in launch.values.memory if each.argument is not None],
            limit=launch.settings.kernel_limit,
            words=self._words(),
        )


def _checks(names: str) -> str:
    """Return the checks of the machine: what races may differ between orders because of that."""
    checks = names.split(",")
    return ",".join([*[each for each in checks if each != "order"], *(["race"] if "order" in checks else [])])


def _text(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "no"


def _region(value: Any, itemsize: int) -> Region:
    """Return the bytes of an argument: those of a pointer, or of the elements of an ``accel::View``."""
    if isinstance(value, Pointer):
        return Region.at(int(value), (value.extent,), (1,), 1)
    view = np.asarray(value).reshape(-1)[0]
    address, extents, strides = int(view["data"]), view["extents"].tolist(), view["strides"].tolist()
    return Region.at(address, tuple(extents), tuple(stride * itemsize for stride in strides), itemsize)


def _note_written(arguments: Sequence[MemoryArgument]) -> None:
    """Note all memory that the kernel may write as written, since its writes are not checked."""
    for each in arguments:
        if each.writable and each.memory is not None:
            each.memory.note_all_written()


def _drop(loaded: LoadedKernel, stale: deque[int]) -> None:
    while stale:
        loaded.module.runtime.accel_sim_drop_cells(ctypes.c_void_p(stale.popleft()))
