"""`SimKernel`: a program compiled for a simulated device, where it runs as late work of a stream."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Protocol

from accel.abc import Stream
from accel.abc.kernels import Failure
from accel.device import Device
from accel.errors import CapabilityError, KernelLaunchError
from accel.ir import Number, Program

from ..memory import Memory
from ..races import Operation
from ..regions import Region
from ..streams import SimStream
from .arguments import Argument, argument
from .interpreter import Interpreter
from .runs import Run
from .threads import Dim3

__all__ = ["Launcher", "SimKernel", "kernel_source"]

_THREADS = 1024
_SHARED = 48 * 1024


class Launcher(Protocol):
    """What a launch asks of the backend."""

    def memory_at(self, address: int, nbytes: int) -> Memory | None:
        """Return the memory that contains some bytes; None if there is none."""
        ...

    def stream_of(self, stream: Stream | None, device: Device) -> SimStream:
        """Return the given stream, or by default the device's current stream."""
        ...

    def begin(self, operation: Operation, *uses: tuple[Memory | None, Region, bool]) -> None:
        """Declare the regions that an operation reads and writes, for injected faults and the race check."""
        ...

    def draw(self) -> int:
        """Return a random number, for the order of iterations and threads."""
        ...


class SimKernel:
    """A program for a simulated device.

    Parameters
    ----------
    program : Program
        The program.
    device : Device
        The device.
    launcher : Launcher
        The backend.
    """

    def __init__(self, program: Program, device: Device, launcher: Launcher) -> None:
        self._program = program
        self._device = device
        self._launcher = launcher
        self._interpreter = Interpreter(program)

    def launch(
        self,
        arguments: Sequence[Any],
        *,
        grid: Dim3,
        block: Dim3,
        stream: Stream | None,
        explain: Callable[[Failure], Exception],
    ) -> Callable[[], tuple[Any, ...]] | None:
        """Run the steps late; see `CompiledKernel`.

        Raises
        ------
        KernelLaunchError
            If a block is too large, or an argument is not memory of a simulated device.
        """
        self._refuse_large(block)
        views, numbers = self._bound(arguments)
        results: list[tuple[Any, ...]] = []

        def run_now(operation: Operation) -> None:
            self._launcher.begin(operation, *((each.memory, each.region, each.view.writable) for each in views))
            run = self._run(views, numbers, grid, block)
            failure, found = self._interpreter.run(run, races=self._program.debug)
            if failure is not None:
                raise explain(failure)
            results.append(found)

        task = self._launcher.stream_of(stream, self._device).submit(f"kernel {self._program.name}", run_now)

        def fetch() -> tuple[Any, ...]:
            task.wait()
            return results[0]

        return fetch if self._program.results else None

    def _run(self, views: Sequence[Argument], numbers: dict[str, Any], grid: Dim3, block: Dim3) -> Run:
        cells = {each.view.name: each.cells(poisoned=self._program.debug) for each in views}
        return Run(self._program, cells, numbers, grid=grid, block=block, seed=self._launcher.draw())

    def _bound(self, arguments: Sequence[Any]) -> tuple[list[Argument], dict[str, Any]]:
        """Return the memory of the views, and the numbers by their names."""
        views: list[Argument] = []
        numbers: dict[str, Any] = {}
        values = iter(arguments)
        for parameter in self._program.parameters:
            if isinstance(parameter, Number):
                numbers[parameter.name] = parameter.dtype.type(next(values))
            else:
                views.append(argument(parameter, values, self._launcher.memory_at))
        return views, numbers

    def _refuse_large(self, block: Dim3) -> None:
        if prod(block) > _THREADS:
            raise KernelLaunchError(
                f"kernel {self._program.name} was launched with a block of {block}, which is {prod(block)} threads; up "
                f"to {_THREADS} are possible"
            )
        shared = sum(array.size * array.dtype.itemsize for array in self._program.arrays if array.space == "shared")
        if shared > _SHARED:
            raise KernelLaunchError(
                f"kernel {self._program.name} needs {shared} bytes of shared memory for a block; {self._device} has "
                f"{_SHARED}: allocate smaller arrays"
            )


def kernel_source(program: Program, language: str) -> str:
    """Return the Python functions that the steps of a program become.

    Raises
    ------
    CapabilityError
        If the language is not ``host``.
    """
    if language != "host":
        raise CapabilityError(f"simulated devices have no {language!r} source of kernels; ask for 'host'")
    return Interpreter(program).text
