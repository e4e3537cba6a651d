"""Ufuncs that write to large arrays of the caller on the host: operators in place, and ``out=``; threads share them.

They do so only where the result does not depend on the order of the elements. An array is never changed in part: the
work is done as a whole, also after an interrupt.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from accel.xp import large_results, parts
from accel.xp.array_base import ArrayBase, live
from accel.xp.array_library import ArrayLibrary
from accel.xp.calls import simple_values
from accel.xp.refusals import failure, refuse_read_only, repeats

__all__ = ["into", "written"]


def into(function: np.ufunc, operands: Sequence[Any], out: Any) -> Any:
    """Call a ufunc of NumPy with no keyword but ``out=``; NotImplemented if not all are on the host, and simple."""
    if not isinstance(out, ArrayBase) or function.nout != 1:
        return NotImplemented
    library = out._library
    target = live(out, writing=True) if library.of_numpy is not None else None
    natives = simple_values(library, operands, []) if type(target) is np.ndarray else None
    if natives is None:
        return NotImplemented
    refuse_read_only(library, target)
    try:
        if out.nbytes < library.large or not written(function, library, natives, target):
            function(*natives, out=target)
    except MemoryError as error:
        raise failure(error) from None
    return out


def written(function: Any, library: ArrayLibrary, operands: Sequence[Any], out: Any) -> bool:
    """Compute a ufunc of NumPy with ``out=``; returns False, with nothing written, if one thread should do it."""
    if library.share is None or not parts.are_shared(parts.cost(function.__name__), (out, *operands)):
        return False
    if not _is_simple(function, operands, out):
        return False
    return parts.compute(function, library, operands, out, share=partial(library.share, whole=True))


def _is_simple(function: Any, operands: Sequence[Any], out: Any) -> bool:
    """Tell whether each element is written once, without a cast, and read before only by the part that writes it."""
    if type(out) is not np.ndarray or not out.flags.writeable or repeats(out.shape, out.strides):
        return False
    dtype = large_results.dtype_of(function, operands)
    if dtype is None or dtype != out.dtype:  # a dtype of float64 equals None
        return False
    arrays = [each for each in operands if type(each) is np.ndarray and each is not out]
    if any(np.may_share_memory(each, out) for each in arrays):
        return False
    try:
        return bool(np.broadcast_shapes(out.shape, *(each.shape for each in arrays)) == out.shape)
    except ValueError:  # the function refuses them in its own words
        return False
