"""Values of stores on the host, wherever the stores are."""

import numpy as np

from accel.interchange.arrow.transfers import on_host
from accel.memory.host_storage import HostArray
from accel.store import regions
from accel.store.logical_store import LogicalStore

__all__ = ["values_of"]


def values_of(store: LogicalStore) -> HostArray:
    """Return the elements of a store on the host, once the tasks that write them are done.

    The store stays where it is: from a device the elements are copied.
    """
    root, index_map = store.root, store.map
    root.refuse_detached()
    regions.settle(root, index_map.box, writing=False)
    memory, itemsize = on_host(root.storage()), store.dtype.itemsize
    strides = tuple(stride * itemsize for stride in index_map.strides)
    values: HostArray = np.ndarray(index_map.shape, store.dtype, memory, index_map.offset * itemsize, strides)
    values.flags.writeable = False
    return values
