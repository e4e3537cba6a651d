"""Pauses Python's search for cycles of garbage while many objects are made that stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from accel.support.locks import in_child

__all__ = ["uncollected"]

_paused = False


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the search in this block: it goes through all objects anew whenever their number has grown.

    That takes a third of the time in which a long trace is made.
    """
    global _paused
    if not gc.isenabled():  # it is for the user, or for another thread that has paused it, to go on with it
        yield
        return
    try:
        _paused = True
        gc.disable()
        yield
    finally:
        gc.enable()
        _paused = False


def _start_child() -> None:
    """Go on with the search, as the thread that paused it may not be in this process."""
    if _paused:
        gc.enable()


in_child(_start_child)
