"""The copies that `gpu.py` measures: shapes that people have, with a goal for each."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from accel.abc import Operand

__all__ = ["PROFILED", "SHAPES", "Shape", "operands"]

CONTIGUOUS, TILED, ODD = 0.9, 0.85, 0.6
"""Goals, as ratios to the driver's copy of as many bytes within the device."""


class Shape(NamedTuple):
    """A copy to a contiguous target.

    Attributes
    ----------
    dtype : str
        Type of the elements.
    extents : tuple of int
        Shape of the source in row-major order; extents of 0 are made as large as the memory allows.
    axes : tuple of int
        Order of the source's axes in the target.
    goal : float
        Goal as a ratio to the driver's copy.
    every : int
        Distance of two rows of the source, in rows.
    """

    dtype: str
    extents: tuple[int, ...]
    axes: tuple[int, ...]
    goal: float
    every: int = 1


SHAPES: Mapping[str, Shape] = {
    "contiguous": Shape("uint8", (0,), (0,), CONTIGUOUS),
    "every other 1024 bytes": Shape("float32", (0, 256), (0, 1), CONTIGUOUS, every=2),
    "every other 128 bytes": Shape("float32", (0, 32), (0, 1), CONTIGUOUS, every=2),
    "1 byte transposed": Shape("uint8", (0, 0), (1, 0), TILED),
    "2 bytes transposed": Shape("int16", (0, 0), (1, 0), TILED),
    "4 bytes transposed": Shape("float32", (0, 0), (1, 0), TILED),
    "8 bytes transposed": Shape("float64", (0, 0), (1, 0), TILED),
    "16 bytes transposed": Shape("complex128", (0, 0), (1, 0), TILED),
    "float32 (3, 2, 1, 0)": Shape("float32", (0, 0, 0, 0), (3, 2, 1, 0), TILED),
    "float32 (2, 3, 0, 1)": Shape("float32", (0, 0, 0, 0), (2, 3, 0, 1), TILED),
    "float32 (1, 0, 3, 2)": Shape("float32", (0, 0, 0, 0), (1, 0, 3, 2), TILED),
    "heads first": Shape("float16", (0, 2048, 16, 64), (0, 2, 1, 3), TILED),
    "heads first, transposed": Shape("float16", (0, 2048, 16, 64), (0, 2, 3, 1), TILED),
    "images to channels first": Shape("uint8", (0, 1080, 1920, 3), (0, 3, 1, 2), ODD),
    "channels first to images": Shape("uint8", (0, 3, 1080, 1920), (0, 2, 3, 1), ODD),
    "float32 images to channels first": Shape("float32", (0, 224, 224, 3), (0, 3, 1, 2), ODD),
    "float32 channels first to images": Shape("float32", (0, 3, 224, 224), (0, 2, 3, 1), ODD),
    "complex numbers to planes": Shape("float32", (0, 2), (1, 0), ODD),
    "planes to complex numbers": Shape("float32", (2, 0), (1, 0), ODD),
    "N x 3 transposed": Shape("float32", (0, 3), (1, 0), ODD),
    "3 x N transposed": Shape("float32", (3, 0), (1, 0), ODD),
    "N x 5 transposed": Shape("float32", (0, 5), (1, 0), ODD),
    "N x 8 transposed": Shape("float32", (0, 8), (1, 0), ODD),
    "N x 16 transposed": Shape("float32", (0, 16), (1, 0), ODD),
    "N x 31 transposed": Shape("float32", (0, 31), (1, 0), ODD),
    "31 x N transposed": Shape("float32", (31, 0), (1, 0), ODD),
    "batches of 12 x 20 transposed": Shape("float32", (0, 12, 20), (0, 2, 1), ODD),
    "rows of 12 bytes exchanged": Shape("uint8", (0, 4096, 12), (1, 0, 2), ODD),
    "4095 x 4097 transposed": Shape("float32", (0, 4095, 4097), (0, 2, 1), ODD),
}
PROFILED = (
    "every other 128 bytes",
    "1 byte transposed",
    "4 bytes transposed",
    "images to channels first",
    "N x 3 transposed",
    "rows of 12 bytes exchanged",
)
"""The copies whose kernels are profiled."""


def operands(shape: Shape, into: Operand, out_of: Operand) -> tuple[Operand, Operand]:
    """Return target and source of a copy in the memory of two operands."""
    dtype = np.dtype(shape.dtype)
    rows, *rest = _extents(shape.extents, out_of.span.nbytes // dtype.itemsize)
    extents = (max(rows // shape.every, 1), *rest)
    steps = _row_major(extents, dtype.itemsize)
    strides = (steps[0] * shape.every, *steps[1:])
    taken, result = (tuple(each[axis] for axis in shape.axes) for each in (extents, strides))
    return (
        into._replace(dtype=dtype, extents=taken, strides=_row_major(taken, dtype.itemsize)),
        out_of._replace(dtype=dtype, extents=taken, strides=result),
    )


def _extents(extents: tuple[int, ...], room: int) -> tuple[int, ...]:
    """Replace the zeros; where the room is small, halve the largest of the other extents."""
    while math.prod(filter(None, extents)) > room:
        largest = extents.index(max(extents))
        extents = (*extents[:largest], extents[largest] // 2, *extents[largest + 1 :])
    split = iter(_split(room // math.prod(filter(None, extents)), extents.count(0)))
    return tuple(extent or next(split) for extent in extents)


def _split(size: int, rank: int) -> tuple[int, ...]:
    """Split a size into ``rank`` extents: powers of two, as equal as possible, if there are several."""
    if rank < 2:
        return (size,)
    bits, more = divmod(size.bit_length() - 1, rank)
    return tuple(1 << bits + (axis < more) for axis in range(rank))


def _row_major(extents: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    return tuple(math.prod(extents[axis + 1 :]) * itemsize for axis in range(len(extents)))
