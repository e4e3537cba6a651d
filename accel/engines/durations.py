"""How long the body of a task took the last time, on stores of about some size."""

from typing import NamedTuple

__all__ = ["WAKING", "Duration"]

WAKING = 3e-5
"""Seconds from the submission of a task to its beginning in another thread, about."""


class Duration(NamedTuple):
    """The last durations of a task, and the size of the stores of one launch.

    Attributes
    ----------
    known : dict
        Seconds of the last run, by the binary logarithm of the bytes of the stores.
    nbytes : int
        Bytes of the stores.
    """

    known: dict[int, float]
    nbytes: int

    @property
    def tiny(self) -> bool:
        """Whether the last run took less time than waking a thread."""
        return self.known.get(self.nbytes.bit_length(), WAKING) < WAKING

    def note(self, seconds: float) -> None:
        """Note how long a run took."""
        self.known[self.nbytes.bit_length()] = seconds
