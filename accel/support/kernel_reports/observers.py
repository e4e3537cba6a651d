"""Who is told of each report, also of those whose errors a program catches."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from accel.support.kernel_reports.report_data import ReportData

__all__ = ["announce", "observing"]

Observer = Callable[[Sequence[ReportData]], None]

_lock = threading.Lock()  # of changes; whoever announces reads one tuple
_observers: tuple[Observer, ...] = ()


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Let an observer be called with the reports of each launch, by the thread that makes them, in a ``with`` block."""
    global _observers
    with _lock:
        _observers = (*_observers, observer)
    try:
        yield
    finally:
        with _lock:
            _observers = tuple(each for each in _observers if each is not observer)


def announce(reports: Sequence[ReportData]) -> None:
    """Tell all observers of the reports of a launch."""
    for observer in _observers:
        observer(reports)
