"""Between stores and arrays in chunks: nothing is computed or read before values are used."""

from importlib import import_module
from math import prod
from typing import Any
from uuid import uuid4

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.engines.chunked import execution
from accel.errors import StoreValueError
from accel.memory.any_storage import AnyStorage
from accel.store.boxes import Box
from accel.store.host_values import host_values
from accel.store.logical_store import LogicalStore
from accel.store.root import HOST, Root
from accel.store.scratch import elements_of
from accel.store.tiles import Tiled

__all__ = ["ChunkTiles", "dask_array_of", "store_of"]


class ChunkTiles:
    """The elements of a Dask array as the values of a store, computed when they are used; satisfies `Tiled`.

    Parameters
    ----------
    array : dask.array.Array
        The array.

    Attributes
    ----------
    nbytes : int
        0: nothing is in memory.
    tile_shape : tuple of int
        The shape of the largest chunk.
    """

    __slots__ = ("_array", "nbytes", "tile_shape")

    def __init__(self, array: Any) -> None:
        self._array = array
        self.nbytes: int = 0
        self.tile_shape: tuple[int, ...] = array.chunksize

    def read(self, box: Box) -> np.ndarray[Any, Any]:
        """Compute the elements of a box, on the current engine."""
        return np.asarray(execution.compute(self._array[tuple([slice(low, high) for low, high in box])])[0])

    def gather(self) -> AnyStorage:
        """Compute all elements, on the current engine, chunk by chunk into the memory of the store."""
        shape = self._array.shape
        storage = elements_of(HOST, prod(shape), as_dtype(self._array.dtype))
        try:
            execution.store([self._array], [np.asarray(storage).reshape(shape)], lock=False)
        except BaseException:
            storage.release()
            raise
        return storage


class StoreReader:
    """A store as Dask reads arrays: any index gives an array of NumPy.

    Parameters
    ----------
    store : LogicalStore
        The store.
    """

    __slots__ = ("_store", "_token", "dtype", "ndim", "shape")

    def __init__(self, store: LogicalStore) -> None:
        self._store = store
        self._token = uuid4().hex  # the values change: no two readers give the same array
        self.shape: tuple[int, ...] = store.shape
        self.ndim: int = store.ndim
        self.dtype: DType = store.dtype

    def __getitem__(self, key: Any) -> np.ndarray[Any, Any]:
        parts = key if isinstance(key, tuple) else (key,)
        parts = (*parts, *[slice(None)] * (self.ndim - len(parts)))
        narrowed = [_narrowed(part, extent) for part, extent in zip(parts, self.shape, strict=True)]
        box, inside = zip(*narrowed, strict=True) if narrowed else ((), ())
        return host_values(self._store[tuple(box)])[tuple(inside)]  # type: ignore[no-any-return]

    def __dask_tokenize__(self) -> str:
        return self._token


def dask_array_of(x: Any, chunks: Any, **options: Any) -> Any:
    """Return a Dask array of an array-like; a store is read when chunks are computed, after the tasks that write it."""
    dask_array = import_module("dask.array")
    if isinstance(x, dask_array.Array):
        return x if chunks is None else x.rechunk(chunks)
    if isinstance(x, LogicalStore):
        contents = x.root.contents
        if chunks is None and isinstance(contents, Tiled) and x.ndim == len(contents.tile_shape):
            chunks = contents.tile_shape
        x, options = StoreReader(x), {"meta": np.ndarray, **options}
    return dask_array.from_array(x, "auto" if chunks is None else chunks, **options)


def store_of(array: Any) -> LogicalStore:
    """Return a read-only store of a Dask array."""
    if any(np.isnan(extent) for extent in array.shape):
        raise StoreValueError("sizes of chunks are not known; write x.compute_chunk_sizes().to_store()")
    root = Root(as_dtype(array.dtype), array.shape)
    root.contents = ChunkTiles(array)
    root.readonly = True
    return LogicalStore.on(root)


def _narrowed(part: Any, extent: int) -> tuple[slice, Any]:
    """Return the range that an index of one dimension lies in, and the index counted from the start of that range."""
    if isinstance(part, slice):
        chosen = range(extent)[part]
        if not chosen:
            return slice(0, 0), slice(None)
        return slice(min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1]) + 1), slice(None, None, chosen.step)
    indices = np.asarray(part)
    indices = np.where(indices < 0, indices + extent, indices)
    if not indices.size:
        return slice(0, 0), indices.astype(np.intp)
    low = int(indices.min())
    return slice(low, int(indices.max()) + 1), indices - low
