"""`ExternalAllocation`: memory that somebody else made, and what to do when its last use has ended."""

import atexit
import traceback
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
        Called once after the last use, or when the interpreter exits.
    readonly : bool
        Whether writing is forbidden.
    """

    __slots__ = ("deleter", "native", "nbytes", "owner", "pointer", "readonly")

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
        self.deleter = deleter
        if deleter is None:
            return
        if not callable(deleter):
            raise TypeError(f"a deleter is called without arguments after the last use; found {deleter!r}")
        _at_exit.add(self)

    def finish(self) -> None:
        """Run the deleter, if it has not run."""
        # No call between these and that of the deleter: an interrupt finds it called, or still to be called.
        deleter, self.deleter = self.deleter, None
        try:
            if deleter is not None:
                deleter()
        finally:
            _at_exit.discard(self)


# An array that a global keeps alive can hide its deleter from the collector for good, so these are run at exit.
_at_exit: set[ExternalAllocation] = set()


@atexit.register
def _finish_all() -> None:
    for external in [*_at_exit]:
        try:
            external.finish()
        except Exception as error:
            traceback.print_exception(error)  # nobody is left to catch it, and others have a deleter too
