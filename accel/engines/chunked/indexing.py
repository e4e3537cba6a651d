"""Indexing of Dask's arrays with several index arrays at once, as NumPy does it."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

__all__ = ["select"]

_Indices: TypeAlias = "np.ndarray[Any, np.dtype[np.intp]]"


def select(array: Any, key: Any) -> Any:
    """Return ``array[key]`` of a Dask array, with NumPy's result for any number of index arrays.

    `dask.array` takes one, of one dimension and without integers beside it. Several that vary along different axes, as
    `numpy.ix_` makes them, are applied one after the other; other combinations select points.

    Raises
    ------
    IndexError
        If an index is out of range, or new axes are mixed with several index arrays.
    """
    parts = key if isinstance(key, tuple) else (key,)
    arrays = [np.asarray(part) for part in parts if _is_array(part)]
    numbers = any(isinstance(part, int | np.integer) and not isinstance(part, bool) for part in parts)
    masks = any(part.dtype == np.bool_ and part.ndim > 1 for part in arrays)
    if masks or not arrays or (len(arrays) == 1 and arrays[0].ndim == 1 and not numbers):
        return array[key]
    parts = _complete(parts, array.ndim)
    sliced = [at for at, part in enumerate(parts) if isinstance(part, slice)]
    array = array[tuple(part if isinstance(part, slice) else slice(None) for part in parts)]
    indices = {at: _in_range(part, array.shape[at]) for at, part in enumerate(parts) if at not in sliced}
    ndim = max(part.ndim for part in indices.values())
    points = _mesh(array, indices, ndim) if _is_mesh(indices, ndim) else _points(array, indices)
    return _placed(points, ndim, list(indices), sliced)


def _is_array(part: Any) -> bool:
    return isinstance(part, list) or (isinstance(part, np.ndarray) and part.ndim > 0)


def _complete(parts: Sequence[Any], ndim: int) -> tuple[Any, ...]:
    """Return one part for each dimension."""
    if any(part is None for part in parts):
        raise IndexError("new axes and several index arrays are mixed; index twice: x[arrays][..., None]")
    at = next((at for at, part in enumerate(parts) if part is Ellipsis), len(parts))
    before, after = tuple(parts[:at]), tuple(parts[at + 1 :])
    return before + (slice(None),) * (ndim - len(before) - len(after)) + after


def _in_range(part: Any, extent: int) -> _Indices:
    """Return indices from 0 on, for indices that may count from the end."""
    indices = np.asarray(part)
    if indices.dtype == np.bool_:
        (indices,) = indices.nonzero()
    if indices.size and not (-extent <= indices.min() and indices.max() < extent):
        raise IndexError(f"indices must be in [{-extent}, {extent}), and are from {indices.min()} to {indices.max()}")
    return np.where(indices < 0, indices + extent, indices).astype(np.intp)


def _axis(indices: _Indices, ndim: int) -> list[int]:
    """Return the axes of the result along which indices vary."""
    return [ndim - indices.ndim + axis for axis, extent in enumerate(indices.shape) if extent != 1]


def _is_mesh(indices: dict[int, _Indices], ndim: int) -> bool:
    axes = [_axis(each, ndim) for each in indices.values()]
    varying = [axis for each in axes for axis in each]
    return all(len(each) <= 1 for each in axes) and len(set(varying)) == len(varying)


def _mesh(array: Any, indices: dict[int, _Indices], ndim: int) -> Any:
    """Index one dimension after the other; return the axes of the mesh, then the dimensions that are kept."""
    order: dict[int, int] = {}
    for at, each in indices.items():
        axes = _axis(each, ndim)
        array = array[(slice(None),) * at + (each.ravel(),)]
        order.update(dict.fromkeys(axes, at))
    sliced = [at for at in range(array.ndim) if at not in indices]
    constant = [at for at in indices if at not in order.values()]
    array = array.transpose([*constant, *(order[axis] for axis in sorted(order)), *sliced])[(0,) * len(constant)]
    return array[tuple(slice(None) if axis in order else None for axis in range(ndim))]


def _points(array: Any, indices: dict[int, _Indices]) -> Any:
    """Select points; return their axes first, then the dimensions that are kept."""
    parts = dict(zip(indices, np.broadcast_arrays(*indices.values()), strict=True))
    # With an empty chunk, as slices leave them, the graph of `vindex` lacks tasks.
    array = array.rechunk(tuple(tuple(extent for extent in axis if extent) or (0,) for axis in array.chunks))
    return array.vindex[tuple(parts.get(at, slice(None)) for at in range(array.ndim))]


def _placed(points: Any, ndim: int, indexed: list[int], sliced: list[int]) -> Any:
    """Move the axes of the indices, which are first, to where NumPy has them."""
    if indexed != list(range(indexed[0], indexed[-1] + 1)):
        return points
    first = sum(at < indexed[0] for at in sliced)
    axes = range(points.ndim)
    return points.transpose([*axes[ndim : ndim + first], *axes[:ndim], *axes[ndim + first :]])
