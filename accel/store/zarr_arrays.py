"""Arrays of zarr: the root that reads one, and the values of a store written as one."""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, SupportsIndex
from uuid import uuid4

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.errors import DTypeError, FormatError, StoreSizeError, StoreValueError
from accel.memory.any_storage import AnyStorage
from accel.memory.sizes import as_size, in_words
from accel.store.boxes import Box
from accel.store.folder_replacement import put_in_place
from accel.store.host_values import host_values
from accel.store.index_maps import sizes_of
from accel.store.root import HOST, Root
from accel.store.scratch import elements_of
from accel.store.store_view import StoreView
from accel.store.tiles import Tiled
from accel.support.system import physical_memory

__all__ = ["ZarrTiles", "write_zarr", "zarr_root"]

_CHUNK_BYTES = 4 << 20
_GROUP_BYTES = 64 << 20


class ZarrTiles:
    """The values of an array of zarr, read when they are used; satisfies `Tiled`.

    Parameters
    ----------
    array : zarr.Array
        The array.
    dtype : numpy.dtype
        Type of the elements in memory.

    Attributes
    ----------
    nbytes : int
        0: nothing is in memory.
    tile_shape : tuple of int
        The shape of a chunk.
    """

    __slots__ = ("_array", "_dtype", "nbytes", "tile_shape")

    def __init__(self, array: Any, dtype: DType) -> None:
        self._array = array
        self._dtype = dtype
        self.nbytes: int = 0
        self.tile_shape: tuple[int, ...] = tuple(array.chunks)

    def read(self, box: Box) -> np.ndarray[Any, Any]:
        """Return the values of a box.

        Raises
        ------
        FormatError
            If a chunk is damaged.
        """
        with _reading(self._array):
            return np.asarray(self._array[tuple([slice(low, high) for low, high in box])], self._dtype)

    def gather(self) -> AnyStorage:
        """Return all values.

        Raises
        ------
        FormatError
            If a chunk is damaged.
        OutOfMemoryError
            If there is not enough memory.
        """
        array = self._array
        storage = elements_of(HOST, prod(array.shape), self._dtype)
        values = np.asarray(storage).reshape(array.shape)
        try:
            with _reading(array):
                array.get_basic_selection(out=_buffers().from_numpy_array(values))
        except BaseException:
            storage.release()
            raise
        return storage


def zarr_root(path_or_array: Any) -> Root:
    """Return a root of an array in a file of zarr; see `accel.store.from_zarr`."""
    array = _opened(path_or_array)
    _refuse_pickles(array)
    dtype = _dtype_of(array)
    _check_sizes(array, dtype)
    root = Root(dtype, tuple(array.shape))
    root.contents = ZarrTiles(array, dtype)
    root.readonly = True
    return root


def write_zarr(store: StoreView, path: str | os.PathLike[str], chunks: Iterable[SupportsIndex] | None = None) -> None:
    """Write a store as an array of zarr (format 3), chunk by chunk; see `LogicalStore.to_zarr`."""
    folder = Path(path).resolve()  # of a link, what it leads to is replaced
    shape, dtype = store.shape, _writable_dtype(store.dtype)
    chunk = _chunk_shape(store) if chunks is None else _checked_chunks(chunks, shape)
    _refuse_other_files(folder)
    unfinished = folder.with_name(f"{folder.name}.{uuid4().hex}.unfinished")
    try:
        array = import_module("zarr").create_array(unfinished, shape=shape, chunks=chunk, dtype=dtype)
        for box in tiles_of(shape, _group_shape(shape, chunk, dtype.itemsize)):
            part = tuple([slice(low, high) for low, high in box])
            array[part] = host_values(store[part])
        put_in_place(unfinished, folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def tiles_of(shape: Sequence[int], tile: Sequence[int]) -> Iterator[Box]:
    """Return the boxes of all tiles, in C order; those at the end may be smaller."""
    starts = [range(0, extent, size) for extent, size in zip(shape, tile, strict=True)]
    for origin in product(*starts):
        yield tuple([(low, min(low + size, end)) for low, size, end in zip(origin, tile, shape, strict=True)])


def _opened(path_or_array: Any) -> Any:
    zarr = import_module("zarr")
    if isinstance(path_or_array, zarr.Array):
        return path_or_array
    path = os.fspath(path_or_array)
    if not Path(path).exists():
        raise FileNotFoundError(f"there is no array of zarr at {path!r}; look at the path")
    try:
        opened = zarr.open(path, mode="r")
    except Exception as error:
        raise FormatError(f"{path!r} has no array that zarr can read: {_text(error)}; write it again") from error
    if not isinstance(opened, zarr.Array):
        names = ", ".join(sorted(opened.array_keys())[:9])
        raise FormatError(f"{path!r} is a group of zarr; give the path of one array in it: {names}")
    return opened


def _refuse_pickles(array: Any) -> None:
    """Refuse codecs that unpickle: a file could make them run any code."""
    codecs = str(array.metadata.to_dict())
    if "pickle" in codecs or array.dtype.hasobject:
        raise FormatError(
            f"the array {array.name!r} has Python objects, which only unpickling could read; save numbers"
        )


def _dtype_of(array: Any) -> DType:
    try:
        return as_dtype(array.dtype.newbyteorder("="))
    except TypeError as error:
        raise DTypeError(
            f"the array of zarr has elements of type {array.dtype}, and a store has none; convert it to numbers"
        ) from error


def _check_sizes(array: Any, dtype: DType) -> None:
    """Refuse arrays and chunks that no memory of this machine could hold, before any is read."""
    available = physical_memory()
    try:
        as_size(prod(array.shape), dtype.itemsize)
    except ValueError as error:
        raise FormatError(f"the array of zarr has the shape {array.shape}: {error}") from None
    for chunk in (array.chunks, array.shards or ()):
        if 0 in chunk:
            raise FormatError(f"the array of zarr has chunks of shape {chunk}, without elements; write it again")
        nbytes = prod(chunk) * dtype.itemsize
        if nbytes > available > 0:
            raise FormatError(
                f"a chunk of the array of zarr has the shape {chunk}, {in_words(nbytes)}; this machine has "
                f"{in_words(available)}: write it in smaller chunks"
            )


def _writable_dtype(dtype: DType) -> DType:
    if dtype.kind not in "biufc" or dtype.isbuiltin != 1:
        raise DTypeError(
            f"zarr has no elements of type {dtype.name}; write store.reinterpret_as('uint{8 * dtype.itemsize}')"
        )
    return dtype


def _chunk_shape(store: StoreView) -> tuple[int, ...]:
    """Return the tiles that the values are read by, or whole rows of a few MiB."""
    contents = store.root.contents
    if isinstance(contents, Tiled) and not store.transformed:
        return tuple([max(1, min(size, extent)) for size, extent in zip(contents.tile_shape, store.shape, strict=True)])
    budget, chunk = max(1, _CHUNK_BYTES // store.dtype.itemsize), []
    for extent in reversed(store.shape):
        chunk.append(max(1, min(extent, budget)))
        budget = max(1, budget // chunk[-1])
    return tuple(reversed(chunk))


def _group_shape(shape: Sequence[int], chunk: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the shape of the chunks that zarr compresses together, on several threads."""
    budget, group = max(1, _GROUP_BYTES // (prod(chunk) * itemsize)), []
    for extent, size in zip(reversed(shape), reversed(chunk), strict=True):
        count = min(budget, max(1, -(-extent // size)))
        budget //= count
        group.append(count * size)
    return tuple(reversed(group))


def _checked_chunks(chunks: Iterable[SupportsIndex], shape: tuple[int, ...]) -> tuple[int, ...]:
    sizes = sizes_of(chunks)
    if len(sizes) != len(shape):
        raise StoreValueError(f"chunks needs {len(shape)} sizes, one for each dimension, and has {len(sizes)}: {sizes}")
    if any(size < 0 for size in sizes):
        raise StoreSizeError(f"a chunk has a positive size along each dimension; found {sizes}")
    if 0 in sizes:
        raise StoreValueError(f"a chunk has a positive size along each dimension; found {sizes}")
    return sizes


def _refuse_other_files(folder: Path) -> None:
    """Refuse to replace anything but an array of zarr."""
    if os.path.lexists(folder) and not _is_array(folder):
        raise FileExistsError(f"{str(folder)!r} exists and is no array of zarr; remove it, or write to another path")


def _is_array(folder: Path) -> bool:
    """Say whether a folder describes itself as an array, damaged or not; groups have such a file too."""
    try:
        return json.loads((folder / "zarr.json").read_text("utf-8")).get("node_type") == "array"  # type: ignore[no-any-return]
    except (OSError, ValueError, AttributeError):
        return (folder / ".zarray").exists()


@contextmanager
def _reading(array: Any) -> Iterator[None]:
    """Raise `FormatError` in place of the errors of zarr and its codecs on damaged chunks."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise FormatError(
            f"a chunk of {array.store_path} cannot be read: {_text(error)}; write the array again"
        ) from error


def _buffers() -> Any:
    return import_module("zarr.buffer.cpu").NDBuffer


def _text(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
