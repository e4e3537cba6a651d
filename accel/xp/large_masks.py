"""Elements of large arrays where a mask is true, on the host.

NumPy copies each run of true elements, and the processor mispredicts where it ends. The indices of the true elements
are found without branches. So where runs are short, elements are selected by indices, in a fraction of the time.
"""

from itertools import accumulate
from typing import Any

import numpy as np

from accel.dtypes import KNOWN
from accel.xp import parts
from accel.xp.array_library import ArrayLibrary

__all__ = ["assigned_at", "has_short_runs", "is_large", "masked"]

_COST = 16
"""An element of a mask takes as long as an addition that moves so many bytes."""

_FEW = 4
"""From this part of the bytes of large arrays on, a mask is large."""

_SHORT = 10
"""Elements of a mask for each run of true ones, below which runs are short: at random an eighth to seven are true."""

_SAMPLE = 1024
"""Neighbours in a mask that are looked at, to estimate the number of runs."""

_MOST = 1 << 24
"""Elements of the largest mask for which all indices are in memory at once."""


def masked(library: ArrayLibrary, array: Any, mask: Any) -> Any:
    """Return the elements of an array of NumPy where a mask is true; None if NumPy should select them."""
    if array.dtype not in KNOWN or not _is_worth_while(library, array, mask):
        return None
    array, mask = array.reshape(-1), mask.reshape(-1)
    work = _COST * mask.size
    step = parts.step_along(mask.shape, 0, parts.wanted(work))
    places = [slice(start, start + step) for start in range(0, mask.size, step)]
    ends = [*accumulate([int(np.count_nonzero(mask[each])) for each in places], initial=0)]
    out = library.empty_array((ends[-1],), array.dtype, "C")
    if out is None:
        out = np.empty(ends[-1], array.dtype)

    def select(number: int) -> None:
        part, (indices,) = array[places[number]], mask[places[number]].nonzero()
        part.take(indices, 0, out[ends[number] : ends[number + 1]], "wrap")  # to check indices takes a copy

    parts.run_all(select, "take", library, work, len(places))
    return out


def assigned_at(library: ArrayLibrary, array: Any, mask: Any, values: Any) -> tuple[Any, Any]:
    """Return the array and the index with which NumPy should assign values where a mask is true."""
    if mask.size <= _MOST and _is_worth_while(library, array, mask):
        (indices,) = mask.reshape(-1).nonzero()
        if not isinstance(values, np.ndarray) or values.shape in ((), indices.shape):
            return array.reshape(-1), indices
    return array, mask


def _is_worth_while(library: ArrayLibrary, array: Any, mask: Any) -> bool:
    if not is_large(library, mask) or array.shape != mask.shape:
        return False
    return bool(array.flags.c_contiguous and mask.flags.c_contiguous) and has_short_runs(mask)


def is_large(library: ArrayLibrary, mask: Any) -> bool:
    """Tell whether a mask has so many elements that it takes little time to look at some of them."""
    return bool(_FEW * mask.nbytes >= library.large)


def has_short_runs(mask: Any) -> bool:
    """Tell whether a mask is contiguous and has short runs of true elements, at places that are evenly spread."""
    if not mask.flags.forc:
        return False
    flat, step = mask.ravel("K"), mask.size // _SAMPLE | 1  # odd, as rows often have an even number of elements
    starts = flat[1::step] > flat[:-1:step]
    return _SHORT * int(np.count_nonzero(starts)) > int(starts.size)
