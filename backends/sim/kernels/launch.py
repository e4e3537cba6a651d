"""`Launch`: the grid of a run, the order of its threads, its budget and its failed checks."""

import sys
from math import prod
from random import Random
from typing import Any

from accel.abc.kernels import Failure
from accel.ir import INDEX, Loop, Program, Step, Threads
from accel.support.kernel_reports import Dim3

__all__ = ["BudgetError", "Failures", "Launch", "unravelled"]


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


class Launch:
    """One launch of a program, without its memory.

    Attributes
    ----------
    program : Program
        The program.
    grid, block : tuple of three ints
        The explicit grid.
    warp, threads : int
        How many threads a warp has, and a block.
    random : random.Random
        Decides the order of iterations and threads.
    failures : Failures
        The failed checks.
    budget : int
        How many accesses and turns of serial loops it may still have.
    """

    def __init__(
        self,
        program: Program,
        *,
        grid: Dim3 = (1, 1, 1),
        block: Dim3 = (1, 1, 1),
        seed: int = 0,
        warp: int = 32,
        budget: int = sys.maxsize,
    ) -> None:
        self.program = program
        self.grid, self.block, self.warp = grid, block, warp
        self.threads = prod(block)
        self.random = Random(seed)  # noqa: S311 - not for cryptography
        self.failures = Failures()
        self.budget = budget
        self._least = 0
        self._step: Step | None = None

    @property
    def in_grid(self) -> bool:
        """Whether threads of an explicit grid run, and not iterations."""
        return isinstance(self._step, Threads)

    def spend(self) -> None:
        """Count an access, or a turn of a serial loop; raise `BudgetError` if there are too many, or it is stopped."""
        self.budget -= 1
        if self.budget < self._least:
            raise BudgetError

    def stop(self) -> None:
        """Let the next access or turn raise `BudgetError`; other threads may call it."""
        self._least = sys.maxsize

    def places(self, block: int, thread: int) -> dict[str, tuple[Any, ...]]:
        """Return where a thread is, by the names of `accel.ir.Place`."""
        places = {
            "thread": unravelled(thread, self.block),
            "block": unravelled(block, self.grid),
            "block_size": self.block,
            "grid_size": self.grid,
            "lane": (thread % self.warp,),
            "warp": (self.warp,),
        }
        return {name: tuple(map(INDEX.type, place)) for name, place in places.items()}

    def label(self, block: int, thread: int) -> str:
        """Return the name of an actor in messages; empty for code that runs once."""
        if isinstance(self._step, Loop):
            return f"iteration {block}"
        if not isinstance(self._step, Threads):
            return ""
        return f"thread {_named(thread, self.block)} of block {_named(block, self.grid)}"


def unravelled(number: int, extents: Dim3) -> Dim3:
    """Return the indices of a thread or block from its number."""
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


def _named(number: int, extents: Dim3) -> int | Dim3:
    """Return the number of a thread or block; if there are several axes, its number along each."""
    return number if extents[1:] == (1, 1) else unravelled(number, extents)
