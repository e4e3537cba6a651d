"""The filters of the demo: kernels where most of the time goes, else functions of the Python array API standard.

A filter takes a two-dimensional array and returns a smaller one, without the pixels near the edges whose result would
depend on pixels outside the array. Luminances are multiples of 1/256, so their sums are exact and results do not depend
on where a tile begins.
"""

import math
from typing import Any

import numpy as np

import accel
from accel import xp
from accel.demo import kernels
from accel.layout import Layout
from accel.views import BufferView, LayoutTensor
from accel.xp import Array

__all__ = ["box_sum", "gaussian", "gaussian_weights", "inner", "luminance", "peaks", "ridges", "robust_level"]

_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@accel.fuse(fallback="eager")
def luminance(pixels: Array) -> Array:
    """Return the luminance of RGB pixels of shape (height, width, 3), from 0 to 255."""
    red, green, blue = (xp.astype(pixels[:, :, channel], xp.float64) for channel in range(3))
    return (54 * red + 183 * green + 19 * blue) / 256


def box_sum(x: Array, radius: int) -> Array:
    """Return the sum over the square of side ``2 * radius + 1`` around each element."""
    margin = 2 * radius
    rows, columns = x.shape
    tall = xp.empty((rows - margin, columns), dtype=xp.float64, device=x.device)
    small = xp.empty((rows - margin, columns - margin), dtype=xp.float64, device=x.device)
    source, between, out = _flat(x), _flat(tall), _flat(small)
    kernels.sum_windows(source, between, margin, columns, columns, 1, 1)
    kernels.sum_windows(between, out, margin, rows - margin, 1, columns, columns - margin)
    return small


def gaussian(x: Array, sigma: float) -> Array:
    """Return ``x`` smoothed with the kernel of `gaussian_weights`, along the columns and then along the rows."""
    weights: BufferView[np.float64] = BufferView(xp.asarray(gaussian_weights(sigma), device=x.device))
    margin = 2 * (weights.size - 1)
    rows, columns = x.shape
    tall = xp.empty((rows - margin, columns), dtype=xp.float64, device=x.device)
    small = xp.empty((rows - margin, columns - margin), dtype=xp.float64, device=x.device)
    source, between, out = _flat(x), _flat(tall), _flat(small)
    kernels.smooth(source, between, weights, columns, columns, columns)
    kernels.smooth(between, out, weights, columns - margin, columns, 1)
    return small


def gaussian_weights(sigma: float) -> list[float]:
    """Return the weights of a Gaussian at 0, 1, 2 ... up to four standard deviations; both sides together sum to 1."""
    radius = int(4 * sigma + 0.5)
    weights = [math.exp(-0.5 * (step / sigma) ** 2) for step in range(radius + 1)]
    total = 2 * math.fsum(weights) - weights[0]
    return [weight / total for weight in weights]


def peaks(x: Array, reach: int) -> Array:
    """Return a mask of the elements that are the largest within distance ``reach`` along both axes."""
    middle = inner(x, reach)
    result = xp.empty(middle.shape, dtype=xp.bool, device=x.device)
    tensors = (LayoutTensor(each) for each in (x, middle, result))
    kernels.find_peaks(*tensors, Layout((reach + 1, reach + 1)))
    return result


@accel.fuse(fallback="eager")
def ridges(x: Array) -> Array:
    """Return a mask of the elements that exceed both neighbours in the direction of the largest second derivative.

    On a line, this is the direction across the line. The directions are the axes and the diagonals.
    """
    centre = inner(x, 1)
    most = xp.zeros_like(centre)
    crest = xp.zeros_like(centre, dtype=xp.bool)
    for down, right in _DIRECTIONS:
        before, after = _neighbour(x, -down, -right), _neighbour(x, down, right)
        bend = xp.abs(before + after - 2 * centre) / (down * down + right * right)
        crest = xp.where(bend > most, centre >= xp.maximum(before, after), crest)
        most = xp.maximum(bend, most)
    return crest


def robust_level(values: Array) -> tuple[Array, Array]:
    """Return the median, and the standard deviation estimated from the median absolute deviation."""
    centre = _median(values)
    return centre, 1.4826 * _median(xp.abs(values - centre))


def inner(x: Array, margin: int) -> Array:
    """Return ``x`` without ``margin`` elements at each edge."""
    rows, columns = x.shape
    return x[margin : rows - margin, margin : columns - margin]


def _neighbour(x: Array, down: int, right: int) -> Array:
    rows, columns = x.shape
    return x[1 + down : rows - 1 + down, 1 + right : columns - 1 + right]


def _flat(x: Array) -> BufferView[Any]:
    return BufferView(xp.reshape(x, (-1,)))


def _median(values: Array) -> Array:
    ordered = xp.sort(values, stable=False)
    last = ordered.shape[0] - 1
    return (ordered[last // 2] + ordered[(last + 1) // 2]) / 2
