"""What is done when memory runs out, and what is said when that was not enough."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import nlargest

from accel import config
from accel.abc.block import Block
from accel.errors import OutOfMemoryError
from accel.memory.holder import holders
from accel.memory.sizes import in_words

__all__ = ["in_use", "is_retry", "making_room", "out_of_memory", "without_ladder"]

_SHOWN = 5
_retrying: ContextVar[bool] = ContextVar("accel_retrying", default=False)


def is_retry() -> bool:
    """Tell whether an allocation that goes on here is another try of one that failed."""
    return _retrying.get()


@contextmanager
def without_ladder() -> Iterator[None]:
    """Let an allocation that fails fail at once: for those who have another way."""
    token = _retrying.set(True)
    try:
        yield
    finally:
        _retrying.reset(token)


def making_room(
    again: Callable[[], Block], failed: OutOfMemoryError, ways: Iterable[None], in_use: Callable[[], str]
) -> Block:
    """Try an allocation again after each thing that may have made room.

    Raises
    ------
    OutOfMemoryError
        If none has; says what the last one did, and what is in use.
    """
    for _ in ways:
        try:
            with without_ladder():
                return again()
        except OutOfMemoryError as error:
            failed = error
    raise OutOfMemoryError(f"{failed}\n{in_use()}") from failed.__cause__


def out_of_memory(error: MemoryError, what: str) -> OutOfMemoryError:
    """Return what to raise where memory of the host ran out: the error itself if it is ours, else one that says why."""
    if isinstance(error, OutOfMemoryError):
        return error
    found = str(error) or "the host has none left"
    return OutOfMemoryError(
        f"{what} needs more memory: {found}; release what is no longer used, or work in smaller pieces"
    )


def in_use(heap: object) -> str:
    """Say who holds the memory of a heap, the largest first."""
    held = [holder for holder in holders(external=False) if holder.heap is heap]
    if not held:
        return "nothing is in use there that was allocated here"
    nbytes = in_words(sum(holder.nbytes for holder in held))
    hint = "" if config.debugging() else " (ACCEL_DEBUG=1 tells where they were made)"
    head = f"{nbytes} are in use there by {len(held)} owner{'s' * (len(held) != 1)}; the largest{hint}:"
    largest = nlargest(_SHOWN, held, key=lambda holder: holder.nbytes)
    return "\n  ".join([head, *(holder.in_words() for holder in largest)])
