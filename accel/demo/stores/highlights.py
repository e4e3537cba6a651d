"""`Highlights`: the most of everything, for the terminal and the report."""

from dataclasses import dataclass

import numpy as np

from accel.demo.stores.atlas import Atlas
from accel.demo.stores.findings import Findings

__all__ = ["Highlights"]


@dataclass(frozen=True, slots=True)
class Highlights:
    """Findings that are worth a line."""

    atlas: Atlas
    findings: Findings

    @property
    def area(self) -> float:
        """Of all counties, in km²."""
        return float(self.findings.areas.sum())

    @property
    def cities(self) -> int:
        """Number of cities that are in a county."""
        return int(self.findings.cities_in_county.sum())

    @property
    def usual_length(self) -> int:
        """The most frequent number of characters of a name."""
        return int(self.findings.name_lengths.argmax())

    @property
    def longest_name(self) -> str:
        """The first of the longest names."""
        return max(self.atlas.cities, key=len)

    def states(self, count: int) -> list[tuple[str, float]]:
        """Return the largest states and their areas in km²."""
        order = np.argsort(-self.findings.state_areas, kind="stable")[:count]
        return [(self.atlas.states[at], float(self.findings.state_areas[at])) for at in order]

    def counties(self, count: int) -> list[tuple[str, int, str]]:
        """Return the counties with the most cities, their number, and the areas in km² as text."""
        areas = np.bincount(self.atlas.county_of, self.findings.areas, len(self.atlas.counties))
        order = np.argsort(-self.findings.cities_in_county, kind="stable")[:count]
        named = [(self.atlas.counties[at], at) for at in order]
        return [
            (f"{county.name}, {county.state}", int(self.findings.cities_in_county[at]), f"{areas[at]:,.0f}")
            for county, at in named
        ]
