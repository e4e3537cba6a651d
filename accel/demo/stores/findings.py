"""`Findings`: what the demo finds out about counties and cities, and in what two findings differ."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

__all__ = ["LONGEST", "RADIUS", "Findings", "differences"]

RADIUS = 6371.0072
"""Kilometres: of the sphere that has the area of the Earth."""

LONGEST = 100
"""No name of a city has so many characters."""

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """What was found out.

    Attributes
    ----------
    areas : ndarray, float64
        Of each ring, in km²; negative for holes.
    boxes : ndarray, float64, shape (n, 4)
        West, south, east and north of each ring, in degrees.
    state_areas : ndarray, float64
        Of each state, in km².
    county_of_city : ndarray, int32
        The county in which a city is; -1 for none.
    cities_in_county : ndarray, int64
        How many cities are in a county.
    name_lengths : ndarray, int64
        How many names have 0, 1, 2 ... characters.
    """

    areas: npt.NDArray[np.float64]
    boxes: npt.NDArray[np.float64]
    state_areas: npt.NDArray[np.float64]
    county_of_city: npt.NDArray[np.int32]
    cities_in_county: npt.NDArray[np.int64]
    name_lengths: npt.NDArray[np.int64]


def differences(findings: Findings, expected: Findings) -> list[str]:
    """Return a sentence for each kind of finding that differs: boxes and counts must be equal, areas up to rounding."""
    return [*_differences(findings, expected)]


def _differences(findings: Findings, expected: Findings) -> Iterator[str]:
    for field in fields(Findings):
        mine, theirs = getattr(findings, field.name), getattr(expected, field.name)
        name = field.name.replace("_", " ")
        if mine.shape != theirs.shape:
            yield f"{name}: {mine.shape} values instead of {theirs.shape}"
            continue
        unequal = ~np.isclose(mine, theirs, rtol=0, atol=_ROUNDING if "areas" in field.name else 0)
        if unequal.any():
            where = tuple(np.argwhere(unequal)[0].tolist())
            yield f"{name}: {unequal.sum()} of {mine.size} differ; at {where} {mine[where]} instead of {theirs[where]}"
