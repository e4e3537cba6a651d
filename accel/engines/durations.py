"""How long the body of a task took the last time, on stores of about some size."""

from math import inf
from typing import NamedTuple

__all__ = ["SOON", "WAKING", "Duration"]

WAKING = 3e-5
"""Seconds from the submission of a task to its beginning in another thread, about."""

SOON = 1e-3
"""Seconds that a thread waits at most for tiny tasks, so that it can run the next one itself."""


class Duration(NamedTuple):
    """The last durations of a task, and the size of the stores of one launch.

    Attributes
    ----------
    known : dict
        Seconds of the last run and of the one before it, by the binary logarithm of the bytes of the stores.
    nbytes : int
        Bytes of the stores.
    """

    known: dict[int, tuple[float, float]]
    nbytes: int

    @property
    def seconds(self) -> float:
        """How long it will take, about; infinite if it has not run. One of two runs may have been held up."""
        return min(self.known.get(self.nbytes.bit_length(), _UNKNOWN))

    @property
    def tiny(self) -> bool:
        """Whether it takes less time than to wake a thread."""
        return self.seconds < WAKING

    def note(self, seconds: float) -> None:
        """Note how long a run took."""
        size = self.nbytes.bit_length()
        self.known[size] = seconds, self.known.get(size, _UNKNOWN)[0]


_UNKNOWN = inf, inf
