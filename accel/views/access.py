"""`TensorAccess`: read and write single elements, slices, and vectors of neighbours in memory."""

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

__all__ = ["TensorAccess"]


class TensorAccess(TensorContents):
    """Mixin of tensors: indexing, assignment, iteration, `load` and `store`."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        """Return an element, or a view if the key has slices; an integer drops its mode.

        An element of several numbers is returned as a new 1-D array, in row-major order.

        Raises
        ------
        BoundsError
            If there is no such element; the message names axis, index and extent.
        DeviceMismatchError
            If the key names a single element and the memory is not the host's.
        """
        steps = self._geometry.steps
        if self._direct and type(key) is tuple and steps is not None and len(key) == len(steps):
            offset = self._offset
            for i, (extent, stride) in zip(key, steps):  # noqa: B905 - strict= costs a tenth of an access
                if type(i) is not int or not 0 <= i < extent:
                    break
                offset += i * stride
            else:
                return self._storage[offset]  # type: ignore[index]
        where = as_key(key)
        if any(isinstance(part, slice) for part in where):
            return self._view(*selected(self._geometry, where))
        return self._element_at(where)

    def __setitem__(self, key: Any, value: Any) -> None:
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
        if any(isinstance(part, slice) for part in where):
            self._view(*selected(self._geometry, where))._assign(value)
        else:
            self._set_element(where, value)

    def _assign(self, value: Any) -> None:
        if isinstance(value, TensorCore) and (value._dtype, value.shape) == (self._dtype, self.shape):
            self.copy_from(value)
            return
        given = as_assignable(value, self._geometry.axes, self._dtype)
        if isinstance(given, Rows):
            self._copy_rows(given)
        elif given.ndim:
            self._write_rows(given)
        else:
            self.fill(given)

    def _element_at(self, where: tuple[Any, ...]) -> Any:
        geometry = self._geometry
        offset, exists = locate(geometry, where)
        self._host_storage("reading a single element")
        if not exists:
            return self._padding(geometry.element.size)
        if self._direct and geometry.element.size == 1:
            return self._storage[self._place(offset)]  # type: ignore[index]
        numbers = copies.read(element_cells(self, offset))
        return numbers[0] if geometry.element.size == 1 else numbers

    def _set_element(self, where: tuple[Any, ...], value: Any) -> None:
        offset, exists = locate(self._geometry, where)
        storage, size = self._host_storage("writing a single element"), self.element_size
        self._refuse_read_only()
        if self._direct and size == 1 and exists and np.ndim(value) == 0:
            storage[self._place(offset)] = value
            return
        numbers = exact_cast(value, self._dtype)
        if numbers.ndim > 1 or (numbers.ndim and numbers.size != size):
            raise ValueError(f"an element takes {size} numbers, or one for all; found shape {numbers.shape}")
        if exists:
            copies.write(element_cells(self, offset), np.full(size, numbers, self._dtype))

    def _padding(self, size: int) -> Any:
        numbers = np.full(size, self._pad_value, self._dtype)
        return numbers[0] if size == 1 else numbers

    def __len__(self) -> int:
        if not self.rank:
            raise TypeError("a tensor of rank 0 has no len; t[()] is its element")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over mode 0: yields views without this mode; for rank 1, elements."""
        if not self.rank:
            raise TypeError("a tensor of rank 0 cannot be iterated over; t[()] is its element")
        rest = (slice(None),) * (self.rank - 1)
        return (self[(i, *rest)] for i in range(self.shape[0]))

    def load(self, *index: Any, width: SupportsIndex | None = None, alignment: SupportsIndex | None = None) -> Any:
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
        where, (count, boundary) = self._split_coordinates(index, ("width", "alignment"), (width, alignment))
        first = self._first(where, None if boundary is None else as_alignment(boundary))
        return self._load_from(first, 1 if count is None else as_count(count, "a width"))

    def store(
        self,
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
        where, given, boundary = split_values(index, self.rank, values, alignment, nested=self._first_mode_is_nested)
        self._refuse_read_only()
        numbers = as_vector(given, width, self._dtype)
        self._store_at(self._first(where, None if boundary is None else as_alignment(boundary)), numbers)

    def aligned_load(self, *index: Any, width: SupportsIndex | None = None) -> Any:
        """As `load`; the address must be a multiple of the number of bytes read.

        Raises
        ------
        LayoutError
            If the address is not aligned.
        """
        where, (given,) = self._split_coordinates(index, ("width",), (width,))
        count = 1 if given is None else as_count(given, "a width")
        return self._load_from(self._first(where, count * self._dtype.itemsize), count)

    def aligned_store(self, *index: Any, values: Any = None, width: SupportsIndex | None = None) -> None:
        """As `store`; the address must be a multiple of the number of bytes written.

        Raises
        ------
        LayoutError
            If the address is not aligned.
        """
        where, given, _ = split_values(index, self.rank, values, None, nested=self._first_mode_is_nested)
        self._refuse_read_only()
        numbers = as_vector(given, width, self._dtype)
        self._store_at(self._first(where, numbers.nbytes), numbers)

    def prefetch(self, *index: Any) -> None:
        """Check the coordinates of an element; the host prefetches by itself, so this does nothing else.

        Raises
        ------
        BoundsError
            If there is no such element.
        """
        locate(self._geometry, self._split_coordinates(index, (), ())[0])

    @property
    def _first_mode_is_nested(self) -> bool:
        """Whether mode 0 is nested, so that the first coordinate may be a tuple."""
        modes = self._geometry.modes
        return bool(modes) and isinstance(modes[0].shape, tuple)

    def _split_coordinates(
        self, index: tuple[Any, ...], names: tuple[str, ...], values: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return split_coordinates(index, self.rank, names, values, nested=self._first_mode_is_nested)

    def _first(self, where: tuple[Any, ...], alignment: int | None) -> int:
        """Return the storage element at some coordinates after checking the alignment of its address."""
        offset, _ = locate(self._geometry, where)
        place, storage = self._place(offset), self._host_storage("a load or store")
        if alignment:
            refuse_misaligned(storage.pointer + place * self._dtype.itemsize, alignment)
        return place

    def _load_from(self, first: int, width: int) -> Any:
        if self._geometry.valid is None:
            numbers = copies.read(Elements(self._storage, first, ((width, 1),), self._dtype))
        else:
            there = distances_between(self, first, width)
            numbers = np.full(width, self._pad_value, self._dtype)
            numbers[there] = copies.read(Elements(self._storage, first, (), self._dtype, there))
        return numbers[0] if width == 1 else numbers

    def _store_at(self, first: int, numbers: HostArray) -> None:
        if self._geometry.valid is None:
            copies.write(Elements(self._storage, first, ((numbers.size, 1),), self._dtype), numbers)
        else:
            there = distances_between(self, first, numbers.size)
            copies.write(Elements(self._storage, first, (), self._dtype, there), numbers[there])
