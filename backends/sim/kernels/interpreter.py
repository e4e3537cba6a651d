"""`interpret`: runs a program in plain Python; compiled kernels are compared with it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from accel.abc.kernels import Failure
from accel.errors import AccelError
from accel.ir import Once, Program, Threads, View
from accel.support.kernel_coverage import CountedText, tell
from accel.support.kernel_reports import Dim3

from .actors import Actor
from .memories import Cells, Values
from .runs import Run
from .steps import compile_steps
from .threads import run_grid

__all__ = ["Interpreter", "Outcome", "cells_of", "interpret"]

Outcome = tuple[Failure | None, tuple[Any, ...]]
"""The first failed check, and the results."""


class Interpreter:
    """A program as Python functions.

    Attributes
    ----------
    program : Program
        The program.
    text : str
        Their text.
    counted : CountedText
        The lines that they count, for coverage.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.text, self._functions, points = compile_steps(program)
        self.counted = CountedText("", points)

    def run(self, run: Run, *, races: bool) -> Outcome:
        """Run the steps; return the first failed check, and the results.

        Raises
        ------
        BoundsError
            If an access without a guard is outside of the memory that it may use.
        KernelLaunchError
            If threads do not meet at a barrier or in a warp operation, or memory without a value is read.
        BudgetError
            If it takes more steps than the run allows.
        RaceError
            If two accesses to the same bytes are not ordered: of threads of a grid, and if ``races`` is set also of
            iterations of a parallel loop.
        """
        try:
            with np.errstate(all="ignore"):
                self._steps(run, races=races)
        except AccelError:
            if run.failures.first is None:
                raise
        finally:
            if self.counted.points:
                tell(self.counted, [(number, run.counts[number]) for number in range(len(self.counted.points))])
        return run.failures.first, tuple(run.frame[variable.name] for variable in self.program.results)

    def _steps(self, run: Run, *, races: bool) -> None:
        for step, function in zip(self.program.steps, self._functions, strict=True):
            run.begin(step, races=races or isinstance(step, Threads))
            if isinstance(step, Threads):
                run_grid(run, function)
            else:
                if isinstance(step, Once):
                    run.save()
                function(run, Actor(run))


def interpret(
    program: Program,
    memories: Mapping[str, Values],
    numbers: Mapping[str, Any],
    *,
    grid: Dim3 = (1, 1, 1),
    block: Dim3 = (1, 1, 1),
    seed: int = 0,
    warp: int = 32,
    races: bool = False,
) -> Outcome:
    """Run a program on NumPy arrays.

    Parameters
    ----------
    program : Program
        The program.
    memories : mapping of numpy.ndarray
        The array of each view; where a view has no axes of its own, any array whose first element has index 0.
    numbers : mapping of numbers
        The value of each number.
    grid, block : tuple of three ints
        The blocks and the threads of a block, for a program with an explicit grid.
    seed : int
        Of the order in which iterations and threads run.
    warp : int
        Threads of a warp.
    races : bool
        Whether to check iterations of parallel loops for races; threads of an explicit grid are checked always.

    Returns
    -------
    failure : Failure or None
        The first failed check, in the order in which they ran.
    results : tuple of NumPy scalars
        The results of the program.
    """
    cells = {each.name: cells_of(each, memories[each.name]) for each in program.parameters if isinstance(each, View)}
    values = {each.name: each.dtype.type(numbers[each.name]) for each in program.parameters if each.name not in cells}
    run = Run(program, cells, values, grid=grid, block=block, seed=seed, warp=warp)
    return Interpreter(program).run(run, races=races)


def cells_of(view: View, array: Values) -> Cells:
    """Return the elements of an array, and those between them in memory."""
    if array.dtype != view.dtype or view.rank not in (0, array.ndim):
        raise TypeError(f"{view} was given an array of {array.dtype} with {array.ndim} axes")
    strides = tuple(stride // array.itemsize for stride in array.strides)
    reaches = [(extent - 1) * stride for extent, stride in zip(array.shape, strides, strict=True)]
    origin = -sum(reach for reach in reaches if reach < 0) if array.size else 0
    lowest = array[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in strides)]
    size = 1 + sum(map(abs, reaches)) if array.size else 0
    values = as_strided(lowest, (size,), (array.itemsize,), writeable=view.writable)
    address = int(values.__array_interface__["data"][0])
    shape = array.shape if view.rank else ()
    return Cells(view.name, values, origin, address, shape, strides if view.rank else ())
