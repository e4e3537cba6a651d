"""Copies between arrays of the shapes that people have, large enough that each block of a GPU copies several tiles."""

import math
from functools import cache

import numpy as np
import pytest

from accel import Device, copies
from accel.copies import Elements
from accel.dtypes import as_dtype
from accel.memory import HostStorage, copy_elements

from ..copies.model import stored
from .effort import EXAMPLES

NBYTES = 8_000 * min(EXAMPLES, 1000)
DTYPES = tuple(map(as_dtype, ("uint8", "int16", "float32", "complex64", "complex128")))
# Extents of the source, of which 0 is as large as there is room for, and the order of its axes in the target.
SHAPES = {
    "matrix": ((0, 1031), (1, 0)),
    "matrix of whole tiles": ((0, 1024), (1, 0)),
    "N x 3": ((0, 3), (1, 0)),
    "3 x N": ((3, 0), (1, 0)),
    "N x 2": ((0, 2), (1, 0)),
    "2 x N": ((2, 0), (1, 0)),
    "N x 7": ((0, 7), (1, 0)),
    "N x 31": ((0, 31), (1, 0)),
    "31 x N": ((31, 0), (1, 0)),
    "images to channels first": ((0, 45, 67, 3), (0, 3, 1, 2)),
    "channels first to images": ((0, 3, 45, 67), (0, 2, 3, 1)),
    "video to channels first": ((0, 5, 30, 40, 4), (0, 4, 1, 2, 3)),
    "heads first": ((0, 33, 8, 64), (0, 2, 1, 3)),
    "heads first, transposed": ((0, 33, 8, 64), (0, 2, 3, 1)),
    "batches of 12 x 20": ((0, 12, 20), (0, 2, 1)),
    "rows of 12 exchanged": ((0, 41, 12), (1, 0, 2)),
    "four axes reversed": ((0, 19, 23, 17), (3, 2, 1, 0)),
    "planes exchanged": ((0, 40, 41), (1, 0, 2)),
}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def whole(extents, items):
    """Replace 0 by an extent that makes so many items, or a few more than none."""
    rest = math.prod(filter(None, extents))
    return tuple(extent or max(items // rest, 2) for extent in extents)


def row_major(extents):
    return tuple(math.prod(extents[axis + 1 :]) for axis in range(len(extents)))


def elements(storage, start, extents, strides):
    return Elements(storage, start, tuple(zip(extents[::-1], strides[::-1], strict=True)))


@cache
def random_bytes():
    """Return enough random bytes for all: to draw them takes longer than to copy them."""
    return np.random.default_rng(0).integers(0, 256, NBYTES + 2_000_000, np.uint8)


def values(size, dtype, start):
    return random_bytes()[start : start + size * dtype.itemsize].copy().view(dtype)


def check(shape, dtype, starts, target_device, source_device):
    """Copy, and compare every byte of the target with NumPy's, also those before and after the elements."""
    extents, axes = whole(shape[0], NBYTES // dtype.itemsize), shape[1]
    taken, strides = (tuple(each[axis] for axis in axes) for each in (extents, row_major(extents)))
    size, (into, out_of) = math.prod(extents), starts
    source, expected = values(size + out_of, dtype, 0), values(size + into + 5, dtype, 1001)
    storages = [stored(*each) for each in ((target_device, expected), (source_device, source))]
    copies.copy(elements(storages[0], into, taken, row_major(taken)), elements(storages[1], out_of, taken, strides))
    expected[into : into + size].reshape(taken)[...] = source[out_of:].reshape(extents).transpose(axes)
    result = np.empty_like(expected)
    copy_elements(HostStorage(result), storages[0])
    np.testing.assert_array_equal(result.view(np.uint8), expected.view(np.uint8))


@shapes
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("starts", [(0, 0), (3, 1)], ids=["aligned", "misaligned"])
def test_a_shape_that_people_have_is_copied_within_a_device(device, shape, dtype, starts):
    check(shape, dtype, starts, device, device)


@shapes
@pytest.mark.parametrize("to_device", [True, False], ids=["to device", "from device"])
def test_a_shape_that_people_have_is_copied_over_the_link(device, shape, to_device):
    ends = (device, Device.CPU) if to_device else (Device.CPU, device)
    check(shape, as_dtype("float32"), (1, 0), *ends)
