"""`no_races`: a ``with`` block that fails if two streams of a simulated device use the same bytes in no order."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from accel.errors import RaceError
from accel.testing.simulation import finish, take_races

__all__ = ["no_races"]


@contextmanager
def no_races() -> Iterator[None]:
    """Fail if there is a race on a simulated device in the block, also if its error was caught.

    At the end, all work in flight on simulated devices is run. If another error leaves the block, the reports are added
    to it as notes. On other devices races are not detected.

    Returns
    -------
    iterator of None
        A context manager.

    Raises
    ------
    RaceError
        With a report of each race: the two operations, the bytes, and both lines of code.

    Examples
    --------
    >>> import accel
    >>> import accel.xp as xp
    >>> from accel.testing import no_races
    >>> x = xp.zeros(4, device="sim")
    >>> try:  # doctest: +ELLIPSIS
    ...     with no_races(), accel.new_stream("sim"):
    ...         x += 1
    ... except accel.errors.RaceError as error:
    ...     print(error)
    a race: iadd on stream ...
    """
    __tracebackhide__ = True
    earlier = take_races()
    try:
        yield
        with suppress(RaceError):
            finish()
        _refuse(report for _, report in take_races())
    except BaseException as error:
        with suppress(Exception):
            finish()
        for _, report in take_races():
            if report not in str(error):
                error.add_note(report)
        raise
    finally:
        for simulator, report in earlier:
            simulator.races.append(report)


def _refuse(reports: Iterator[str]) -> None:
    __tracebackhide__ = True
    text = "\n".join(reports)
    if text:
        raise RaceError(text)
