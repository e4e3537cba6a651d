"""The pictures of the demo, which are files of scikit-image, and what to look for in each."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

__all__ = ["SOURCES", "Picture", "Recipe", "load_retina", "load_sky"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to look for in a picture; lengths are in pixels.

    Attributes
    ----------
    shape : str
        ``points``: the brightest pixel of a square; ``lines``: brighter than the pixels on both sides of the line.
    sign : int
        1 for what is brighter than its surroundings, -1 for what is darker.
    background : int
        Half-width of the square whose mean is the background.
    sigma : float
        Standard deviation of the Gaussian that suppresses noise.
    reach : int
        A point is the largest response within this distance along each axis; 1 for lines.
    floor : float
        Pixels with a lower luminance, as those of a black surround, are ignored.
    inset : int
        Pixels within this distance of an ignored pixel are ignored too.
    level : float
        The threshold, in robust standard deviations above the median response.
    """

    shape: Literal["points", "lines"]
    sign: int = 1
    background: int = 32
    sigma: float = 1.5
    reach: int = 1
    floor: float = 0.0
    inset: int = 0
    level: float = 5.0


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels of shape (height, width, 3), with names, credit, and the recipe."""

    name: str
    title: str
    credit: str
    finds: str
    legend: str
    pixels: NDArray[np.uint8]
    recipe: Recipe

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.pixels.shape[0], self.pixels.shape[1]


def load_sky() -> Picture:
    """Return the Hubble deep field: bright points on a dark, noisy background."""
    return Picture(
        name="sky",
        title="Hubble deep field",
        credit="NASA and ESA, public domain",
        finds="stars and galaxies",
        legend="A ring is wider the more its star or galaxy stands out.",
        pixels=_pixels("hubble_deep_field.jpg"),
        recipe=Recipe("points", background=32, sigma=1.5, reach=3, level=10.0),
    )


def load_retina() -> Picture:
    """Return the retina: dark lines on a bright disc, surrounded by black."""
    return Picture(
        name="retina",
        title="Retina",
        credit="Mikael Häggström, public domain",
        finds="vessel pixels",
        legend="Along each vessel its darkest pixels are drawn over, more opaque the more they stand out.",
        pixels=_pixels("retina.jpg"),
        recipe=Recipe("lines", sign=-1, background=16, sigma=3.0, floor=30.0, inset=8, level=2.5),
    )


SOURCES: tuple[Callable[[], Picture], ...] = (load_sky, load_retina)
"""The functions that load the pictures of the demo."""


def _pixels(name: str) -> NDArray[np.uint8]:
    """Read a picture without importing scikit-image, which imports SciPy."""
    spec = find_spec("skimage")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(2, "install it with: pip install 'accel-container[demo]'", "scikit-image")
    with Image.open(Path(spec.submodule_search_locations[0], "data", name)) as picture:
        return np.ascontiguousarray(picture, dtype=np.uint8)
