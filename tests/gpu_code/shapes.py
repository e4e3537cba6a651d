"""Copies of the shapes that people have, as the planner makes them."""

import math

from accel.copies.planner import walked_together

__all__ = ["permuted"]


def permuted(shape, order, width):
    """Return the plan of a copy of a contiguous array, with its axes in another order, to a contiguous one."""
    extents = tuple(shape[axis] for axis in order)
    source = _contiguous(shape, width)
    axes = (extents, _contiguous(extents, width)), (extents, tuple(source[axis] for axis in order))
    return walked_together(*axes, width, 16, True, False, 32)


def _contiguous(shape, width):
    return tuple(width * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
