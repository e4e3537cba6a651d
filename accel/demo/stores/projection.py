"""The projection of the map: Albers' conic, equal-area; Alaska, Hawaii and Puerto Rico have places of their own."""

from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np
import numpy.typing as npt

__all__ = ["HEIGHT", "WIDTH", "Panel", "panel_of"]

WIDTH, HEIGHT = 960, 610

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the map.

    Attributes
    ----------
    parallels : tuple of float
        The two latitudes without distortion.
    centre : tuple of float
        The longitude and latitude that is shown at ``at``.
    at : tuple of float
        A position on the map.
    scale : float
        Pixels to a radius of the Earth.
    """

    parallels: tuple[float, float]
    centre: tuple[float, float]
    at: tuple[float, float]
    scale: float

    def project(self, places: _Floats) -> _Floats:
        """Return the positions of places on the map, in pixels from its upper left corner."""
        first, second = map(radians, self.parallels)
        n = (sin(first) + sin(second)) / 2
        c = cos(first) ** 2 + 2 * n * sin(first)
        # West of the antimeridian the islands of Alaska go on.
        turned = (places[:, 0] - self.centre[0] + 180) % 360 - 180
        theta = n * np.radians(turned)
        radius, middle = (np.sqrt(c - 2 * n * np.sin(np.radians(y))) / n for y in (places[:, 1], self.centre[1]))
        offsets = np.stack((radius * np.sin(theta), radius * np.cos(theta) - middle), axis=1)
        return np.asarray(self.at) + self.scale * offsets


_MAINLAND = Panel((29.5, 45.5), (-96, 37.8), (490, 300), 1230)
_ALASKA = Panel((55, 65), (-154, 62), (160, 510), 420)
_HAWAII = Panel((8, 18), (-157.5, 20.5), (360, 560), 1250)
_PUERTO_RICO = Panel((17, 19), (-66.2, 18.2), (880, 560), 1250)
_ELSEWHERE = {"AK": _ALASKA, "HI": _HAWAII, "PR": _PUERTO_RICO, "VI": _PUERTO_RICO, "AS": None, "GU": None, "MP": None}


def panel_of(state: str) -> Panel | None:
    """Return the part of the map that shows a state; None for the islands in the west of the Pacific."""
    return _ELSEWHERE.get(state, _MAINLAND)
