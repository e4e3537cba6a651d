"""`Findings`: the detections in a picture, the result of the pipeline and of the reference."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Detection", "Findings"]


@dataclass(frozen=True, slots=True)
class Detection:
    """A marked pixel, its response, and how many standard deviations the response is above the median."""

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
    marked : ndarray of bool
        Which pixels are marked.
    centre, spread : float
        The median response and its robust standard deviation.
    threshold : float
        What a response must exceed to be marked.
    """

    response: NDArray[np.float64]
    marked: NDArray[np.bool_]
    centre: float
    spread: float
    threshold: float

    @property
    def count(self) -> int:
        """How many pixels are marked."""
        return int(np.count_nonzero(self.marked))

    def strongest_first(self) -> Iterator[Detection]:
        """Yield every detection, the largest response first."""
        rows, columns = np.nonzero(self.marked)
        values = self.response[rows, columns]
        for i in np.argsort(-values, kind="stable"):
            value = float(values[i])
            yield Detection(int(rows[i]), int(columns[i]), value, (value - self.centre) / self.spread)

    def leading(self, count: int, apart: int) -> list[Detection]:
        """Return the strongest detections, any two of them at least ``apart`` pixels apart along one axis."""
        chosen: list[Detection] = []
        for new in self.strongest_first():
            if all(max(abs(new.row - old.row), abs(new.column - old.column)) >= apart for old in chosen):
                chosen.append(new)
            if len(chosen) == count:
                break
        return chosen
