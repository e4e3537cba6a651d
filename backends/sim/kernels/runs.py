"""`Run`: one run of a program, in plain Python."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import gcd, prod
from typing import Any, Literal

import numpy as np

from accel.ir import INDEX, Program, Step
from accel.support.kernel_reports import Dim3

from .accesses import Accesses
from .actors import Actor
from .launch import BudgetError, Launch
from .memories import Cells, Scratch, Values
from .writers import Writers

__all__ = ["Order", "Run"]

Order = Literal["random", "forward", "backward"]
"""The order of the iterations of loops. Threads of a grid always run in random order: one may wait for another."""


class Run(Launch):
    """A launch with the memory that the code of the program uses.

    Attributes
    ----------
    memories, numbers, frame : dict
        The parameters, and the variables that are kept between steps, by their names.
    extents, strides : dict
        Of the views.
    counts : Counter
        How often each line was taken, by its number; empty if lines are not counted.
    """

    def __init__(
        self,
        program: Program,
        memories: Mapping[str, Cells],
        numbers: Mapping[str, Any],
        *,
        grid: Dim3 = (1, 1, 1),
        block: Dim3 = (1, 1, 1),
        seed: int = 0,
        warp: int = 32,
        budget: int = sys.maxsize,
        order: Order = "random",
        writers: Writers | None = None,
    ) -> None:
        super().__init__(program, grid=grid, block=block, seed=seed, warp=warp, budget=budget)
        self.memories = memories
        self.counts: Counter[int] = Counter()
        self.numbers = numbers
        self.frame = {variable.name: variable.dtype.type(0) for variable in program.frame}
        self.extents = {name: tuple(map(INDEX.type, cells.extents)) for name, cells in memories.items()}
        self.strides = {name: tuple(map(INDEX.type, cells.strides)) for name, cells in memories.items()}
        self._saved: list[tuple[Values, Values]] | None = None if budget < sys.maxsize else []
        self._order = order
        self._writers = writers
        self._arrays = {array.name: array for array in program.arrays}

    def begin(self, step: Step, *, races: bool) -> None:
        """Begin a step, after all accesses of the ones before."""
        self._step = step
        sizes = (number for cells in self.memories.values() for number in (cells.address, cells.values.itemsize))
        accesses = self._accesses(gcd(*sizes) or 1) if races else None
        for cells in self.memories.values():
            cells.accesses = accesses

    def _accesses(self, granule: int) -> Accesses:
        return Accesses(granule) if self._writers is None else self._writers.accesses(granule, self.label)

    def save(self) -> None:
        """Copy the memory that the program may write, if it may run out of budget."""
        if self._saved is None:
            writable = [each.values for each in self.memories.values() if each.values.flags.writeable]
            self._saved = [(values, values.copy()) for values in writable]

    def restore(self) -> None:
        """Undo what the run has written."""
        for values, before in self._saved or ():
            values[:] = before

    def iterations(self, actor: Actor, *ranges: range) -> Iterator[tuple[Any, ...]]:
        """Yield the loop variables of all iterations, in the order of the run; the actor becomes each."""
        if not all(ranges):  # the others may be too long for an array
            return
        lengths = [len(each) for each in ranges]
        if prod(lengths) > self.budget:
            raise BudgetError
        self.save()
        variables = [np.array(each, INDEX) for each in ranges]
        for number in self._ordered(prod(lengths)):
            rest, places = number, []
            for length in reversed(lengths):
                rest, place = divmod(rest, length)
                places.append(place)
            actor.become(number, number, 0)
            yield tuple(values[place] for values, place in zip(variables, reversed(places), strict=True))

    def _ordered(self, count: int) -> Iterable[int]:
        if self._order != "random":
            return range(count) if self._order == "forward" else reversed(range(count))
        order: list[int] = np.random.default_rng(self.random.getrandbits(64)).permutation(count).tolist()
        return order

    def array(self, name: str) -> Scratch:
        """Return a new local or shared array."""
        array = self._arrays[name]
        return Scratch(name, array.dtype, array.size)

    def shared(self) -> dict[str, Scratch]:
        """Return the shared arrays of a block."""
        arrays = {array.name: self.array(array.name) for array in self.program.arrays if array.space == "shared"}
        for array in arrays.values():
            array.accesses = self._accesses(1)
        return arrays
