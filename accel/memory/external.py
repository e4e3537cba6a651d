"""`ExternalAllocation`: memory that somebody else made, and what to do when its last use has ended."""

from collections.abc import Callable
from typing import Any

__all__ = ["Deleter", "ExternalAllocation"]

Deleter = Callable[[], object]
"""Called without arguments, once, after the last use of external memory."""


class ExternalAllocation:
    """Memory made elsewhere, described for `Backend.adopt`.

    Parameters
    ----------
    nbytes : int
        Size in bytes.
    native : object, optional
        The object of the backend's library that is this memory.
    pointer : int, optional
        Address of the first byte, where there is no ``native``.
    owner : object, optional
        Anything that must stay alive as long as the memory is used.
    deleter : callable, optional
        Called once after the last use.
    readonly : bool
        Whether writing is forbidden.
    """

    __slots__ = ("_deleter", "native", "nbytes", "owner", "pointer", "readonly")

    def __init__(
        self,
        nbytes: int,
        native: Any = None,
        pointer: int | None = None,
        owner: object = None,
        deleter: Deleter | None = None,
        readonly: bool = False,
    ) -> None:
        self.nbytes = nbytes
        self.pointer = pointer
        self.native = native
        self.owner = owner
        self.readonly = readonly
        self._deleter = deleter

    @property
    def has_deleter(self) -> bool:
        """Whether there is anything to do after the last use."""
        return self._deleter is not None

    def finish(self) -> None:
        """Run the deleter, if it has not run."""
        deleter, self._deleter = self._deleter, None
        if deleter is not None:
            deleter()
