"""Reductions of large arrays on the host, in parts that several threads take.

Parts along an axis that is kept have the bits of NumPy's results. Where all axes are reduced, the results of the parts
are reduced in pairs, and sums in a wider type. So the error of a sum has a bound as small as NumPy's. Its bits depend
on the shape alone: one thread, too, computes in these parts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from accel.xp import parts
from accel.xp.array_library import ArrayLibrary
from accel.xp.host_reductions import UFUNCS

__all__ = ["reduced"]

_WIDER: dict[Any, Any] = {
    np.float32: np.float64,
    np.float64: np.longdouble,
    np.complex64: np.complex128,
    np.complex128: np.clongdouble,
}


def reduced(name: str, library: ArrayLibrary, array: Any, axis: Any, keepdims: bool = False, dtype: Any = None) -> Any:
    """Return the result of the method of an array of NumPy; None if one thread should compute it.

    Parameters
    ----------
    name : str
        The method: ``sum``, ``mean``, ``prod``, ``max``, ``min``, ``any`` or ``all``.
    library : ArrayLibrary
        The library of the host.
    array : ndarray
        The elements.
    axis, keepdims, dtype
        As of the method.
    """
    if type(array) is not np.ndarray or array.nbytes < parts.SHARED or library.share is None or dtype is not None:
        return None
    if array.dtype.kind not in "biufc" or array.dtype.itemsize == 2 or type(keepdims) is not bool:
        return None  # sums of float16 are rounded once, not for each part
    if axis is None:
        if name == "prod" and array.dtype.kind in "fc":
            return None  # the product of a part may overflow where that of all elements does not
        return _of_all(name, library, array, keepdims)
    axes = axis if type(axis) is tuple else (axis,)
    if all(type(each) is int and -array.ndim <= each < array.ndim for each in axes):
        reduced_axes = {each % array.ndim for each in axes}
        if len(reduced_axes) == len(axes):
            return _along(name, library, array, reduced_axes, keepdims)
    return None  # an error


def _along(name: str, library: ArrayLibrary, array: Any, axes: set[int], keepdims: bool) -> Any:
    """Reduce some axes, in parts along another one."""
    shape, most = array.shape, parts.wanted(array.nbytes)
    # NumPy adds the elements of a part of one element in another order, if they are those of several axes.
    least = 2 if len(axes) > 1 else 1
    steps = {kept: max(parts.step_along(shape, kept, most), least) for kept in range(array.ndim) if kept not in axes}
    counts = {kept: shape[kept] // step for kept, step in steps.items()}
    kept = max(counts, key=counts.__getitem__, default=0)
    count = counts.get(kept, 0)
    if count < 2 or not array.flags.c_contiguous:  # else NumPy chooses the order of the result in memory
        return None
    step = steps[kept]
    function = getattr(np.ndarray, name)
    dtype = function(np.ones_like(array, shape=1)).dtype
    along = tuple(sorted(axes))
    extents = tuple(1 if axis in axes else extent for axis, extent in enumerate(shape))
    result = library.empty_array(extents, dtype, "C")
    out = np.empty(extents, dtype) if result is None else result

    def reduce_part(number: int) -> None:
        # The last part has what remains: one of a single element would be summed in another order.
        end = None if number == count - 1 else (number + 1) * step
        places = (*[slice(None)] * kept, slice(number * step, end))
        function(array[places], along, keepdims=True, out=out[places])

    if not parts.run(reduce_part, "reduce", library.share, count):
        return None
    return out if keepdims else out.reshape([extent for axis, extent in enumerate(shape) if axis not in axes])


def _of_all(name: str, library: ArrayLibrary, array: Any, keepdims: bool) -> Any:
    """Reduce all axes: each part, and then the results of the parts in pairs."""
    cut = parts.cut((array,), parts.wanted(array.nbytes))
    if cut is None:
        return None
    count, part = cut
    function = UFUNCS[name]
    dtype: Any = np.float64 if name == "mean" and array.dtype.kind in "biu" else None
    results: list[Any] = [None] * count
    total: list[Any] = []

    def reduce_part(number: int) -> None:
        if total:  # `any` and `all` are known
            return
        (elements,) = part(number)
        results[number] = result = function.reduce(elements, axis=None, dtype=dtype)
        if (name == "any" and result) or (name == "all" and not result):
            total.append(result)

    def finish() -> None:
        if not total:
            total.append(_in_pairs(function, results))

    depends_on_parts = function is np.add and array.dtype.kind in "fc"
    if not parts.run(reduce_part, "reduce", library.share, count, finish):
        if not depends_on_parts:
            return None
        _compute_alone(reduce_part, count, finish)
    result = total[0]
    if name == "mean":
        result = result.dtype.type(result / array.size)
    return np.asarray(result).reshape((1,) * array.ndim) if keepdims else result


def _compute_alone(task: Callable[[int], object], count: int, finish: Callable[[], object]) -> None:
    if not parts.run(task, "reduce", _alone, count, finish):  # the caller handles floating-point errors itself
        _alone(task, count)
        finish()


def _alone(task: Callable[[int], object], count: int) -> bool:
    for number in range(count):
        task(number)
    return True


def _in_pairs(function: Any, results: list[Any]) -> Any:
    values = np.asarray(results)
    dtype = values.dtype
    if function is np.add:  # the largest sums have the largest errors
        values = values.astype(_WIDER.get(dtype.type, dtype))
    while len(values) > 1:
        odd = values[len(values) & ~1 :]
        values = np.concatenate([function.reduce(values[: len(values) & ~1].reshape(-1, 2), axis=1), odd])
    return values.astype(dtype)[0]
