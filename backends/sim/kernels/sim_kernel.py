"""`SimKernel`: a program compiled for a simulated device, where it runs as late work of a stream."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import prod
from typing import Any

from accel import config
from accel.abc import Stream
from accel.abc.kernels import Failure
from accel.device import Device
from accel.errors import CapabilityError, KernelLaunchError, RaceError
from accel.ir import Number, Program
from accel.support.kernel_reports import Dim3

from ...common.host_kernels import HostKernel, host_kernel, interrupted
from ...common.interrupts import Stop, stopped_by_interrupt
from ..launcher import Launcher
from ..races import Operation
from .argument_memory import Argument, argument
from .interpreter import Interpreter, Outcome
from .launch import BudgetError
from .runs import Order, Run
from .writers import Writers

__all__ = ["SimKernel", "kernel_source"]

_THREADS = 1024
_SHARED = 48 * 1024
_ONE: Dim3 = (1, 1, 1)

# How many accesses and turns of serial loops are interpreted, by debug mode, in which that is how races are found.
# Otherwise they take about 3 ms, and code of the host takes 40 ms to compile; interpreted accesses never leave the
# memory of the kernel.
_BUDGETS = {True: 100_000, False: 1000}


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
        results: list[tuple[Any, ...]] = []
        in_orders = "order" in config.current().kernel_checks.split(",")
        work = self._work(arguments, grid, block, explain, results, in_orders=in_orders)
        task = self._launcher.stream_of(stream, self._device).submit(self._name, work)

        def fetch() -> tuple[Any, ...]:
            task.wait()
            return results[0]

        return fetch if self._program.results else None

    def computation(
        self, forms: Sequence[tuple[int, ...]], explain: Callable[[Failure], Exception]
    ) -> Callable[[Sequence[int], Sequence[Any], Any], object]:
        """Return a function that runs the kernel on arrays of certain forms; see `ComputesArrays`.

        As all computations of arrays it runs at once, after the earlier work of its stream alone.
        """

        def compute(addresses: Sequence[int], numbers: Sequence[Any], _: Any) -> None:
            views = [number for address, form in zip(addresses, forms, strict=True) for number in (address, *form)]
            work = self._work([*views, *numbers], _ONE, _ONE, explain, [])
            self._launcher.carry_out(self._device, self._name, work)

        return compute

    @property
    def _name(self) -> str:
        return f"kernel {self._program.name}"

    def _work(
        self,
        arguments: Sequence[Any],
        grid: Dim3,
        block: Dim3,
        explain: Callable[[Failure], Exception],
        results: list[tuple[Any, ...]],
        *,
        in_orders: bool = False,
    ) -> Callable[[Operation], None]:
        views, numbers = self._split(arguments)
        run = self._run_in_orders if in_orders else self._run

        def run_now(operation: Operation) -> None:
            self._launcher.begin(operation, *((each.memory, each.region, each.view.writable) for each in views))
            try:
                failure, values = run(views, numbers, grid, block)
            except RaceError as error:
                self._launcher.races.append(str(error))
                raise
            if failure is not None:
                raise explain(failure)
            results[:] = [values]  # a graph runs this again

        return run_now

    def _run(self, views: Sequence[Argument], numbers: Mapping[str, Any], grid: Dim3, block: Dim3) -> Outcome:
        """Interpret the program; if that takes long, run code of the host instead."""
        interpreted = self._program.explicit or self._interpreter.counted.points  # code of the host counts no lines
        budget = sys.maxsize if interpreted else _BUDGETS[self._program.debug]
        run = self._new_run(views, numbers, grid, block, budget)
        stop = Stop()
        with stopped_by_interrupt(stop):
            try:
                return self._interpreted(run, stop)
            except BudgetError:
                run.restore()
            if self._compiled is not None:
                return self._compiled.run(self._on_host(run, numbers), stopping=stop.by)
            return self._interpreted(self._new_run(views, numbers, grid, block, sys.maxsize), stop)

    def _run_in_orders(self, views: Sequence[Argument], numbers: Mapping[str, Any], grid: Dim3, block: Dim3) -> Outcome:
        """Interpret the program in several orders, however long that takes; raise an error if results differ."""
        from .orders import run_in_orders  # few launches need it

        stop = Stop()

        def again(order: Order, writers: Writers | None) -> Outcome:
            run = self._new_run(views, numbers, grid, block, sys.maxsize, order, writers)
            return self._interpreted(run, stop, races=True)

        cells = [each.cells(poisoned=False) for each in views]
        with stopped_by_interrupt(stop):
            return run_in_orders(self._program, cells, again, grid, block)

    def _interpreted(self, run: Run, stop: Stop, *, races: bool = False) -> Outcome:
        try:
            with stop.by(run.stop):
                return self._interpreter.run(run, races=races or self._program.debug)
        except BudgetError:
            if not stop.asked:
                raise
            raise interrupted(self._program.name) from None

    def _new_run(
        self,
        views: Sequence[Argument],
        numbers: Mapping[str, Any],
        grid: Dim3,
        block: Dim3,
        budget: int,
        order: Order = "random",
        writers: Writers | None = None,
    ) -> Run:
        cells = {each.view.name: each.cells(poisoned=self._program.debug) for each in views}
        typed = {
            each.name: each.dtype.type(numbers[each.name])
            for each in self._program.parameters
            if isinstance(each, Number)
        }
        seed = self._launcher.draw()
        return Run(
            self._program, cells, typed, grid=grid, block=block, seed=seed, budget=budget, order=order, writers=writers
        )

    @cached_property
    def _compiled(self) -> HostKernel | None:
        """The program as code of the host; None if the host cannot compute its types."""
        with suppress(CapabilityError):
            return host_kernel(self._program)
        return None

    def _on_host(self, run: Run, numbers: Mapping[str, Any]) -> list[Any]:
        """Return the arguments for the host's code."""
        arguments: list[Any] = []
        for parameter in self._program.parameters:
            if isinstance(parameter, Number):
                arguments.append(numbers[parameter.name])
            else:
                cells = run.memories[parameter.name]
                arguments += [cells.host_address, *cells.extents, *cells.strides]
        return arguments

    def _split(self, arguments: Sequence[Any]) -> tuple[list[Argument], dict[str, Any]]:
        """Return the memory of the views, and the numbers by their names."""
        views: list[Argument] = []
        numbers: dict[str, Any] = {}
        values = iter(arguments)
        for parameter in self._program.parameters:
            if isinstance(parameter, Number):
                numbers[parameter.name] = next(values)
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
    """Return the Python functions that are interpreted.

    Raises
    ------
    CapabilityError
        If the language is not ``python``.
    """
    if language != "python":
        raise CapabilityError(f"simulated devices have no {language!r} source of kernels; write 'python'")
    return Interpreter(program).text
