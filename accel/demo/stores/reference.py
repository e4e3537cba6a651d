"""The results of the demo by plain NumPy: one ring, one county and one name after the other."""

from collections.abc import Sequence
from math import fsum

import numpy as np
import numpy.typing as npt

from accel.demo.stores.atlas import Atlas
from accel.demo.stores.findings import LONGEST, RADIUS, Findings

__all__ = ["compute_reference"]

_Floats = npt.NDArray[np.float64]


def compute_reference(atlas: Atlas) -> Findings:
    """Return what the tasks are to find."""
    areas = np.array([_area(ring) for ring in atlas.rings])
    boxes = np.array([(*ring.min(axis=0), *ring.max(axis=0)) for ring in atlas.rings])
    county_of_city = _located(atlas, boxes)
    counties = county_of_city[county_of_city >= 0]
    return Findings(
        areas=areas,
        boxes=boxes,
        state_areas=np.array([_total(atlas, areas, state) for state in atlas.states]),
        county_of_city=county_of_city,
        cities_in_county=np.bincount(counties, minlength=len(atlas.counties)),
        name_lengths=np.bincount([len(name) for name in atlas.cities], minlength=LONGEST),
    )


def _area(ring: _Floats) -> float:
    """Return the area of a ring on the sphere, in km²: its edges are straight in an equal-area projection."""
    x, y = np.radians(ring[:, 0]), np.sin(np.radians(ring[:, 1]))
    return RADIUS**2 / 2 * fsum(np.diff(x) * (y[:-1] + y[1:]))


def _total(atlas: Atlas, areas: _Floats, state: str) -> float:
    rings = zip(atlas.county_of, areas, strict=True)
    return fsum(area for county, area in rings if atlas.counties[county].state == state)


def _located(atlas: Atlas, boxes: _Floats) -> npt.NDArray[np.int32]:
    """Return the county of each city, or -1."""
    located = np.full(len(atlas.places), -1, np.int32)
    x, y = np.ascontiguousarray(atlas.places.T)
    for county in range(len(atlas.counties)):
        mine = np.flatnonzero(atlas.county_of == county).tolist()
        low, high = boxes[mine, :2].min(axis=0), boxes[mine, 2:].max(axis=0)
        [near] = np.nonzero((low[0] <= x) & (x <= high[0]) & (low[1] <= y) & (y <= high[1]))
        inside = _inside(atlas.places[near], [atlas.rings[each] for each in mine])
        located[near[inside & (located[near] < 0)]] = county
    return located


def _inside(points: _Floats, rings: Sequence[_Floats]) -> npt.NDArray[np.bool_]:
    """Tell for which points a ray to the east crosses an odd number of edges."""
    crossings: npt.NDArray[np.int64] = np.zeros(len(points), np.int64)
    x, y = points[:, :1], points[:, 1:]
    for ring in rings:
        (from_x, to_x), (from_y, to_y) = ((axis[:-1], axis[1:]) for axis in ring.T)
        crossed = (y < from_y) != (y < to_y)
        slope = np.divide(to_x - from_x, to_y - from_y, where=to_y != from_y, out=np.zeros(len(from_x)))
        crossings += (crossed & (x < from_x + (y - from_y) * slope)).sum(axis=1)
    odd: npt.NDArray[np.bool_] = crossings % 2 == 1
    return odd
