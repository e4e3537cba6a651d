"""`create_store`, `from_array` and `from_zarr`: new stores, stores over memory of the user, and of files."""

from collections.abc import Iterable
from operator import index
from typing import Any, NoReturn, SupportsIndex

from accel.copies.injectivity import names_twice
from accel.device import Device
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import StoreSizeError, StoreValueError
from accel.memory.sizes import MOST_BYTES
from accel.store.external import ExternalAllocation
from accel.store.index_maps import sizes_of
from accel.store.logical_store import LogicalStore
from accel.store.root import Root
from accel.store.store_targets import Place, StoreTarget
from accel.store.zarr_arrays import zarr_root
from accel.views.sources import Source, source_of

__all__ = ["create_store", "from_array", "from_zarr"]


def create_store(
    dtype: DTypeLike,
    shape: Iterable[SupportsIndex] | None = None,
    ndim: int = 1,
    scalar: bool = False,
    allocation: ExternalAllocation | None = None,
) -> LogicalStore:
    """Make a store (Legate's ``Runtime.create_store``). Memory is allocated at its first use.

    Parameters
    ----------
    dtype : dtype_like
        Type of the elements.
    shape : sequence of int, optional
        Number of elements along each dimension. Without it the store is unbound: the first task that writes it
        chooses the shape.
    ndim : int
        Number of dimensions of an unbound store.
    scalar : bool
        Make a scalar store: one element, kept with the task.
    allocation : ExternalAllocation, optional
        Memory of the user to attach, in C order.

    Returns
    -------
    LogicalStore
        The store.

    Raises
    ------
    StoreValueError
        If a size or ``ndim`` is negative, the elements take more bytes than any memory has, a scalar store has not one
        element, or the allocation is too small.

    Examples
    --------
    >>> from accel.store import create_store
    >>> create_store("float32", (2, 3))
    <LogicalStore of float32, shape (2, 3)>
    """
    element_type = as_dtype(dtype)
    if shape is None:
        if allocation is not None:
            raise StoreValueError("a store on an allocation needs a shape; write create_store(dtype, shape, ...)")
        rank = index(ndim)
        if rank < 0:
            raise StoreSizeError(f"a number of dimensions is not negative; found ndim={rank}")
        return LogicalStore.on(Root(element_type, (1,) if scalar else None, ndim=rank, scalar=scalar))
    extents = sizes_of(shape)
    count = 1
    for extent in extents:
        if extent < 0:
            raise StoreSizeError(f"can't convert negative value to size_t: the shape is {[*extents]}")
        count *= extent
    if count * element_type.itemsize > MOST_BYTES:
        _refuse_size(extents, count * element_type.itemsize)
    if scalar and count != 1:
        raise StoreValueError(f"a scalar store has one element; the shape {[*extents]} has {count}")
    root = Root(element_type, extents, scalar=scalar)
    if allocation is not None:
        _attach(root, allocation, count)
    return LogicalStore.on(root)


def _refuse_size(extents: tuple[int, ...], nbytes: int) -> NoReturn:
    raise StoreValueError(
        f"the shape {[*extents]} takes {nbytes} bytes, and no memory has more than {MOST_BYTES}; make it smaller"
    )


def _attach(root: Root, allocation: ExternalAllocation, count: int) -> None:
    needed = count * root.dtype.itemsize
    if allocation.size < needed:
        raise StoreValueError(
            f"{count} elements of {root.dtype.name} need {needed} bytes, and the allocation has {allocation.size}; "
            f"attach a larger one, or make the shape smaller"
        )
    root.attach(allocation.storage(root.dtype), allocation.place, external=allocation)


def from_array(array_like: Any, read_only: bool = True) -> LogicalStore:
    """Make a store on the memory of an array, without a copy; `LogicalStore.detach` ends it.

    Parameters
    ----------
    array_like : container, storage, view or array of any library
        The memory.
    read_only : bool
        Forbid writing. A writable store writes through to the array.

    Returns
    -------
    LogicalStore
        The store.

    Raises
    ------
    StoreValueError
        If the array is read-only and ``read_only`` is false, or its strides are negative or repeat elements.
    TypeError
        If the object has no memory.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.store import from_array
    >>> x = np.arange(6.0)
    >>> store = from_array(x, read_only=False)
    >>> store.slice(0, slice(2, 4)).fill(0)
    >>> store.detach()
    >>> x
    array([0., 1., 0., 0., 4., 5.])
    """
    source = source_of(array_like)
    if not read_only and source.storage.readonly:
        raise StoreValueError("this array is read-only; write from_array(x), or from_array(x.copy(), read_only=False)")
    if not source.contiguous:
        _refuse_repeats(source)
    storage = source.storage.window(0, source.storage.size, source.dtype, const=read_only)
    root = Root(source.dtype, source.shape)
    device = storage.device
    place = Place(StoreTarget.SYSMEM if device is Device.CPU else StoreTarget.FBMEM, device)
    strides = None if source.contiguous else tuple([stride or 1 for stride in source.strides])
    root.attach(storage, place, strides=strides, start=source.start)
    return LogicalStore.on(root)


def _refuse_repeats(source: Source) -> None:
    """Refuse memory in reverse order, and elements with two indices: the order of tasks goes by indices."""
    axes = tuple(zip(source.shape, source.strides, strict=True))
    if any(stride <= 0 and extent > 1 for extent, stride in axes) or names_twice(axes):
        raise StoreValueError(
            f"a store needs positive strides, and one index for each element; found the strides {source.strides} for "
            f"the shape {source.shape}: write from_array(x.copy())"
        )


def from_zarr(path_or_array: Any) -> LogicalStore:
    """Make a store of an array in a file of zarr; its chunks are read when they are used, and never written.

    Parameters
    ----------
    path_or_array : path or zarr.Array
        A folder that zarr wrote, or an array of zarr in any of its stores.

    Returns
    -------
    LogicalStore
        Read-only. ``np.asarray(store[...])`` reads the chunks of that part; tasks and
        `LogicalStore.get_physical_store` read all of them, once.

    Raises
    ------
    FileNotFoundError
        If there is no such array.
    FormatError
        If its description is damaged, too large for this machine, or asks to unpickle values.
    DTypeError
        If no memory of ours has such elements: text, objects, dates, structures.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from accel.store import from_array, from_zarr
    >>> folder = tempfile.mkdtemp()
    >>> from_array(np.arange(6.0)).to_zarr(f"{folder}/x.zarr", chunks=(4,))
    >>> store = from_zarr(f"{folder}/x.zarr")
    >>> np.asarray(store[4:].get_physical_store())
    array([4., 5.])
    """
    return LogicalStore.on(zarr_root(path_or_array))
