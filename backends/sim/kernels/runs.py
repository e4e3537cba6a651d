"""`Run`: one run of a program, in plain Python."""

import sys
from collections.abc import Iterator, Mapping
from math import gcd, prod
from random import Random
from typing import Any

import numpy as np

from accel.abc.kernels import Failure
from accel.ir import INDEX, Loop, Program, Step, Threads

from .accesses import Accesses
from .actors import Actor
from .memories import Cells, Scratch, Values
from .threads import Dim3

__all__ = ["BudgetError", "Failures", "Run"]


class BudgetError(Exception):
    """A run takes more steps than it may."""


class Failures:
    """The failed checks of a run.

    Attributes
    ----------
    first : Failure or None
        The first; it counts all.
    """

    def __init__(self) -> None:
        self.first: Failure | None = None

    def add(self, site: int, iteration: int, axis: int, at: int, extent: int, offset: int) -> None:
        """Record a failure."""
        if self.first is None:
            self.first = Failure(site, iteration, axis, at, extent, offset, 0)
        self.first = self.first._replace(failures=self.first.failures + 1)


class Run:
    """What the code of a program uses while it runs.

    Attributes
    ----------
    program : Program
        The program.
    memories, numbers, frame : dict
        The parameters, and the variables that are kept between steps, by their names.
    extents, strides : dict
        Of the views.
    grid, block : tuple of three ints
        The explicit grid.
    warp, threads : int
        How many threads a warp has, and a block.
    random : random.Random
        Decides the order of iterations and threads.
    failures : Failures
        The failed checks.
    left : int
        How many accesses and turns of serial loops it may still have.
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
    ) -> None:
        self.program = program
        self.memories = memories
        self.numbers = numbers
        self.frame = {variable.name: variable.dtype.type(0) for variable in program.frame}
        self.extents = {name: tuple(map(INDEX.type, cells.extents)) for name, cells in memories.items()}
        self.strides = {name: tuple(map(INDEX.type, cells.strides)) for name, cells in memories.items()}
        self.grid, self.block, self.warp = grid, block, warp
        self.threads = prod(block)
        self.random = Random(seed)  # noqa: S311 - not for cryptography
        self.failures = Failures()
        self.left = budget
        self._saved: list[tuple[Values, Values]] | None = None if budget < sys.maxsize else []
        self._step: Step | None = None
        self._arrays = {array.name: array for array in program.arrays}

    @property
    def in_grid(self) -> bool:
        """Whether threads of an explicit grid run, and not iterations."""
        return isinstance(self._step, Threads)

    def begin(self, step: Step, *, races: bool) -> None:
        """Begin a step, after all accesses of the ones before."""
        self._step = step
        sizes = (number for cells in self.memories.values() for number in (cells.address, cells.values.itemsize))
        accesses = Accesses(gcd(*sizes) or 1) if races else None
        for cells in self.memories.values():
            cells.accesses = accesses

    def spend(self) -> None:
        """Count an access, or a turn of a serial loop; raise `BudgetError` if there are too many."""
        self.left -= 1
        if self.left < 0:
            raise BudgetError

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
        """Yield the loop variables of all iterations, in random order; the actor becomes each."""
        if not all(ranges):  # the others may be too long for an array
            return
        lengths = [len(each) for each in ranges]
        if prod(lengths) > self.left:
            raise BudgetError
        self.save()
        order = np.random.default_rng(self.random.getrandbits(64)).permutation(prod(lengths))
        variables = [np.array(each, INDEX) for each in ranges]
        for number in order.tolist():
            rest, places = number, []
            for length in reversed(lengths):
                rest, place = divmod(rest, length)
                places.append(place)
            actor.become(number, number, 0)
            yield tuple(values[place] for values, place in zip(variables, reversed(places), strict=True))

    def array(self, name: str) -> Scratch:
        """Return a new local or shared array."""
        array = self._arrays[name]
        return Scratch(name, array.dtype, array.size)

    def shared(self) -> dict[str, Scratch]:
        """Return the shared arrays of a block."""
        made = {array.name: self.array(array.name) for array in self.program.arrays if array.space == "shared"}
        for array in made.values():
            array.accesses = Accesses()
        return made

    def places(self, block: int, thread: int) -> dict[str, tuple[Any, ...]]:
        """Return where a thread is, by the names of `accel.ir.Place`."""
        places = {
            "thread": _unravelled(thread, self.block),
            "block": _unravelled(block, self.grid),
            "block_size": self.block,
            "grid_size": self.grid,
            "lane": (thread % self.warp,),
            "warp": (self.warp,),
        }
        return {name: tuple(map(INDEX.type, place)) for name, place in places.items()}

    def who(self, block: int, thread: int) -> str:
        """Return how messages call an actor; nothing for code that runs once."""
        if isinstance(self._step, Loop):
            return f"iteration {block}"
        if not isinstance(self._step, Threads):
            return ""
        return f"thread {_named(thread, self.block)} of block {_named(block, self.grid)}"


def _unravelled(number: int, extents: Dim3) -> Dim3:
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


def _named(number: int, extents: Dim3) -> int | Dim3:
    """Return the number of a thread or block; if there are several axes, its number along each."""
    return number if extents[1:] == (1, 1) else _unravelled(number, extents)
