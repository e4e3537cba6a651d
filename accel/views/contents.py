"""`TensorContents`: all elements of a tensor at once: to NumPy, fill, copy, pickle, and export to other libraries."""

from operator import index
from typing import Any, Self

import numpy as np

from accel import copies
from accel.abc import Operand
from accel.copies import Elements
from accel.device import Device
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DTypeError, LayoutError, reading_pickled
from accel.interchange.export import Interchange
from accel.memory import AnyStorage, DeviceStorage, HostStorage, allocate
from accel.memory.host_arrays import bytes_at
from accel.memory.host_storage import HostArray
from accel.views.cells import cells
from accel.views.core import TensorCore
from accel.views.geometry import Geometry, array_strides, by_rows, geometry_from_state, state_of
from accel.views.rows import Rows, rows_of

__all__ = ["TensorContents"]


class TensorContents(TensorCore, Interchange):
    """The abstract base of `LayoutTensor`: all elements at once, pickles, and the exchange with other libraries."""

    __slots__ = ()

    def to_numpy(self) -> HostArray:
        """Return the elements as a new array of the tensor's shape; a vectorized tensor appends the element's shape."""
        geometry = self._geometry
        existing = copies.read(self._cells(by_rows=True)).reshape((*geometry.inside, *geometry.element_shape))
        if geometry.inside == geometry.shape:
            return existing
        array = np.full((*geometry.shape, *geometry.element_shape), self._pad_value, self._dtype)
        array[_valid_slices(geometry)] = existing
        return array

    def fill(self, value: Any) -> Self:
        """Set every number of the valid part, and return this tensor.

        Raises
        ------
        ReadOnlyError
            If the tensor is read-only.
        OverlapError
            If two coordinates of the layout have the same cell.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        """
        item = copies.item_of(value, self._dtype, "write t.copy_from(array)")
        self._refuse_read_only()
        copies.fill_with(self._cells(), item)
        return self

    def copy_from(self, other: Any, cast: bool = False) -> None:
        """Copy the elements of another tensor, on any device; elements are paired by colexicographic index.

        Both may share memory. Only valid parts are read and written. A copy within the memory of one GPU is queued
        there, in order with other work on that memory; any other copy is complete on return.

        Parameters
        ----------
        other : LayoutTensor, view, container, storage or array
            A tensor of the same size and any shape; or any other object with memory, of the same shape.
        cast : bool
            Convert to this dtype as `numpy.ndarray.astype` does.

        Raises
        ------
        ValueError
            If the numbers of elements or the element sizes of two tensors differ.
        LayoutError
            If the shape of an object that is not a tensor differs.
        TypeError
            If ``other`` has no memory.
        DTypeError
            If the dtypes differ, without ``cast``.
        ReadOnlyError
            If this tensor is read-only.
        OverlapError
            If two coordinates of this layout have the same cell.
        """
        if not isinstance(other, TensorContents):
            self._copy_rows(rows_of(other), cast)
            return
        mine, others = self._geometry, other._geometry
        padded = mine.padded or others.padded
        target, source = cells(self), cells(other)
        # If elements are alike, equally many numbers are equally many elements: a small copy checks nothing else.
        alike = mine.element is others.element and not padded
        if alike and not self._readonly and copies.copied_at_once(target, source):
            return
        if self._readonly or padded:  # a plan refuses read-only memory itself
            self._refuse_read_only()
        self._refuse_unlike(other, cast)
        if padded:
            self._copy_by_values(other)
        elif alike:
            copies.copy_by_plan(target, source, cast=cast)
        else:
            copies.copy(target, source, cast=cast)

    def _copy_rows(self, rows: Rows, cast: bool = False) -> None:
        geometry, dtype = self._geometry, self._dtype
        self._refuse_read_only()
        self._refuse_other_dtype(rows.dtype, cast)
        if rows.shape != geometry.axes:
            equal = rows.elements.size == self.size * self.element_size
            remedy = "write LayoutTensor(x, layout) for their order" if equal else "the sizes must be equal"
            raise LayoutError(f"elements of shape {rows.shape} cannot be copied into shape {geometry.axes}: {remedy}")
        if geometry.padded:
            self._write_rows(rows.values().astype(dtype, copy=False))
        else:
            copies.copy(self._cells(by_rows=True), rows.elements, cast=cast)

    def _refuse_unlike(self, other: TensorCore, cast: bool) -> None:
        mine, others = self._geometry, other._geometry
        alike = mine.element is others.element or mine.element.size == others.element.size
        if mine.size != others.size or not alike:
            raise ValueError(
                f"{other.size} elements of {other.element_size} numbers cannot be copied into {self.size} of "
                f"{self.element_size}: both must be equal; take a tile or a slice"
            )
        if self._dtype != other._dtype:
            self._refuse_other_dtype(other._dtype, cast)

    def _refuse_other_dtype(self, dtype: DType, cast: bool) -> None:
        if self._dtype != dtype and not cast:
            raise DTypeError(
                f"{dtype.name} elements cannot be copied into {self._dtype.name}: "
                f"write t.copy_from(x, cast=True), which converts"
            )

    def _copy_by_values(self, other: "TensorContents") -> None:
        values = other.to_numpy().astype(self._dtype, copy=False)
        in_order = _modes_reversed(values, other.rank).reshape(-1)
        geometry = self._geometry
        by_modes = in_order.reshape((*reversed(geometry.shape), *geometry.element_shape))
        self._write_rows(_modes_reversed(by_modes, geometry.rank))

    def _write_rows(self, values: HostArray) -> None:
        """Write an array of this shape; values for elements without memory are dropped."""
        geometry = self._geometry
        expected = (*geometry.shape, *geometry.element_shape)
        if values.shape != expected:
            raise ValueError(f"an array of shape {values.shape} cannot be written to shape {expected}: they must agree")
        self._refuse_read_only()
        copies.write(self._cells(by_rows=True), values[_valid_slices(geometry)])

    def copy(self) -> Self:
        """Return a copy with the same layout in new memory on the same device."""
        return self._copied_to(self.device)

    def _copied_to(self, device: Device) -> Self:
        elements = self._cells()
        size, low, high = elements.offset_range
        first, extent = elements.start + low, high - low + 1 if size else 0
        storage = allocate(device, extent, self._dtype)
        copy = self._on_new_memory(storage, self._geometry.shifted(-first), self._offset - first)
        source = Elements(self._storage, first, ((extent, 1),), self._dtype)
        copies.copy(Elements(storage, 0, ((extent, 1),)), source)
        return copy

    def _on_new_memory(self, storage: AnyStorage, geometry: Geometry, offset: int = 0) -> Self:
        """Return a tensor of this class on another storage."""
        tensor = object.__new__(type(self))
        tensor._on(storage, geometry, offset)
        tensor._pad = self._pad
        return tensor

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[object, ...]:
        copied = self.copy()
        pad = None if self._pad is None else np.asarray(self._pad).tobytes().hex()
        return _unpickled, (type(self), copied._storage, copied._offset, state_of(copied._geometry), pad)

    # Exchange

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        """Return an array on the same memory, if the geometry has strides; with ``copy=True`` a copy."""
        if copy:
            self._host_storage("an implicit copy to NumPy")
            return self.to_numpy().astype(self._dtype if dtype is None else as_dtype(dtype), copy=False)
        storage = self._host_storage("an array on the same memory")
        if storage.owner.hazard_record.hazards is not None:
            storage.settle(writing=not self.readonly)
        shared = self._lent_array(storage)
        if dtype is None or as_dtype(dtype) == self._dtype:
            return shared
        if copy is False:
            raise ValueError(f"{self._dtype.name} becomes {dtype} only by a copy; write copy=None")
        return shared.astype(as_dtype(dtype))

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend, in row-major order.

        Raises
        ------
        LayoutError
            If the geometry has no strides.
        """
        geometry = self._geometry
        strides = array_strides(geometry, self._dtype.itemsize)
        span = self._storage.__accel_operand__().span
        return Operand(
            span, self._offset * self._dtype.itemsize, self._dtype, geometry.axes, strides, not self.readonly
        )

    def __accel_rows__(self) -> Rows:
        """Return the numbers in row-major order; for a padded tensor, a copy that includes the padding."""
        geometry = self._geometry
        elements = self._cells(by_rows=True)
        if geometry.padded:
            elements = copies.all_of(HostStorage.on_array(self.to_numpy()))
        return Rows(geometry.axes, self._dtype, self.device, elements)

    def __accel_elements__(self) -> Elements:
        """Return the numbers that have memory in the order of copies, which is colexicographic."""
        return cells(self)

    def _lent_storage(self) -> AnyStorage:
        return self._storage

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        """Return an array on the elements that keeps the memory alive.

        On device memory the array has the device address: it describes the elements, and must not be read.
        """
        if isinstance(storage, DeviceStorage):
            operand = self.__accel_operand__()
            memory = bytes_at(storage.pointer, storage.nbytes, not operand.writable, storage.keep_alive())
            return np.ndarray(operand.extents, operand.dtype, memory, operand.start, operand.strides)
        geometry, dtype = self._geometry, self._dtype
        strides = array_strides(geometry, dtype.itemsize)
        if not geometry.size:
            return np.empty(geometry.axes, dtype)
        array = np.ndarray(geometry.axes, dtype, storage.lend(), self._offset * dtype.itemsize, strides)
        if self._readonly:  # `lend` has already made it read-only if the storage is
            array.flags.writeable = False
        return array

    def _lent_copy(self, device: Device) -> "TensorContents":
        """Return a copy of the elements on a device, in row-major order."""
        copy = self._on_new_memory(
            allocate(device, self.size * self.element_size, self._dtype), by_rows(self._geometry)
        )
        copy._write_rows(self.to_numpy())
        return copy


def _valid_slices(geometry: Geometry) -> tuple[slice, ...]:
    """Return the slices of the part that has memory."""
    return tuple([slice(extent) for extent in geometry.inside])


def _modes_reversed(values: HostArray, rank: int) -> HostArray:
    """Return an array with its first axes reversed: row-major order becomes colexicographic, and vice versa."""
    return values.transpose((*reversed(range(rank)), *range(rank, values.ndim)))


def _unpickled(*state: Any) -> TensorContents:
    """Return the tensor that was pickled.

    Raises
    ------
    FormatError
        If the state is not that of a tensor.
    """
    with reading_pickled("tensor"):
        kind, storage, offset, parts, pad = state
        if not (isinstance(kind, type) and issubclass(kind, TensorContents) and isinstance(storage, AnyStorage)):
            raise TypeError(f"found {type(kind).__name__} and {type(storage).__name__} for its class and its storage")
        tensor = object.__new__(kind)
        tensor._on(storage, geometry_from_state(*parts), index(offset))
        tensor._pad = None if pad is None else np.frombuffer(bytes.fromhex(pad), storage.dtype).reshape(())[()]
        if tensor._geometry.padded and pad is None:
            raise ValueError("a padded tensor needs a pad value")
        return tensor
