"""`Books`: what is in use of one device's memory, in a form that no interrupt falsifies.

An interrupt can stop a finaliser before it could count, and Python swallows it then. So each block in use has an object
beside it here, to which only its holder refers too. Where nobody else refers to it any more, the holder is gone, and
the entry goes too when the books are checked.
"""

from collections.abc import Iterator
from sys import getrefcount
from weakref import ref

from accel.memory.block import Block
from accel.memory.external import ExternalAllocation
from accel.memory.holder import Holder

__all__ = ["Books"]

_alone = {0: object()}
_ALONE = getrefcount(_alone[0])
"""What `getrefcount` says of a value to which only its dictionary refers."""

_ROOM = 1 << 28


class Books:
    """The blocks in use, the external memory that has a deleter, and the holders that only pins keep.

    Everything here is changed with the gate of the heap closed, but for the external memory, of which each entry is
    changed by one call. It is listed by ``[*entries]``: `tuple` looks at how many there are before it makes room, and a
    collection that this starts may change that.

    Attributes
    ----------
    live, peak : int
        Bytes in use, or a little more after an interrupt; and the most there were at one time.
    kept : dict
        The holders whose last handle was released while something else used their bytes.
    """

    __slots__ = ("_blocks", "_check_at", "_external", "kept", "live", "peak")

    def __init__(self) -> None:
        # By the identity of a block, its size and the `Holder.life` of its holder. Neither block nor holder is here:
        # what hazards keep of a failure may lead from both back to the handles.
        self._blocks: dict[int, tuple[int, object]] = {}
        self._external: dict[ExternalAllocation, object] = {}
        self.kept: dict[ref[Holder], None] = {}
        self.live = self.peak = 0
        self._check_at = _ROOM

    def enter(self, block: Block, holder: Holder | None) -> bool:
        """Count a block, and give it to a holder; tells whether the bytes in use have doubled since the last check."""
        life = None if holder is None else holder.life
        key, entry, live = id(block), (block.nbytes, life), self.live + block.nbytes
        # No call from here on: an interrupt finds all of this done, or nothing.
        self._blocks[key] = entry
        self.live = live
        if live > self.peak:  # noqa: PLR1730 - max() is a call
            self.peak = live
        if holder is not None:
            holder.held = block
        return live > self._check_at

    def strike(self, block: Block) -> None:
        """Count a block no more. From here on it is nobody's, and its memory goes also if nobody frees it."""
        key = id(block)
        # No call between these, as above.
        del self._blocks[key]
        self.live -= block.nbytes

    def sizes(self) -> list[int]:
        """Return the size of each block in use."""
        return [nbytes for nbytes, _ in [*self._blocks.values()]]

    def note(self, external: ExternalAllocation, holder: Holder) -> None:
        """Remember external memory, whose deleter somebody must call."""
        self._external[external] = holder.life

    def forget(self, external: ExternalAllocation) -> None:
        """Forget external memory that is finished."""
        self._external.pop(external, None)

    def keep(self, holder: Holder) -> None:
        """Count a holder whose last handle was released while something else used its bytes."""
        # It goes by itself also where a collection reports the holder as dead before its finalisers end it.
        self.kept[ref(holder, self.kept.pop)] = None

    def keep_no_more(self, holder: Holder) -> None:
        """Count it no more; harmless where it was not counted."""
        self.kept.pop(ref(holder), None)

    def check(self) -> Iterator[tuple[int, int]]:
        """Strike out the blocks whose holders are gone; yields the identity and the size of each."""
        for key in [*self._blocks]:
            if getrefcount(self._blocks[key][1]) == _ALONE:
                yield key, self._blocks.pop(key)[0]
        self.live = sum(self.sizes())
        self._check_at = 2 * self.live + _ROOM

    def given_up(self) -> list[ExternalAllocation]:
        """Return the external memory whose holders are gone."""
        # Another thread may forget one meanwhile: its deleter runs with the gate open.
        return [each for each in [*self._external] if getrefcount(self._external.get(each)) == _ALONE]
