"""`Watch`: somebody who is told of each allocation."""

from typing import Protocol

__all__ = ["Watch"]


class Watch(Protocol):
    """Sees what is allocated and freed on a device; called with the heap's lock held."""

    def see_allocated(self, nbytes: int) -> None:
        """Take notice of a new block."""
        ...

    def see_freed(self, nbytes: int) -> None:
        """Take notice of a block that was freed."""
        ...
