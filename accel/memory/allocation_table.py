"""`AllocationTable`: the memory of one device that is in use, in a form that stays right after interrupts.

An interrupt can stop a finaliser before it has counted, and Python swallows the interrupt. So each entry has a
sentinel: an object to which only the table and the holder refer. When only the table is left, the holder is gone, and a
check of the table removes the entry.
"""

from collections.abc import Iterator
from sys import getrefcount
from weakref import ref

from accel.abc.block import Block
from accel.abc.external import ExternalAllocation
from accel.memory.holder import Holder

__all__ = ["AllocationTable"]

_alone = {0: object()}
_ALONE = getrefcount(_alone[0])
"""The result of `getrefcount` for a value to which only its dictionary refers."""

_CHECK_AFTER = 1 << 28
"""How many bytes more than twice those of the last check may be in use before the next one."""


class AllocationTable:
    """The blocks in use, the external memory with a deleter, and the holders that only keep-alives keep.

    All changes are made with the lock of the heap held. The exception is external memory: each change of it is a single
    call. Entries are listed by ``[*entries]``, not by `tuple`: that reads the length before it allocates, and the
    allocation can start a garbage collection that changes the length.

    Attributes
    ----------
    live, peak : int
        Bytes in use, or a little more after an interrupt; and the most at one time.
    kept : dict
        The holders whose handles are all released, and whose bytes something else keeps alive.
    """

    __slots__ = ("_external", "blocks", "check_at", "kept", "live", "peak")

    def __init__(self) -> None:
        # By the identity of a block: its size. The table refers to neither block nor holder: a failure that is kept in
        # hazards may refer back to the handles.
        self.blocks: dict[int, tuple[int] | tuple[int, None]] = {}
        self._external: dict[ExternalAllocation, object] = {}
        self.kept: dict[ref[Holder], None] = {}
        self.live: int = 0
        self.peak: int = 0
        self.check_at: int = _CHECK_AFTER

    def remove(self, block: Block) -> None:
        """Remove a block. It then has no owner: its memory is freed with the object, also if an interrupt follows."""
        key = id(block)
        # No call between these, as above.
        del self.blocks[key]
        self.live -= block.nbytes

    def sizes(self) -> list[int]:
        """Return the size of each block in use."""
        return [entry[0] for entry in [*self.blocks.values()]]

    def add_external(self, external: ExternalAllocation, holder: Holder) -> None:
        """Add external memory whose deleter must be called."""
        self._external[external] = holder.sentinel

    def remove_external(self, external: ExternalAllocation) -> None:
        """Remove external memory whose deleter was called."""
        self._external.pop(external, None)

    def add_kept(self, holder: Holder) -> None:
        """Add a holder whose handles are all released, and whose bytes something else keeps alive."""
        # The callback removes it where the collector clears weak references before the finalisers of the holder run.
        self.kept[ref(holder, self._forget_kept)] = None

    def _forget_kept(self, reference: ref[Holder]) -> None:
        self.kept.pop(reference, None)  # without a GIL, another thread may be removing it

    def remove_kept(self, holder: Holder) -> None:
        """Remove a holder that only keep-alives kept; harmless for any other."""
        self.kept.pop(ref(holder), None)

    def remove_lost(self) -> Iterator[tuple[int, int]]:
        """Remove the blocks whose holders are gone; yields the identity and the size of each."""
        for key in [*self.blocks]:
            if len(self.blocks[key]) == 1 and getrefcount(self.blocks[key]) == _ALONE:
                yield key, self.blocks.pop(key)[0]
        self.live = sum(self.sizes())
        self.check_at = 2 * self.live + _CHECK_AFTER

    def abandoned(self) -> list[ExternalAllocation]:
        """Return the external memory whose holders are gone."""
        # Another thread may remove one meanwhile: deleters run without the lock.
        return [each for each in [*self._external] if getrefcount(self._external.get(each)) == _ALONE]
