"""`no_leaks`: a ``with`` block that fails if it leaves memory in use."""

from collections.abc import Iterator
from contextlib import contextmanager

from accel.memory.reports.leaks import Baseline, baseline, refuse_growth
from accel.testing.simulation import finish, in_use

__all__ = ["no_leaks", "refuse_growth", "settled"]


@contextmanager
def no_leaks() -> Iterator[None]:
    """Fail if the block leaves memory in use on any device, as `accel.memory.assert_no_leak` does.

    On a simulated device the results of computations count too, and work in flight is finished before memory is
    counted.

    Returns
    -------
    iterator of None
        A context manager.

    Raises
    ------
    AssertionError
        If more blocks or bytes are in use at the end than at the beginning; the message says how many, where, and in
        debug mode which line made them.

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
    """Finish the work in flight and collect garbage; return the memory that is in use then."""
    finish()
    return baseline(in_use)
