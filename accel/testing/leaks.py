"""`no_leaks`: nothing that a block of code allocates may be left when it ends."""

from collections.abc import Iterator
from contextlib import contextmanager

from accel.memory.reports.leaks import Baseline, baseline, refuse_growth
from accel.testing.simulation import finish, in_use

__all__ = ["no_leaks", "refuse_growth", "settled"]


@contextmanager
def no_leaks() -> Iterator[None]:
    """Fail if the block leaves memory in use on any device, as `accel.memory.assert_no_leak` does.

    On a simulated device this includes the results of computations, and work in flight is finished before it is
    counted.

    Raises
    ------
    AssertionError
        If there are more blocks or bytes in use at the end than at the beginning; says how many, where, and in debug
        mode which line made them.

    Examples
    --------
    >>> import accel
    >>> from accel.testing import no_leaks
    >>> with no_leaks():
    ...     kept = accel.empty(1024)
    Traceback (most recent call last):
        ...
    AssertionError: cpu: 1 block more in use than before, 8192 bytes
      cpu: 8192 bytes, 1 handle
      ACCEL_DEBUG=1 tells where they were made
    >>> kept.release()
    """
    __tracebackhide__ = True
    before = settled()
    yield
    refuse_growth(before, settled())


def settled() -> Baseline:
    """Return what is in use when all that can go is gone, results of computations included."""
    finish()
    return baseline(in_use)
