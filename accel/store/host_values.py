"""The values of a store as an array of NumPy, wherever they are; the store is not moved."""

from typing import Any

import numpy as np

from accel.store import shared_memory
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Access
from accel.store.store_view import StoreView
from accel.store.tiles import Partial

__all__ = ["host_values"]


def host_values(store: StoreView) -> np.ndarray[Any, Any]:
    """Wait for all tasks that write a store, and return its values.

    Returns
    -------
    numpy.ndarray
        A view of memory of the host; new memory if the values are on a device, or in tiles or a file, of which only the
        box of this store is read.

    Raises
    ------
    StoreError
        If the store is unbound or detached.
    BaseException
        The error of the task that was to write it.
    """
    root, index_map = store.root, store.map
    root.refuse_detached()
    shared_memory.settle(root, index_map, writing=False)
    contents = root.contents
    if isinstance(contents, Partial):
        return _in_box(store, contents.read(index_map.box))
    storage = root.storage()
    physical = PhysicalStore.on(storage, index_map, store.dtype, access=Access.READ, place=root.place)
    values: Any = physical.span_read_accessor()
    return values if isinstance(values, np.ndarray) else values.to_numpy()


def _in_box(store: StoreView, box: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the elements of a store from those of its box."""
    index_map = store.map.on_box()
    elements = np.ascontiguousarray(box).reshape(-1).view(store.dtype)
    strides = [stride * store.dtype.itemsize for stride in index_map.strides]
    return np.lib.stride_tricks.as_strided(elements[index_map.offset :], index_map.shape, strides, writeable=False)
