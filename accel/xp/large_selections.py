"""Elements of large arrays at many indices, on the host: memory is that of earlier arrays, and threads share the work.

NumPy checks the indices one by one, and for that copies the memory of a result that it is given. Here the indices of
each part are checked before the part is selected.
"""

from math import prod
from typing import Any

import numpy as np

from accel.dtypes import KNOWN
from accel.xp import large_masks, parts
from accel.xp.array_library import ArrayLibrary

__all__ = ["selected", "taken"]

_COST = 2
"""An element at any place takes as long as two elements, or several, of an addition."""

_FEW = 2
"""How many times as large as others results with memory of earlier arrays are: to check indices takes time too."""

_ROWS = 1024
"""Rows of which parts are worth while, if the elements of each row are selected."""


def selected(library: ArrayLibrary, array: Any, key: Any) -> Any:
    """Return the elements of an array of NumPy at an index of arrays and slices; None if NumPy should select them."""
    if type(key) is tuple:
        place = _place(key, array.ndim)
        if place is None:
            return None
        axis, key = place
        if axis:
            return _taken_behind(library, array, key, axis)
    elif type(key) is not np.ndarray:
        return None
    if key.dtype != bool:
        return taken(library, array, key, 0)
    if key.ndim == 1 < array.ndim and key.size == array.shape[0] and array.flags.c_contiguous:
        return taken(library, array, key.nonzero()[0], 0)
    return large_masks.masked(library, array, key)


def _place(key: tuple[Any, ...], ndim: int) -> tuple[int, Any] | None:
    """Return the axis and the indices of an index whose other parts select all; None for other ones."""
    found, after_ellipsis = None, False
    for number, part in enumerate(key):
        if type(part) is np.ndarray and found is None:
            found = (number + ndim - len(key) if after_ellipsis else number), part
        elif part is ... and not after_ellipsis:
            after_ellipsis = True
        elif type(part) is not slice or not part.start is part.stop is part.step is None:
            return None
    return found if len(key) - after_ellipsis <= ndim else None


def taken(library: ArrayLibrary, array: Any, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of an array of NumPy at indices along an axis; None if NumPy should select them.

    It should also if an index is out of bounds, which NumPy refuses in its own words.
    """
    if not _are_simple(array, indices):
        return None
    if axis is None:
        array, axis = array.reshape(-1), 0
    shape = array.shape
    if type(axis) is not int or not -len(shape) <= axis < len(shape) or not array.size:
        return None
    axis %= len(shape)
    before, extent, after = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    out = None
    if indices.size * (array.nbytes // extent) >= _FEW * library.large:
        out = library.empty_array((*shape[:axis], *indices.shape, *shape[axis + 1 :]), array.dtype, "C")
    if out is None:
        return array.take(indices, axis)  # for rows in a fraction of the time of an index
    work = _COST * indices.size * (array.nbytes // extent + indices.itemsize)
    operands = array.reshape(before, extent, after), indices.reshape(-1), out.reshape(before, indices.size, after)
    return out if _select(library, *operands, work) else None


def _are_simple(array: Any, indices: Any) -> bool:
    if type(indices) is not np.ndarray or type(array) is not np.ndarray:
        return False
    if not array.flags.c_contiguous or not indices.flags.c_contiguous:
        return False
    return array.dtype in KNOWN and indices.dtype.kind == "i" and indices.ndim > 0


def _select(library: ArrayLibrary, array: Any, indices: Any, out: Any, work: int) -> bool:
    """Select along the second of three axes, in parts of the first if it is long, else of the indices."""
    before, count, after = out.shape
    of_rows = before > 1
    extents = (before, count * after) if of_rows else (count, after) if after > 1 else (count,)
    step = parts.step_along(extents, 0, parts.wanted(work))
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

    parts.run_all(select, "take", library, work, -(-extents[0] // step))
    return not failed


def _are_inside(indices: Any, extent: int) -> bool:
    if not indices.size:
        return True
    if indices.dtype == np.int64 and int(indices.view(np.uint64).max()) < extent:  # negative ones would be the largest
        return True
    return bool(-extent <= indices.min() and indices.max() < extent)


def _taken_behind(library: ArrayLibrary, array: Any, indices: Any, axis: int) -> Any:
    """Return the elements at indices along another axis than the first, in NumPy's order in memory: indices first."""
    shape = array.shape
    rows, extent, columns = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    work = 2 * indices.size * rows * columns * array.itemsize
    if work < parts.SHARED or rows < _ROWS or not _are_simple(array, indices):
        return None
    memory = library.empty_array((*indices.shape, *shape[:axis], *shape[axis + 1 :]), array.dtype, "C")
    if memory is None:
        return None
    source, places, out = array.reshape(rows, extent, columns), indices.reshape(-1), memory.reshape(-1, rows, columns)
    step = -(-rows // parts.wanted(work))

    def select(number: int) -> None:
        part = slice(number * step, (number + 1) * step)
        out[:, part] = source[part, places].swapaxes(0, 1)

    try:
        parts.run_all(select, "take", library, work, -(-rows // step))
    except IndexError:  # NumPy refuses it in its own words
        return None
    return np.moveaxis(memory, range(indices.ndim), range(axis, axis + indices.ndim))
