"""`ExternalAllocation`: memory that another library allocated, and the function to call after its last use."""

import atexit
import traceback
from collections.abc import Callable
from typing import Any

__all__ = ["Deleter", "ExternalAllocation"]

Deleter = Callable[[], object]
"""Called without arguments, once, after the last use of external memory."""


class ExternalAllocation:
    """Memory that was not allocated by accel; `Backend.adopt` makes a block of it.

    Parameters
    ----------
    nbytes : int
        Size in bytes.
    native : object, optional
        The memory as an object of the library that the backend uses.
    pointer : int, optional
        Address of the first byte; used if there is no ``native``.
    owner : object, optional
        An object that must stay alive while the memory is used.
    deleter : callable, optional
        Called once, without arguments, after the last use or when the interpreter exits.
    readonly : bool
        Whether the memory must not be written.

    Raises
    ------
    TypeError
        If the deleter cannot be called.
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
        self.nbytes: int = nbytes
        self.pointer: int | None = pointer
        self.native: Any = native
        self.owner: object = owner
        self.readonly: bool = readonly
        self.deleter = deleter
        if deleter is None:
            return
        if not callable(deleter):
            raise TypeError(f"a deleter is called without arguments after the last use; found {deleter!r}")
        _at_exit.add(self)

    def finish(self) -> None:
        """Call the deleter, unless it was called before."""
        # No call between reading the deleter and calling it: after an interrupt it was called, or it is still here.
        deleter, self.deleter = self.deleter, None
        try:
            if deleter is not None:
                deleter()
        finally:
            _at_exit.discard(self)


# The garbage collector may never reach memory that a global refers to, so the deleters left over are called at exit.
_at_exit: set[ExternalAllocation] = set()


@atexit.register
def _finish_all() -> None:
    for external in [*_at_exit]:
        try:
            external.finish()
        except Exception as error:
            traceback.print_exception(error)  # nothing is left that could catch it, and other deleters must run
