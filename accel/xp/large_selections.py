"""Elements of large arrays at many indices, on the host: threads share them.

NumPy checks the indices one by one, and for that copies the memory of a result that it is given. Here the indices of
each part are checked before the part is selected.
"""

from math import prod
from typing import Any

import numpy as np

from accel.dtypes import KNOWN
from accel.xp import parts
from accel.xp.array_library import ArrayLibrary

__all__ = ["taken"]

_COST = 2
"""An element at any place takes as long as two elements, or several, of an addition."""


def taken(library: ArrayLibrary, array: Any, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of an array of NumPy at indices along an axis; None if NumPy should select them.

    It should also if an index is out of bounds, which NumPy refuses in its own words.
    """
    if type(indices) is not np.ndarray or type(array) is not np.ndarray or not array.flags.c_contiguous:
        return None
    if axis is None:
        array, axis = array.reshape(-1), 0
    shape = array.shape
    if type(axis) is not int or not -len(shape) <= axis < len(shape) or not array.size:
        return None
    work = _COST * indices.size * (array.nbytes // shape[axis] + indices.itemsize)
    if work < parts.SHARED or library.share is None or array.dtype not in KNOWN:
        return None
    if indices.dtype.kind != "i" or not indices.ndim or not indices.flags.c_contiguous:
        return None
    axis %= len(shape)
    before, extent, after = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    out = library.empty_array((*shape[:axis], *indices.shape, *shape[axis + 1 :]), array.dtype, "C")
    if out is not None:
        operands = array.reshape(before, extent, after), indices.reshape(-1), out.reshape(before, indices.size, after)
        if _select(library, *operands, parts.wanted(work)):
            return out
    return None


def _select(library: ArrayLibrary, array: Any, indices: Any, out: Any, most: int) -> bool:
    """Select along the second of three axes, in parts of the first if it is long, else of the indices."""
    before, count, after = out.shape
    of_rows = before > 1
    extents = (before, count * after) if of_rows else (count, after) if after > 1 else (count,)
    step = parts.step_along(extents, 0, most)
    failed: list[int] = []

    def select(number: int) -> None:
        places = slice(number * step, (number + 1) * step)
        wanted = indices if of_rows else indices[places]
        if not _are_inside(wanted, array.shape[1]):
            failed.append(number)
        elif of_rows:
            array[places].take(wanted, 1, out[places], "wrap")
        else:
            array[0].take(wanted, 0, out[0, places], "wrap")

    shared = parts.run(select, "take", library.share, -(-extents[0] // step))
    return shared and not failed


def _are_inside(indices: Any, extent: int) -> bool:
    if not indices.size:
        return True
    if indices.dtype == np.int64 and int(indices.view(np.uint64).max()) < extent:  # negative ones would be the largest
        return True
    return bool(-extent <= indices.min() and indices.max() < extent)
