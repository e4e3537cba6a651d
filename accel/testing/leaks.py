"""`no_leaks`: nothing that a block of code allocates may be left when it ends."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from accel.memory import Snapshot, snapshot

__all__ = ["no_leaks"]


@contextmanager
def no_leaks() -> Iterator[None]:
    """Fail if the block leaves memory in use on any device.

    Raises
    ------
    AssertionError
        If there are more blocks or bytes in use at the end than at the beginning; says how many, where.

    Examples
    --------
    >>> import accel
    >>> from accel.testing import no_leaks
    >>> with no_leaks():
    ...     kept = accel.empty(1024)
    Traceback (most recent call last):
        ...
    AssertionError: cpu: 1 block more in use than before, 8192 bytes
    >>> kept.release()
    """
    before = _settled()
    yield
    after = _settled()
    known = {usage.device: usage for usage in before.devices}
    grown = []
    for usage in after.devices:
        blocks, nbytes = usage.live_blocks, usage.live_bytes
        if usage.device in known:
            blocks -= known[usage.device].live_blocks
            nbytes -= known[usage.device].live_bytes
        if blocks > 0 or nbytes > 0:
            grown.append(f"{usage.device}: {blocks} block{'s' * (blocks != 1)} more in use than before, {nbytes} bytes")
    if grown:
        raise AssertionError("; ".join(grown))


def _settled() -> Snapshot:
    gc.collect()
    return snapshot()
