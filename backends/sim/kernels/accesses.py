"""`Accesses`: which accesses to the same bytes are not ordered, by the barriers between them.

Two threads of a block are ordered by a barrier between their accesses. Threads of different blocks, and iterations of
a parallel loop, are not ordered: an iteration counts as a block of one thread.
"""

from enum import IntEnum
from typing import NamedTuple

__all__ = ["Access", "Accesses", "Kind"]


class Kind(IntEnum):
    """How an element is accessed."""

    READ = 0
    WRITE = 1
    ATOMIC = 2


class Access(NamedTuple):
    """An access by a thread, or by an iteration.

    Attributes
    ----------
    block, thread : int
        Number of the block in the grid, and of the thread in the block; of an iteration, its number and 0.
    epoch : int
        How many barriers the thread has passed.
    kind : Kind
        How.
    site : int or None
        Number in the program's sites.
    """

    block: int
    thread: int
    epoch: int
    kind: Kind
    site: int | None


# Accesses of one kind are compared with the last ones of these kinds.
_CONFLICTS = ((Kind.WRITE, Kind.ATOMIC), tuple(Kind), (Kind.READ, Kind.WRITE))

_Latest = list[tuple[Access, ...]]


class Accesses:
    """The accesses to some bytes that a later access may be unordered with.

    For each cell, and each kind of access, at most two are kept that are not ordered. That is enough: what is not
    ordered with a third is not ordered with one of the two, if these are of different blocks where there are such.

    Parameters
    ----------
    granule : int
        Bytes of a cell; divides the addresses and sizes of all elements.
    """

    __slots__ = ("_cells", "_granule")

    def __init__(self, granule: int = 1) -> None:
        self._granule = granule
        self._cells: dict[int, _Latest] = {}

    def enter(self, access: Access, address: int, nbytes: int = 1) -> Access | None:
        """Add an access; return an earlier one that is not ordered with it, if one of the two writes."""
        kind = access.kind
        for cell in range(address // self._granule, (address + nbytes) // self._granule):
            latest = self._cells.get(cell)
            if latest is None:
                latest = self._cells[cell] = [(), (), ()]
            for other_kind in _CONFLICTS[kind]:
                for other in latest[other_kind]:
                    if _concurrent(other, access):
                        return other
            earlier = latest[kind]
            if not earlier:
                latest[kind] = (access,)
            elif access not in earlier:
                latest[kind] = _with(earlier, access)
        return None


def _concurrent(one: Access, other: Access) -> bool:
    return one.block != other.block or (one.epoch == other.epoch and one.thread != other.thread)


def _with(earlier: tuple[Access, ...], access: Access) -> tuple[Access, ...]:
    """Return the accesses to keep: those ordered before the new one are dropped."""
    earlier = tuple([other for other in earlier if _concurrent(other, access)])
    if len(earlier) < 2:
        return (*earlier, access)
    return earlier if earlier[0].block != earlier[1].block or earlier[0].block == access.block else (earlier[0], access)
