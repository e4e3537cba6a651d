"""The three filters that are kernels, written with functions of the array standard, to compare the kernels with."""

from functools import reduce

from accel import xp
from accel.demo.filters import gaussian_weights, inner


def box_sum(x, radius, cumulative_sum=xp.cumulative_sum):
    width = 2 * radius + 1
    for axis in (0, 1):
        total = cumulative_sum(x, axis=axis, include_initial=True)
        count = total.shape[axis] - width
        x = _part(total, axis, width, count) - _part(total, axis, 0, count)
    return x


def gaussian(x, sigma):
    centre, *sides = gaussian_weights(sigma)
    radius = len(sides)
    for axis in (0, 1):
        count = x.shape[axis] - 2 * radius
        smooth = centre * _part(x, axis, radius, count)
        for step, weight in enumerate(sides, 1):
            pair = _part(x, axis, radius - step, count) + _part(x, axis, radius + step, count)
            smooth = smooth + weight * pair
        x = smooth
    return x


def peaks(x, reach, maximum=xp.maximum):
    largest = x
    for axis in (0, 1):
        count = x.shape[axis] - 2 * reach
        largest = reduce(maximum, [_part(largest, axis, start, count) for start in range(2 * reach + 1)])
    return inner(x, reach) >= largest


def _part(x, axis, start, count):
    return x[start : start + count, :] if axis == 0 else x[:, start : start + count]
