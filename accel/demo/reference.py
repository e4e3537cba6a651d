"""The reference computation of the demo: the whole picture at once, only with NumPy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accel.demo.findings import Findings
from accel.demo.pictures import Picture, Recipe
from accel.demo.windows import blurred, largest, mean, smallest

__all__ = ["Reference", "compute_reference"]

_WEIGHTS = np.array([54, 183, 19]) / 256
_MIDDLE = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
_LINES = np.array([np.eye(3), np.eye(3)[::-1], [[0, 0, 0], [1, 1, 1], [0, 0, 0]], [[0, 1, 0]] * 3], dtype=bool)

Image = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Reference(Findings):
    """Findings with the margin of each decision.

    Attributes
    ----------
    margin : ndarray of float64
        How much the response would have to change to mark an unmarked pixel, or the reverse.
    """

    margin: Image


def compute_reference(picture: Picture) -> Reference:
    """Find what the picture's recipe describes, without tiles and without `accel`."""
    recipe = picture.recipe
    response = _respond(picture.pixels @ _WEIGHTS, recipe)
    values = response[np.isfinite(response)]
    centre = float(np.median(values))
    spread = 1.4826 * float(np.median(np.abs(values - centre)))
    threshold = centre + recipe.level * spread
    crest = _peaks(response, recipe.reach) if recipe.shape == "points" else _ridges(response)
    excess = response - threshold
    return Reference(
        response, (crest >= 0) & (excess > 0), centre, spread, threshold, np.abs(np.minimum(crest, excess))
    )


def _respond(light: Image, recipe: Recipe) -> Image:
    side = 2 * recipe.background + 1
    shown = (light >= recipe.floor).astype(np.float64)
    # Half the share of one pixel: less than any share above 0, and more than the rounding error of a share of 0.
    share = np.maximum(mean(shown, side), 0.5 / side**2)
    contrast = shown * (light - mean(light * shown, side) / share)
    response = blurred(recipe.sign * contrast, recipe.sigma)
    inside = smallest(shown, 2 * recipe.inset + 1) > 0
    return np.where(inside, response, -np.inf)


def _peaks(response: Image, reach: int) -> Image:
    """Return by how much each element exceeds the largest other element within reach."""
    others = np.ones((2 * reach + 1, 2 * reach + 1), dtype=bool)
    others[reach, reach] = False
    rival = largest(response, others, -np.inf)
    return np.subtract(response, rival, out=np.zeros_like(response), where=np.isfinite(response))


def _ridges(response: Image) -> Image:
    """Return by how much each element exceeds its neighbours across a line.

    If the second derivatives of two directions are nearly equal, rounding could choose the other direction, so the
    result is limited to their difference.
    """
    response = np.where(np.isfinite(response), response, 0)
    bends, crests = (np.array(each) for each in zip(*(_along(response, line) for line in _LINES), strict=True))
    second, first = np.argsort(bends, axis=0)[-2:, np.newaxis]
    crest: Image = np.take_along_axis(crests, first, axis=0)[0]
    doubt: Image = (np.take_along_axis(bends, first, axis=0) - np.take_along_axis(bends, second, axis=0))[0]
    return np.clip(crest, -doubt, doubt)


def _along(response: Image, line: NDArray[np.bool_]) -> tuple[Image, Image]:
    """Return the absolute second derivative along a line of 3 pixels, and the excess of the middle over the ends."""
    ends = line & ~_MIDDLE
    square = int(np.sum((np.argwhere(ends)[0] - 1) ** 2))
    sides = -largest(-response, ends) + largest(response, ends)  # there are two: the sum of the smaller and the larger
    return np.abs(sides - 2.0 * response) / square, response - largest(response, ends)
