"""When memory runs out: allocations are tried again, and errors say what is in use."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import nlargest

from accel import config
from accel.abc.block import Block
from accel.errors import OutOfMemoryError
from accel.memory.holder import holders
from accel.memory.sizes import in_words

__all__ = ["in_use", "is_retry", "out_of_memory", "retrying", "without_retry"]

_SHOWN = 5
_retrying: ContextVar[bool] = ContextVar("accel_retrying", default=False)


def is_retry() -> bool:
    """Tell whether an allocation here must not be tried again: it is itself a retry, or in `without_retry`."""
    return _retrying.get()


@contextmanager
def without_retry() -> Iterator[None]:
    """Let allocations fail at once: for callers that have an alternative."""
    token = _retrying.set(True)
    try:
        yield
    finally:
        _retrying.reset(token)


def retrying(
    again: Callable[[], Block], failed: OutOfMemoryError, freeing: Iterable[None], in_use: Callable[[], str]
) -> Block:
    """Try an allocation again after each step that may have freed memory.

    Parameters
    ----------
    again : callable
        The allocation.
    failed : OutOfMemoryError
        Its first error.
    freeing : iterable
        Frees memory at each step.
    in_use : callable
        Returns a text for the error: what is in use.

    Raises
    ------
    OutOfMemoryError
        If all tries fail: the last error, and what is in use.
    """
    for _ in freeing:
        try:
            with without_retry():
                return again()
        except OutOfMemoryError as error:
            failed = error
    raise OutOfMemoryError(f"{failed}\n{in_use()}") from failed.__cause__


def out_of_memory(error: MemoryError, what: str) -> OutOfMemoryError:
    """Return the error to raise where the host ran out of memory: the error itself if it is accel's, else a new one."""
    if isinstance(error, OutOfMemoryError):
        return error
    reason = str(error) or "the host has none left"
    return OutOfMemoryError(
        f"{what} needs more memory: {reason}; release what is no longer used, or work in smaller pieces"
    )


def in_use(heap: object) -> str:
    """Return a text about the memory of a heap that is in use, the largest owners first."""
    owners = [holder for holder in holders(external=False) if holder.heap is heap]
    if not owners:
        return "nothing is in use there that was allocated here"
    nbytes = in_words(sum(holder.nbytes for holder in owners))
    hint = "" if config.debugging() else " (ACCEL_DEBUG=1 tells where they were made)"
    head = f"{nbytes} are in use there by {len(owners)} owner{'s' * (len(owners) != 1)}; the largest{hint}:"
    largest = nlargest(_SHOWN, owners, key=lambda holder: holder.nbytes)
    return "\n  ".join([head, *(holder.in_words() for holder in largest)])
