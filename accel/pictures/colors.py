"""The colours of pictures: a ramp for amounts, hues for groups, and a readable text colour for each."""

from functools import lru_cache
from math import cos, radians, sin
from typing import NamedTuple

__all__ = ["HUES", "Color", "hue", "ramp", "turned_hue"]

HUES = 32
"""How many groups have distinct colours; further groups repeat them."""


class Color(NamedTuple):
    """A colour in sRGB, each part from 0 to 255."""

    red: int
    green: int
    blue: int

    @property
    def hex(self) -> str:
        """The colour in the notation of SVG and CSS, such as ``#16181d``."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def luminance(self) -> float:
        """The relative luminance of WCAG 2, from 0 to 1."""
        red, green, blue = (_linear(part / 255) for part in self)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    @property
    def ink(self) -> "Color":
        """Black or white, whichever has more contrast on this colour; at least 4.5 to 1."""
        return BLACK if (self.luminance + 0.05) ** 2 > 0.05 * 1.05 else WHITE


BLACK, WHITE = Color(0, 0, 0), Color(255, 255, 255)


def ramp(part: float) -> Color:
    """Return the colour of an amount, from 0 (light yellow) to 1 (dark blue), in perceptually equal steps."""
    return _oklch(0.96 - 0.52 * part, 0.065 + 0.06 * part, 100 + 170 * part)


@lru_cache(1024)
def hue(group: int, count: int) -> Color:
    """Return the colour of one of ``count`` groups; adjacent groups also differ in lightness."""
    shown = min(max(count, 1), HUES)
    place = group % shown
    return _oklch(0.78 if place % 2 else 0.89, 0.1 if place % 2 else 0.08, 25 + 360 * place / shown)


def turned_hue(number: int, *, darker: bool) -> Color:
    """Return the colour of a number, a golden angle from that of the number before: numbers near it differ clearly."""
    return _oklch(0.8 if darker else 0.86, 0.09, 250 + 137.5 * number)


def _oklch(lightness: float, chroma: float, degrees: float) -> Color:
    """Return the nearest sRGB colour to one in OKLCH, a colour space in which equal steps look equal."""
    a, b = chroma * cos(radians(degrees)), chroma * sin(radians(degrees))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return Color(
        _part(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _part(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _part(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _part(linear: float) -> int:
    shown = min(max(linear, 0.0), 1.0)
    return round(255 * (12.92 * shown if shown <= 0.0031308 else 1.055 * shown ** (1 / 2.4) - 0.055))


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
