"""What was found in a picture, on the host: the pipeline and the reference both return it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Detection", "Findings"]


@dataclass(frozen=True, slots=True)
class Detection:
    """One marked pixel, its response, and how many standard deviations that is above the median."""

    row: int
    column: int
    value: float
    significance: float


@dataclass(frozen=True, slots=True)
class Findings:
    """The result for one picture.

    Attributes
    ----------
    response : ndarray of float64
        How much each pixel stands out; minus infinity where the picture shows nothing.
    found : ndarray of bool
        Which pixels are marked.
    centre, spread : float
        The median response and its robust standard deviation.
    threshold : float
        What a response must exceed to be marked.
    """

    response: NDArray[np.float64]
    found: NDArray[np.bool_]
    centre: float
    spread: float
    threshold: float

    @property
    def count(self) -> int:
        """How many pixels are marked."""
        return int(np.count_nonzero(self.found))

    def strongest_first(self) -> Iterator[Detection]:
        """Yield every detection, the largest response first."""
        rows, columns = np.nonzero(self.found)
        values = self.response[rows, columns]
        for i in np.argsort(-values, kind="stable"):
            value = float(values[i])
            yield Detection(int(rows[i]), int(columns[i]), value, (value - self.centre) / self.spread)

    def leading(self, count: int, apart: int) -> list[Detection]:
        """Return the strongest detections of which no two are nearer than ``apart`` along both axes."""
        chosen: list[Detection] = []
        for new in self.strongest_first():
            if all(max(abs(new.row - old.row), abs(new.column - old.column)) >= apart for old in chosen):
                chosen.append(new)
            if len(chosen) == count:
                break
        return chosen
