"""What the reference computation takes from the surroundings of each pixel, by NumPy alone; pictures go on mirrored."""

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

__all__ = ["blurred", "largest", "mean", "smallest"]

Image = NDArray[np.float64]


def mean(image: Image, side: int) -> Image:
    """Return the mean of the square of an odd side around each element."""
    return _along_axes(image, np.full(side, 1 / side))


def blurred(image: Image, sigma: float) -> Image:
    """Return the image under a Gaussian that ends at four standard deviations."""
    radius = math.floor(4 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return _along_axes(image, weights / weights.sum())


def _along_axes(image: Image, weights: Image) -> Image:
    for axis in (0, 1):
        image = _windows(image, len(weights), axis) @ weights
    return image


def smallest(image: Image, side: int) -> Image:
    """Return the smallest element of the square of an odd side around each element."""
    for axis in (0, 1):
        image = _windows(image, side, axis).min(axis=-1)
    return image


def _windows(image: Image, side: int, axis: int) -> Image:
    around = [(0, 0), (0, 0)]
    around[axis] = (side // 2, side // 2)
    return sliding_window_view(np.pad(image, around, mode="symmetric"), side, axis)


def largest(image: Image, footprint: NDArray[np.bool_], outside: float | None = None) -> Image:
    """Return the largest of the elements around each that a square footprint marks.

    Past its edges the image is mirrored, unless a value is given.
    """
    reach = len(footprint) // 2
    padded = np.pad(image, reach, "symmetric") if outside is None else np.pad(image, reach, constant_values=outside)
    result = np.full_like(image, -np.inf)
    for row, column in np.argwhere(footprint):
        np.maximum(result, padded[row : row + image.shape[0], column : column + image.shape[1]], out=result)
    return result
