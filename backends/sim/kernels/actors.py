"""`Actor`: a thread or an iteration that runs the code of a step, with its number and its accesses."""

from typing import Any

from .accesses import Access, Kind
from .launch import Launch

__all__ = ["Actor"]


class Actor:
    """An iteration of a parallel loop, a thread of a grid, or the code that runs once.

    Attributes
    ----------
    run : Launch
        The run of the program.
    number : int
        Of the iteration, or of the thread in the grid.
    block, thread, epoch : int
        See `Access`.
    indices : dict
        For each site the indices and the offset of the last access that its guard let pass, for messages.
    """

    __slots__ = ("_accesses", "block", "epoch", "indices", "number", "run", "thread")

    def __init__(self, run: Launch, number: int = 0, block: int = 0, thread: int = 0) -> None:
        self.run = run
        self.epoch = 0
        self.indices: dict[int, tuple[tuple[Any, ...], Any]] = {}
        self._accesses: dict[tuple[Kind, int | None], Access] = {}
        self.become(number, block, thread)

    def become(self, number: int, block: int, thread: int) -> None:
        """Go on as another iteration or thread."""
        self.number = number
        self.block = block
        self.thread = thread
        self._accesses.clear()

    def pass_barrier(self) -> None:
        """Order later accesses after those of the block's other threads up to now."""
        self.epoch += 1
        self._accesses.clear()

    def access(self, kind: Kind, site: int | None) -> Access:
        """Return an access of now; equal ones are one object, which saves memory."""
        access = self._accesses.get((kind, site))
        if access is None:
            access = self._accesses[kind, site] = Access(self.block, self.thread, self.epoch, kind, site)
        return access

    def holds(self, site: int, indices: tuple[Any, ...], extents: tuple[Any, ...], offset: Any) -> bool:
        """Return whether a guard holds; if not, record the failure."""
        for axis, (index, extent) in enumerate(zip(indices, extents, strict=True)):
            if not 0 <= index < extent:
                self.run.failures.add(site, self.number, axis, int(index), int(extent), int(offset))
                return False
        self.indices[site] = indices, offset
        return True
