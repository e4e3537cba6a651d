"""`Ledger`: the account of bytes in memory."""

from collections.abc import Mapping

__all__ = ["UNLIMITED", "Buffers", "Ledger"]

Buffers = Mapping[int, int]
"""Bytes of each buffer that a value keeps alive, by the identity of its owner."""

UNLIMITED = 1 << 62
"""The budget where none is given."""


class Ledger:
    """The bytes that values hold, and the bytes promised to work that runs.

    A buffer that several values share is counted once.

    Attributes
    ----------
    budget : int
        The most bytes at any time.
    held : int
        Bytes of the values in memory.
    promised : int
        Bytes that running work may still allocate.
    peak : int
        The largest sum of the two so far.
    """

    __slots__ = ("_ignored", "_shared", "budget", "held", "peak", "promised")

    def __init__(self, budget: int) -> None:
        self.budget: int = budget
        self.held: int = 0
        self.promised: int = 0
        self.peak: int = 0
        self._shared: dict[int, tuple[int, int]] = {}  # for each buffer its bytes and the number of its values
        self._ignored: set[int] = set()

    @property
    def room(self) -> int:
        """Bytes that are neither held nor promised; negative if more than the budget is."""
        return self.budget - self.held - self.promised

    def ignore(self, buffers: Buffers) -> None:
        """Never count some buffers: those of the caller."""
        self._ignored.update(buffers)

    def counted(self, buffers: Buffers) -> dict[int, int]:
        """Return the buffers without those of the caller."""
        return {owner: nbytes for owner, nbytes in buffers.items() if owner not in self._ignored}

    def added(self, buffers: Buffers) -> int:
        """Return the bytes of the buffers that no value holds yet."""
        return sum([nbytes for owner, nbytes in buffers.items() if owner not in self._shared])

    def promise(self, nbytes: int) -> None:
        """Reserve bytes for work that begins."""
        self.promised += nbytes
        self.peak = max(self.peak, self.held + self.promised)

    def hold(self, buffers: Buffers, promised: int = 0) -> None:
        """Count the buffers of a value, in place of bytes that were promised."""
        self.promised -= promised
        for owner, nbytes in buffers.items():
            size, users = self._shared.get(owner, (nbytes, 0))
            if not users:
                self.held += size
            self._shared[owner] = size, users + 1
        self.peak = max(self.peak, self.held + self.promised)

    def free(self, buffers: Buffers) -> None:
        """Count a value off; a buffer is freed with its last value."""
        for owner in buffers:
            size, users = self._shared.pop(owner)
            if users > 1:
                self._shared[owner] = size, users - 1
            else:
                self.held -= size

    def users(self, owner: int) -> int:
        """Return the number of values that share a buffer."""
        return self._shared[owner][1]
