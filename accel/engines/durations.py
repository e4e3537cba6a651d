"""The durations of the last runs of a task, by the size of its stores."""

from math import inf
from typing import NamedTuple

__all__ = ["GIVING_ATTACHED", "SOON", "WAKING", "Duration", "Durations", "is_tiny", "note"]

WAKING = 3e-5
"""Seconds from the submission of a task to its beginning in another thread, about."""

GIVING_ATTACHED = 2 * WAKING
"""A task on attached memory that takes fewer seconds runs in the caller. Its runs include the making of aliases."""

SOON = 1e-3
"""Seconds that a thread waits at most for tiny tasks, so that it can run the next one itself."""


Durations = dict[int, tuple[float, float]]
"""Seconds of the last run of a task and of the one before it, by the binary logarithm of the bytes of its stores."""

_UNKNOWN = inf, inf


def is_tiny(durations: Durations, size: int) -> bool:
    """Tell whether a task takes less time than to wake a thread. One of two runs may have been delayed."""
    last, before = durations.get(size, _UNKNOWN)
    return last < WAKING or before < WAKING


def note(durations: Durations, size: int, seconds: float) -> None:
    """Note how long a run took."""
    durations[size] = seconds, durations.get(size, _UNKNOWN)[0]


class Duration(NamedTuple):
    """The last durations of a task, and the size of the stores of one launch.

    Attributes
    ----------
    durations : dict
        The last durations.
    nbytes : int
        Bytes of the stores.
    most : float
        Seconds that a task takes at most to be tiny.
    """

    durations: Durations
    nbytes: int
    most: float = WAKING

    @property
    def seconds(self) -> float:
        """The expected duration; infinite if it has not run."""
        return min(self.durations.get(self.nbytes.bit_length(), _UNKNOWN))

    @property
    def tiny(self) -> bool:
        """Whether it takes less time than to wake a thread for it."""
        return self.seconds < self.most

    def note(self, seconds: float) -> None:
        """Note how long a run took."""
        note(self.durations, self.nbytes.bit_length(), seconds)
