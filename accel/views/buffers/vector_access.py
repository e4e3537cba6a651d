"""The methods of strided views that load and store consecutive elements, on the host."""

from math import prod
from typing import Any, SupportsIndex

from accel.errors import BoundsError, LayoutError
from accel.memory import HostStorage
from accel.memory.sizes import as_size
from accel.views.buffers.flat_memory import as_host_storage, checked_range
from accel.views.buffers.simd import PrefetchOptions
from accel.views.buffers.strided import StridedView
from accel.views.index_checks import as_alignment, position
from accel.views.load_arguments import as_vector, refuse_misaligned, split_coordinates, split_values

__all__ = ["element_place", "host_storage", "load", "prefetch", "refuse_gaps", "simd_nt_store", "store"]

_FETCH = PrefetchOptions()


def load(
    view: StridedView, *index: Any, width: SupportsIndex | None = None, alignment: SupportsIndex | None = None
) -> Any:
    """Return consecutive elements of the memory: a NumPy scalar for one, else a new 1-D array.

    Parameters
    ----------
    *index : int, or one tuple or list of int
        Coordinates of the first element; the width may follow.
    width : int, optional
        How many elements to read; by default 1. More than 1 need a contiguous view, and may continue in the next
        row.
    alignment : int, optional
        Required alignment of the address in bytes, a power of two.

    Raises
    ------
    BoundsError
        If an element is outside the view.
    LayoutError
        If the view is not contiguous, or the address is not aligned.
    DeviceMismatchError
        If the memory is not the host's.
    """
    rank = len(view._shape)
    where, (numbers, boundary) = split_coordinates(index, rank, ("width", "alignment"), (width, alignment))
    storage, count = host_storage(view), 1 if numbers is None else as_size(numbers, view.dtype.itemsize)
    return storage.load(_vector(view, where, count, boundary), count)


def store(
    view: StridedView,
    *index: Any,
    values: Any = None,
    width: SupportsIndex | None = None,
    alignment: SupportsIndex | None = None,
) -> None:
    """Write consecutive elements of the memory; all of them or none.

    Parameters
    ----------
    *index : int, or one tuple or list of int
        Coordinates of the first element; the values follow.
    values : number or array_like
        The values to write; more than one need a contiguous view.
    width : int, optional
        How many elements to write; by default the number of values. A single value is repeated.
    alignment : int, optional
        Required alignment of the address in bytes, a power of two.

    Raises
    ------
    BoundsError, LayoutError, DeviceMismatchError
        As for `load`.
    DTypeError, OverflowError
        If the dtype cannot hold a value.
    ReadOnlyError
        If the memory is read-only.
    """
    where, numbers, boundary = split_values(index, len(view._shape), values, alignment)
    storage, vector = host_storage(view), as_vector(numbers, width, view.dtype)
    storage.store(_vector(view, where, vector.size, boundary), vector)


def simd_nt_store(view: StridedView, *index: Any, values: Any = None) -> None:
    """As `store`; Mojo's non-temporal store. On the host it makes no difference to the caches.

    The view must be contiguous. The address must be a multiple of 64 for vectors of 64 bytes or more, of 32 for 32
    bytes or more, and of 16 for shorter ones.

    Parameters
    ----------
    *index : int
        The coordinates of the first element.
    values : number or sequence of numbers, optional
        What is written.
    """
    refuse_gaps(view)
    where, numbers, _ = split_values(index, len(view._shape), values, None)
    vector = as_vector(numbers, None, view.dtype)
    alignment = 64 if vector.nbytes >= 64 else 32 if vector.nbytes >= 32 else 16
    store(view, where, vector, alignment)


def prefetch(view: StridedView, *index: Any, params: PrefetchOptions = _FETCH) -> None:
    """Check the coordinates of an element that will be used soon; the host prefetches by itself.

    Parameters
    ----------
    *index : int
        The coordinates of the element.
    params : PrefetchOptions, default _FETCH
        How Mojo would prefetch.

    Raises
    ------
    TypeError
        If ``params`` are no `PrefetchOptions`.
    BoundsError
        If there is no such element.
    """
    if not isinstance(params, PrefetchOptions):
        raise TypeError(f"params are PrefetchOptions(...); found {params!r}")
    element_place(view, split_coordinates(index, len(view._shape), (), ())[0])


def host_storage(view: StridedView) -> HostStorage:
    """Return the storage of a view after checking that it is the host's."""
    return as_host_storage(view._storage, "access to elements")


def element_place(view: StridedView, coordinates: tuple[SupportsIndex, ...]) -> int:
    """Return the storage element at these coordinates."""
    if len(coordinates) != len(view._shape):
        raise BoundsError(
            f"{len(view._shape)} coordinates are needed for shape {view._shape}; found {len(coordinates)}"
        )
    place = view._offset
    for axis, (coordinate, extent) in enumerate(zip(coordinates, view._shape, strict=True)):
        there = isinstance(coordinate, int) and 0 <= coordinate < extent
        place += int(coordinate if there else position(coordinate, extent, axis)) * view._strides[axis]
    return place


def _vector(
    view: StridedView, coordinates: tuple[SupportsIndex, ...], width: int, alignment: SupportsIndex | None
) -> int:
    """Return the storage element of the first element of a vector, after checking the range and the alignment."""
    place = element_place(view, coordinates)
    if width != 1:
        refuse_gaps(view)
        checked_range(place - view._offset, width, prod(view._shape), f"this {type(view).__name__}")
    if alignment is not None:
        refuse_misaligned(view._storage.pointer + place * view.dtype.itemsize, as_alignment(alignment))
    return place


def refuse_gaps(view: StridedView) -> None:
    """Raise `LayoutError` if the elements of a view are not contiguous."""
    if not view._source.contiguous:
        raise LayoutError(
            f"Function requires contiguous buffer. This one has shape {view._shape} and strides {view._strides}; "
            f"write b.copy() for a contiguous copy"
        )
