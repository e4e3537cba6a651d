"""`Watch`: an observer of the allocations of a device."""

from typing import Protocol

__all__ = ["Watch"]


class Watch(Protocol):
    """An observer of one device; its methods are called while the heap's lock is held."""

    def see_allocated(self, nbytes: int) -> None:
        """Count a block that was allocated.

        Parameters
        ----------
        nbytes : int
            Its size.
        """
        ...

    def see_freed(self, nbytes: int) -> None:
        """Count a block that was freed.

        Parameters
        ----------
        nbytes : int
            Its size.
        """
        ...
