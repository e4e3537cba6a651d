"""`Access`: single elements, and stretches of memory from one on."""

from collections.abc import Iterator
from typing import Any, SupportsIndex

import numpy as np

from accel import copies
from accel.copies import Elements
from accel.dtypes import exact_cast
from accel.errors import BoundsError, LayoutError
from accel.memory.host_storage import HostArray
from accel.views.cells import element_cells
from accel.views.checks import as_count
from accel.views.core import TensorCore
from accel.views.moving import Moving
from accel.views.slicing import chosen, key_of, located

__all__ = ["Access"]


class Access(Moving):
    """Reads and writes at coordinates; to be mixed into a tensor."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        """Return an element, or a view where there are slices; an integer drops its mode.

        A vector is a new 1-D array of its numbers, in row-major order.

        Raises
        ------
        BoundsError
            If there is no such element; names axis, index and extent.
        DeviceMismatchError
            If it is an element of a device's memory.
        """
        steps = self._geometry.steps
        if self._direct and type(key) is tuple and steps is not None and len(key) == len(steps):
            offset = self._offset
            for i, (extent, stride) in zip(key, steps):  # noqa: B905 - the keyword is a tenth of an access
                if type(i) is not int or not 0 <= i < extent:
                    break
                offset += i * stride
            else:
                return self._storage[offset]  # type: ignore[index]
        where = key_of(key)
        if any(isinstance(part, slice) for part in where):
            return self._view(*chosen(self._geometry, where))
        return self._element_at(where)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Set an element, or all that slices leave: to one number, or from a tensor or an array of the same shape.

        Raises
        ------
        BoundsError
            If there is no such element; names axis, index and extent.
        ReadOnlyError
            If writing is forbidden.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ValueError
            If a vector is given more or fewer numbers than it has.
        """
        where = key_of(key)
        if any(isinstance(part, slice) for part in where):
            self._view(*chosen(self._geometry, where))._assign(value)
        else:
            self._set_element(where, value)

    def _assign(self, value: Any) -> None:
        if isinstance(value, TensorCore):
            self.copy_from(value)
        elif np.ndim(value) == 0:
            self.fill(value)
        else:
            self._write_rows(exact_cast(value, self._dtype))

    def _element_at(self, where: tuple[Any, ...]) -> Any:
        found = self._geometry
        offset = located(found, where)
        self._on_host("reading of single elements")
        if offset is None:
            return self._padding(found.element.size)
        if self._direct and found.element.size == 1:
            return self._storage[self._place(offset)]  # type: ignore[index]
        numbers = copies.read(element_cells(self, offset))
        return numbers[0] if found.element.size == 1 else numbers

    def _set_element(self, where: tuple[Any, ...], value: Any) -> None:
        offset = located(self._geometry, where)
        storage, size = self._on_host("writing of single elements"), self.element_size
        self._refuse_read_only()
        if self._direct and size == 1 and offset is not None and np.ndim(value) == 0:
            storage[self._place(offset)] = value
            return
        numbers = exact_cast(value, self._dtype)
        if numbers.ndim > 1 or (numbers.ndim and numbers.size != size):
            raise ValueError(f"an element takes {size} numbers, or one for all; found shape {numbers.shape}")
        if offset is not None:
            copies.write(element_cells(self, offset), np.full(size, numbers, self._dtype))

    def _padding(self, size: int) -> Any:
        numbers = np.full(size, self._pad, self._dtype)
        return numbers[0] if size == 1 else numbers

    def __len__(self) -> int:
        if not self.rank:
            raise TypeError("a tensor of rank 0 has no len; t[()] is its element")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Go through mode 0: views without it, or the elements of one mode."""
        if not self.rank:
            raise TypeError("a tensor of rank 0 has no elements to go through; t[()] is its element")
        rest = (slice(None),) * (self.rank - 1)
        return (self[(i, *rest)] for i in range(self.shape[0]))

    def load(self, m: SupportsIndex, n: SupportsIndex, width: SupportsIndex = 1) -> Any:
        """Return ``width`` neighbours in memory, from element (m, n) on: a scalar for 1, else a new 1-D array.

        They may cross the end of a row.

        Raises
        ------
        BoundsError
            If the first is no element, or the last not in the storage.
        LayoutError
            If the rank is not 2.
        DeviceMismatchError
            If the memory is a device's.
        """
        numbers = copies.read(self._neighbours(m, n, as_count(width, "a width")))
        return numbers[0] if numbers.size == 1 else numbers

    def store(self, m: SupportsIndex, n: SupportsIndex, values: Any) -> None:
        """Write neighbours in memory, from element (m, n) on.

        Raises
        ------
        BoundsError
            If the first is no element, or the last not in the storage; nothing is written.
        LayoutError
            If the rank is not 2.
        ReadOnlyError
            If writing is forbidden.
        DTypeError, OverflowError
            If the dtype cannot hold a value.
        DeviceMismatchError
            If the memory is a device's.
        """
        self._refuse_read_only()
        numbers: HostArray = exact_cast(values, self._dtype).reshape(-1)
        copies.write(self._neighbours(m, n, numbers.size), numbers)

    def aligned_load(self, m: SupportsIndex, n: SupportsIndex, width: SupportsIndex = 1) -> Any:
        """`load`, from an address that is a multiple of the bytes read.

        Raises
        ------
        LayoutError
            If it is not, or the rank is not 2.
        """
        self._refuse_unaligned(m, n, as_count(width, "a width"))
        return self.load(m, n, width)

    def aligned_store(self, m: SupportsIndex, n: SupportsIndex, values: Any) -> None:
        """`store`, to an address that is a multiple of the bytes written.

        Raises
        ------
        LayoutError
            If it is not, or the rank is not 2.
        """
        self._refuse_unaligned(m, n, np.size(values))
        self.store(m, n, values)

    def prefetch(self, m: SupportsIndex, n: SupportsIndex) -> None:
        """Announce a use of element (m, n). The host fetches it by itself, so only the coordinates are checked.

        Raises
        ------
        BoundsError
            If there is no such element.
        """
        self._place_of(m, n)

    def _place_of(self, m: SupportsIndex, n: SupportsIndex) -> int:
        if self.rank != 2:
            raise LayoutError(f"load, store and prefetch take two coordinates, and {self.layout} has {self.rank} modes")
        offset = located(self._geometry, (m, n))
        if offset is None:
            raise BoundsError(
                f"({m}, {n}) is in the padding, which has no memory; the valid part is {self._geometry.inside}"
            )
        return self._place(offset)

    def _neighbours(self, m: SupportsIndex, n: SupportsIndex, width: int) -> Elements:
        start = self._place_of(m, n)
        self._on_host("loading and storing")
        found = Elements(self._storage, start, ((width, 1),), self._dtype)
        found.refuse_outside()
        return found

    def _refuse_unaligned(self, m: SupportsIndex, n: SupportsIndex, width: int) -> None:
        itemsize = self._dtype.itemsize
        address = self._storage.pointer + self._place_of(m, n) * itemsize
        if width and address % (width * itemsize):
            raise LayoutError(
                f"element ({m}, {n}) lies at {address:#x}, which is no multiple of {width} elements of {itemsize} "
                f"bytes; write load or store"
            )
