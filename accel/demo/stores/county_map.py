"""Draw the counties as SVG, colored by their area and by the tile of the partition that they were measured in."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from accel.demo.stores.atlas import Atlas
from accel.demo.stores.findings import Findings
from accel.demo.stores.projection import HEIGHT, WIDTH, panel_of
from accel.pictures import svg

__all__ = ["AREAS", "TILE_COLORS", "county_map"]

_STEPS = 2
"""Coordinates are rounded to halves of a pixel."""

AREAS = (900, 1300, 1700, 2200, 3300, 6000)
"""Limits of the classes of areas, in km²; each has about a sixth of the counties, and the last two share one."""

TILE_COLORS = 6
"""Tiles have so many colors in turn."""

_Floats = npt.NDArray[np.float64]


def county_map(atlas: Atlas, findings: Findings, tile_of: Sequence[int]) -> str:
    """Return an SVG element.

    Parameters
    ----------
    atlas : Atlas
        Counties and cities.
    findings : Findings
        Areas, and where the cities are.
    tile_of : sequence of int
        The tile of each ring.
    """
    areas = np.bincount(atlas.county_of, findings.areas, len(atlas.counties))
    first = np.searchsorted(atlas.county_of, np.arange(len(atlas.counties)))
    shapes = [
        _county(atlas, county, float(area), int(findings.cities_in_county[county]), tile_of[first[county]])
        for county, area in enumerate(areas)
    ]
    shapes.append(svg.path("".join(_dots(atlas, findings)), "cities"))
    body = svg.element("g", "".join(shapes), transform=f"scale({1 / _STEPS})")
    return svg.figure("map", WIDTH, HEIGHT, body, label="Map of the counties")


def _county(atlas: Atlas, county: int, area: float, cities: int, tile: int) -> str:
    name, state = atlas.counties[county].name, atlas.counties[county].state
    panel = panel_of(state)
    if panel is None:
        return ""
    first, past = np.searchsorted(atlas.county_of, (county, county + 1))
    outline = "".join(_path(panel.project(ring)) for ring in atlas.rings[first:past])
    if not outline:
        return ""
    plural = "city" if cities == 1 else "cities"
    title = f"{name}, {state}: {area:,.0f} km², {cities} {plural}, tile {tile}"
    kind = f"a{np.searchsorted(AREAS, area)} t{tile % TILE_COLORS}"
    return svg.path(outline, kind, title=title)


def _path(points: _Floats) -> str:
    """Return a closed path without the points that would be drawn over those before; nothing if few are left."""
    rounded = np.rint(points * _STEPS).astype(int)
    steps = np.diff(rounded, axis=0)
    moved = steps[steps.any(axis=1)].tolist()
    if len(moved) < 3:
        return ""
    x, y = rounded[0]
    return f"M{x} {y}l{''.join(map(_step, moved[:-1])).lstrip()}z"


def _step(step: list[int]) -> str:
    """Return a step with no more spaces than are needed: a minus separates too."""
    x, y = step
    return f"{x if x < 0 else f' {x}'}{y if y < 0 else f' {y}'}"


def _dots(atlas: Atlas, findings: Findings) -> Iterator[str]:
    for city in np.flatnonzero(findings.county_of_city >= 0):
        panel = panel_of(atlas.counties[findings.county_of_city[city]].state)
        if panel is not None:
            [[x, y]] = np.rint(panel.project(atlas.places[city : city + 1]) * _STEPS).astype(int)
            yield f"M{x} {y}h0"
