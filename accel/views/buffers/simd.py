"""Mojo's partial vector loads and stores, and its prefetch options."""

from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

import numpy as np

from accel.dtypes import exact_cast
from accel.memory.host_storage import HostArray
from accel.memory.sizes import as_size
from accel.views.buffers.flat_memory import as_host_storage, checked_range, flat_source
from accel.views.index_checks import as_pad, as_whole

__all__ = ["PrefetchOptions", "partial_simd_load", "partial_simd_store"]


@dataclass(frozen=True)
class PrefetchOptions:
    """How an element is prefetched.

    Attributes
    ----------
    read : bool
        Whether the element will be read, not written.
    locality : int
        From 0, used once, to 3, used often.
    cache : str
        ``"data"`` or ``"instruction"``.
    """

    read: bool = True
    locality: int = 3
    cache: Literal["data", "instruction"] = "data"

    def __post_init__(self) -> None:
        if self.locality not in range(4):
            raise ValueError(f"a locality is 0, 1, 2 or 3; found {self.locality!r}")
        if self.cache not in {"data", "instruction"}:
            raise ValueError(f"a cache is 'data' or 'instruction'; found {self.cache!r}")


def partial_simd_load(
    storage: Any, lbound: SupportsIndex, rbound: SupportsIndex, pad_value: Any, width: SupportsIndex
) -> HostArray:
    """Return a vector whose lanes in bounds are read from memory; lane 0 is the first element.

    Parameters
    ----------
    storage : view, container, storage or array
        Contiguous host memory of one axis; lanes out of bounds may be outside it.
    lbound, rbound : int
        Lanes with ``max(0, lbound) <= lane < min(width, rbound)`` are read.
    pad_value : number
        Value of the other lanes.
    width : int
        Number of lanes.

    Returns
    -------
    numpy.ndarray
        The vector.

    Raises
    ------
    BoundsError
        If a lane in bounds is outside the memory.
    DTypeError, OverflowError
        If the dtype cannot hold the pad value.
    ValueError
        If the pad value is not a single number, or the width is negative.
    DeviceMismatchError
        If the memory is not the host's.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.views import partial_simd_load
    >>> partial_simd_load(np.array([1, 2, 3]), 1, 3, pad_value=-1, width=4)
    array([-1,  2,  3, -1])
    """
    source = flat_source(storage, "vector")
    memory = as_host_storage(source.storage, "a vector")
    lanes = np.full(as_size(width, memory.dtype.itemsize), as_pad(pad_value, memory.dtype), memory.dtype)
    first, count = _bounded(lbound, rbound, lanes.size, source.size)
    if count:
        lanes[first : first + count] = memory.load(source.start + first, count)
    return lanes


def partial_simd_store(storage: Any, lbound: SupportsIndex, rbound: SupportsIndex, data: Any) -> None:
    """Write the lanes of a vector that are in bounds, and nothing else; lane 0 is the first element.

    Parameters
    ----------
    storage : view, container, storage or array
        Contiguous host memory of one axis; lanes out of bounds may be outside it.
    lbound, rbound : int
        Lanes with ``max(0, lbound) <= lane < min(data.size, rbound)`` are written.
    data : array_like
        One value for each lane.

    Raises
    ------
    BoundsError
        If a lane in bounds is outside the memory; nothing is written.
    DTypeError, OverflowError
        If the dtype cannot hold a value.
    ReadOnlyError, DeviceMismatchError
        If the memory is read-only, or not the host's.
    """
    source = flat_source(storage, "vector")
    memory = as_host_storage(source.storage, "a vector")
    lanes = exact_cast(data, memory.dtype).reshape(-1)
    first, count = _bounded(lbound, rbound, lanes.size, source.size)
    memory.store(source.start + first, lanes[first : first + count])


def _bounded(lbound: SupportsIndex, rbound: SupportsIndex, width: int, available: int) -> tuple[int, int]:
    """Return the first lane in bounds, and the number of lanes in bounds."""
    low, high = max(0, as_whole(lbound, "a bound")), min(width, as_whole(rbound, "a bound"))
    return checked_range(low, high - low, available, "the memory of the vector") if low < high else (0, 0)
