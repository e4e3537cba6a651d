"""`LaterReads`: what is read of a memory after a write, which must not change it then."""

from collections.abc import Iterable
from typing import NamedTuple

from accel.fusion.boxes import Ends, are_apart, ends_of, union
from accel.fusion.index_maps import IndexMap
from accel.fusion.nodes import Shape, Update

__all__ = ["LaterReads", "Read"]

_MOST_READS = 16
"""Later reads that are compared with a write to the memory."""


class Read(NamedTuple):
    """A read of a node's memory.

    Attributes
    ----------
    serial : float
        That of the node whose task or call reads; infinite at the end.
    map, shape
        Which elements.
    """

    serial: float
    map: IndexMap
    shape: Shape

    @property
    def ends(self) -> Ends:
        """The first and the last index along each axis."""
        return ends_of(self.map, self.shape)


class LaterReads:
    """Reads of a memory by tasks that may be later ones; of equal reads only the last one counts."""

    def __init__(self) -> None:
        self._reads: dict[tuple[IndexMap, Shape], Read] = {}
        self._around: Ends | None = None

    def add(self, reads: Iterable[Read]) -> None:
        """Add reads."""
        for each in reads:
            before = self._reads.get((each.map, each.shape))
            if before is None:
                ends = each.ends
                self._around = ends if self._around is None else union(ends, self._around)
            if before is None or before.serial < each.serial:
                self._reads[each.map, each.shape] = each

    def is_free(self, node: Update, *, copied: bool = False) -> bool:
        """Tell whether a write changes nothing that is read later, or by itself, unless its value is ``copied``."""
        ends, shape = node.ends, node.value.shape
        if self._around is None or are_apart(ends, self._around):
            return True
        later = [each for each in self._reads.values() if each.serial >= node.serial]
        self._reads, self._around = {}, None
        self.add(later)

        def is_kept(read: Read) -> bool:
            if read.serial == node.serial and (copied or (read.map == node.map and read.shape == shape)):
                return True  # each element is read before it is written
            return are_apart(read.ends, ends)

        return len(later) <= _MOST_READS and all(map(is_kept, later))
