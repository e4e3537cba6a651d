"""`Actor`: what runs the code of a step, a thread or an iteration, as its accesses see it."""

from typing import TYPE_CHECKING, Any

from .accesses import Access, Kind

if TYPE_CHECKING:
    from .memories import Scratch
    from .runs import Run

__all__ = ["Actor"]


class Actor:
    """An iteration of a parallel loop, a thread of a grid, or the code that runs once.

    Attributes
    ----------
    run : Run
        The run of the program.
    number : int
        Of the iteration, or of the thread in the grid.
    block, thread, epoch : int
        See `Access`.
    held : dict
        For each site the indices and the offset with which its guard last held, for messages.
    """

    __slots__ = ("_known", "block", "epoch", "held", "number", "run", "thread")

    def __init__(self, run: "Run", number: int = 0, block: int = 0, thread: int = 0) -> None:
        self.run = run
        self.epoch = 0
        self.held: dict[int, tuple[tuple[Any, ...], Any]] = {}
        self._known: dict[tuple[Kind, int | None], Access] = {}
        self.become(number, block, thread)

    def become(self, number: int, block: int, thread: int) -> None:
        """Go on as another iteration or thread."""
        self.number = number
        self.block = block
        self.thread = thread
        self._known.clear()

    def pass_barrier(self) -> None:
        """Order later accesses after those of the block's other threads up to now."""
        self.epoch += 1
        self._known.clear()

    def local(self, name: str) -> "Scratch":
        """Return a local array, which has no values yet."""
        return self.run.array(name)

    def access(self, kind: Kind, site: int | None) -> Access:
        """Return an access of now; equal ones are one object, which saves memory."""
        access = self._known.get((kind, site))
        if access is None:
            access = self._known[kind, site] = Access(self.block, self.thread, self.epoch, kind, site)
        return access

    def holds(self, site: int, indices: tuple[Any, ...], extents: tuple[Any, ...], offset: Any) -> bool:
        """Return whether a guard holds; if not, record the failure."""
        for axis, (index, extent) in enumerate(zip(indices, extents, strict=True)):
            if not 0 <= index < extent:
                self.run.failures.add(site, self.number, axis, int(index), int(extent), int(offset))
                return False
        self.held[site] = indices, offset
        return True
