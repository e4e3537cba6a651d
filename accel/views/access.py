"""The methods of tensors that read and write elements, slices, and vectors of neighbours in memory."""

from collections.abc import Iterator
from typing import Any, SupportsIndex

import numpy as np

from accel import copies
from accel.copies import Elements
from accel.dtypes import exact_cast
from accel.memory.host_storage import HostArray
from accel.views.cells import distances_between, element_cells
from accel.views.contents import TensorContents
from accel.views.core import TensorCore
from accel.views.index_checks import as_alignment, as_count
from accel.views.load_arguments import as_vector, refuse_misaligned, split_coordinates, split_values
from accel.views.rows import Rows, as_assignable
from accel.views.slicing import as_key, locate, selected

__all__ = ["aligned_load", "aligned_store", "get_item", "iterate", "length", "load", "prefetch", "set_item", "store"]


def get_item(tensor: TensorContents, key: Any) -> Any:
    """Return an element, or a view if the key has slices; an integer drops its mode.

    An element of several numbers is returned as a new 1-D array, in row-major order.

    Raises
    ------
    BoundsError
        If there is no such element; the message names axis, index and extent.
    DeviceMismatchError
        If the key names a single element and the memory is not the host's.
    """
    steps = tensor._geometry.steps
    if tensor._direct and type(key) is tuple and steps is not None and len(key) == len(steps):
        offset = tensor._offset
        for i, (extent, stride) in zip(key, steps):  # noqa: B905 - strict= costs a tenth of an access
            if type(i) is not int or not 0 <= i < extent:
                break
            offset += i * stride
        else:
            return tensor._storage[offset]  # type: ignore[index]
    where = as_key(key)
    if slice in map(type, where):
        return tensor._view(*selected(tensor._geometry, where))
    return _element_at(tensor, where)


def set_item(tensor: TensorContents, key: Any, value: Any) -> None:
    """Set an element, or all elements of a slice: to one number, or from an array of the same shape.

    Raises
    ------
    BoundsError
        If there is no such element; the message names axis, index and extent.
    ReadOnlyError
        If the tensor is read-only.
    DTypeError, OverflowError
        If the dtype cannot hold the value.
    ValueError
        If an element of several numbers is assigned another count of numbers.
    """
    where = as_key(key)
    if slice in map(type, where):
        _assign(tensor._view(*selected(tensor._geometry, where)), value)
    else:
        _set_element(tensor, where, value)


def _assign(tensor: TensorContents, value: Any) -> None:
    if isinstance(value, TensorCore) and (value._dtype, value.shape) == (tensor._dtype, tensor.shape):
        tensor.copy_from(value)
        return
    elements = as_assignable(value, tensor._geometry.axes, tensor._dtype)
    if isinstance(elements, Rows):
        tensor._copy_rows(elements)
    elif elements.ndim:
        tensor._write_rows(elements)
    else:
        tensor.fill(elements)


def _element_at(tensor: TensorContents, where: tuple[Any, ...]) -> Any:
    geometry = tensor._geometry
    offset, exists = locate(geometry, where)
    tensor._host_storage("reading a single element")
    if not exists:
        return _padding(tensor, geometry.element.size)
    if tensor._direct and geometry.element.size == 1:
        return tensor._storage[tensor._place(offset)]  # type: ignore[index]
    numbers = copies.read(element_cells(tensor, offset))
    return numbers[0] if geometry.element.size == 1 else numbers


def _set_element(tensor: TensorContents, where: tuple[Any, ...], value: Any) -> None:
    offset, exists = locate(tensor._geometry, where)
    storage, size = tensor._host_storage("writing a single element"), tensor.element_size
    tensor._refuse_read_only()
    if tensor._direct and size == 1 and exists and np.ndim(value) == 0:
        storage[tensor._place(offset)] = value
        return
    numbers = exact_cast(value, tensor._dtype)
    if numbers.ndim > 1 or (numbers.ndim and numbers.size != size):
        raise ValueError(f"an element takes {size} numbers, or one for all; found shape {numbers.shape}")
    if exists:
        copies.write(element_cells(tensor, offset), np.full(size, numbers, tensor._dtype))


def _padding(tensor: TensorContents, size: int) -> Any:
    numbers = np.full(size, tensor._pad_value, tensor._dtype)
    return numbers[0] if size == 1 else numbers


def length(tensor: TensorContents) -> int:
    """Return the extent of mode 0."""
    if not tensor.rank:
        raise TypeError("a tensor of rank 0 has no len; t[()] is its element")
    return tensor.shape[0]


def iterate(tensor: TensorContents) -> Iterator[Any]:
    """Iterate over mode 0: yields views without this mode; for rank 1, elements."""
    if not tensor.rank:
        raise TypeError("a tensor of rank 0 cannot be iterated over; t[()] is its element")
    rest = (slice(None),) * (tensor.rank - 1)
    return (get_item(tensor, (i, *rest)) for i in range(tensor.shape[0]))


def load(
    tensor: TensorContents, *index: Any, width: SupportsIndex | None = None, alignment: SupportsIndex | None = None
) -> Any:
    """Return consecutive numbers of the memory, starting at an element: a scalar for one, else a new 1-D array.

    The range may cross the end of a row. Numbers outside the valid part of a masked tensor are not read; they are
    the pad value.

    Parameters
    ----------
    *index : int, or one tuple or list of int
        Coordinates of the first element; the width may follow.
    width : int, optional
        How many numbers to read; by default 1.
    alignment : int, optional
        Required alignment of the address in bytes, a power of two.

    Raises
    ------
    BoundsError
        If there is no such first element, or the range reaches past the storage and the tensor is not masked.
    LayoutError
        If the address is not aligned.
    DeviceMismatchError
        If the memory is not the host's.
    """
    where, (count, boundary) = _split_coordinates(tensor, index, ("width", "alignment"), (width, alignment))
    first = _first(tensor, where, None if boundary is None else as_alignment(boundary))
    return _load_from(tensor, first, 1 if count is None else as_count(count, "a width"))


def store(
    tensor: TensorContents,
    *index: Any,
    values: Any = None,
    width: SupportsIndex | None = None,
    alignment: SupportsIndex | None = None,
) -> None:
    """Write consecutive numbers of the memory, starting at an element; of a masked tensor only in the valid part.

    Parameters
    ----------
    *index : int, or one tuple or list of int
        Coordinates of the first element; the values follow.
    values : number or array_like
        The values to write.
    width : int, optional
        How many numbers to write; by default the number of values. A single value is repeated.
    alignment : int, optional
        Required alignment of the address in bytes, a power of two.

    Raises
    ------
    BoundsError
        If there is no such first element, or the range reaches past the storage and the tensor is not masked.
        Nothing is written.
    LayoutError
        If the address is not aligned.
    ReadOnlyError
        If the tensor is read-only.
    DTypeError, OverflowError
        If the dtype cannot hold a value.
    DeviceMismatchError
        If the memory is not the host's.
    """
    where, numbers, boundary = split_values(index, tensor.rank, values, alignment, nested=_first_mode_is_nested(tensor))
    tensor._refuse_read_only()
    vector = as_vector(numbers, width, tensor._dtype)
    _store_at(tensor, _first(tensor, where, None if boundary is None else as_alignment(boundary)), vector)


def aligned_load(tensor: TensorContents, *index: Any, width: SupportsIndex | None = None) -> Any:
    """As `load`; the address must be a multiple of the number of bytes read.

    Parameters
    ----------
    *index : int
        The coordinates of the first number.
    width : int, optional
        How many numbers: a power of two; 1 by default.

    Raises
    ------
    LayoutError
        If the address is not aligned.
    """
    where, (count,) = _split_coordinates(tensor, index, ("width",), (width,))
    numbers = 1 if count is None else as_count(count, "a width")
    return _load_from(tensor, _first(tensor, where, numbers * tensor._dtype.itemsize), numbers)


def aligned_store(tensor: TensorContents, *index: Any, values: Any = None, width: SupportsIndex | None = None) -> None:
    """As `store`; the address must be a multiple of the number of bytes written.

    Parameters
    ----------
    *index : int
        The coordinates of the first number.
    values : number or sequence of numbers, optional
        What is written: one number, or as many as ``width``.
    width : int, optional
        How many numbers: a power of two; 1 by default.

    Raises
    ------
    LayoutError
        If the address is not aligned.
    """
    where, numbers, _ = split_values(index, tensor.rank, values, None, nested=_first_mode_is_nested(tensor))
    tensor._refuse_read_only()
    vector = as_vector(numbers, width, tensor._dtype)
    _store_at(tensor, _first(tensor, where, vector.nbytes), vector)


def prefetch(tensor: TensorContents, *index: Any) -> None:
    """Check the coordinates of an element; the host prefetches by itself, so this does nothing else.

    Parameters
    ----------
    *index : int
        The coordinates of the element.

    Raises
    ------
    BoundsError
        If there is no such element.
    """
    locate(tensor._geometry, _split_coordinates(tensor, index, (), ())[0])


def _first_mode_is_nested(tensor: TensorContents) -> bool:
    """Tell whether mode 0 is nested, so that the first coordinate may be a tuple."""
    modes = tensor._geometry.modes
    return bool(modes) and isinstance(modes[0].shape, tuple)


def _split_coordinates(
    tensor: TensorContents, index: tuple[Any, ...], names: tuple[str, ...], values: tuple[Any, ...]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    return split_coordinates(index, tensor.rank, names, values, nested=_first_mode_is_nested(tensor))


def _first(tensor: TensorContents, where: tuple[Any, ...], alignment: int | None) -> int:
    """Return the storage element at some coordinates after checking the alignment of its address."""
    offset, _ = locate(tensor._geometry, where)
    place, storage = tensor._place(offset), tensor._host_storage("a load or store")
    if alignment:
        refuse_misaligned(storage.pointer + place * tensor._dtype.itemsize, alignment)
    return place


def _load_from(tensor: TensorContents, first: int, width: int) -> Any:
    if tensor._geometry.valid is None:
        numbers = copies.read(Elements(tensor._storage, first, ((width, 1),), tensor._dtype))
    else:
        there = distances_between(tensor, first, width)
        numbers = np.full(width, tensor._pad_value, tensor._dtype)
        numbers[there] = copies.read(Elements(tensor._storage, first, (), tensor._dtype, there))
    return numbers[0] if width == 1 else numbers


def _store_at(tensor: TensorContents, first: int, numbers: HostArray) -> None:
    if tensor._geometry.valid is None:
        copies.write(Elements(tensor._storage, first, ((numbers.size, 1),), tensor._dtype), numbers)
    else:
        there = distances_between(tensor, first, numbers.size)
        copies.write(Elements(tensor._storage, first, (), tensor._dtype, there), numbers[there])
