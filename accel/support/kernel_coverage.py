"""Who is told how often threads of kernels on simulated devices took each line: coverage."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["CountedText", "Point", "counting", "recording", "tell"]


class Point(NamedTuple):
    """What a counter counts: how often threads begin a statement, a condition has an outcome, or a way is taken.

    Attributes
    ----------
    file : str
        Its name, as reports have it.
    line : int
        From 1.
    condition : int
        The number of the condition in the source, from 1; 0 for a statement.
    outcome : bool
        That of the condition.
    after : int or None
        Of a way from line to line: the line before; 0 for a call. If the line is 0, the function returns.
    """

    file: str
    line: int
    condition: int = 0
    outcome: bool = False
    after: int | None = None


class CountedText(NamedTuple):
    """A source of kernels, and what its counters count."""

    text: str
    points: tuple[Point, ...]


Recorder = Callable[[CountedText, Sequence[tuple[int, int]]], object]
"""Called after a launch, with the counters that there is code of: their numbers, and by how much they grew."""

_lock = threading.Lock()  # of changes; whoever tells reads one tuple
_recorders: tuple[Recorder, ...] = ()


def counting() -> bool:
    """Tell whether kernels are to be compiled with counters."""
    return bool(_recorders)


@contextmanager
def recording(recorder: Recorder) -> Iterator[None]:
    """Let launches of all threads be counted in a ``with`` block, and a recorder be told by the thread that waits."""
    global _recorders
    with _lock:
        _recorders = (*_recorders, recorder)
    try:
        yield
    finally:
        with _lock:
            _recorders = tuple(each for each in _recorders if each is not recorder)


def tell(source: CountedText, counts: Sequence[tuple[int, int]]) -> None:
    """Tell all recorders of a launch."""
    for recorder in _recorders:
        recorder(source, counts)
