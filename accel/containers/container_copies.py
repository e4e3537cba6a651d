"""Copies of a container's elements, to and from other devices and NumPy; fills, and views."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self, SupportsIndex

import numpy as np

from accel import copies
from accel.abc.stream import Stream, is_stream
from accel.containers.access import ContainerAccess
from accel.copies import Progress, Transfer
from accel.device import DeviceLike, resolve
from accel.dtypes import DType, Scalar_co, as_dtype
from accel.errors import DTypeError
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.captures import ACTIVE, refuse_host_copy
from accel.memory.host_storage import HostArray, HostStorage

if TYPE_CHECKING:
    from accel.views import LayoutTensor

__all__ = ["ContainerCopies"]


class ContainerCopies(ContainerAccess[Scalar_co]):
    """Copies, fills and views of an `AcceleratorDataContainer`."""

    __slots__ = ()

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of elements."""

    @property
    @abstractmethod
    def dtype(self) -> DType:
        """Type of the elements."""

    @classmethod
    @abstractmethod
    def on(cls, storage: AnyStorage) -> Self:
        """Return the container on a storage."""

    @abstractmethod
    def __copy__(self) -> Self: ...

    @abstractmethod
    def _lent_storage(self) -> AnyStorage:
        """Return the storage, or an empty one for an empty container."""

    def to(self, device: DeviceLike, *, copy: bool | None = None, stream: Stream | None = None) -> Self:
        """Return a container with these elements on a device.

        Parameters
        ----------
        device : Device or str
            The target device.
        copy : bool, optional
            True: always copy. None: copy to another device; on the same device return another handle on the same
            memory. False: never copy.
        stream : Stream, optional
            The stream of the copy, which may still be in flight on return. Without a stream it is done on return.

        Raises
        ------
        ValueError
            If ``copy=False`` and the device is a different one.
        DeviceUnavailableError
            If the device is not available and ``fallback`` is ``raise``.
        """
        if device is None:  # elsewhere, None is the default device
            raise TypeError("to takes a device, as in c.to('cpu'); for the default one write c.to(Device.default())")
        if stream is not None and not is_stream(stream):
            raise TypeError(f"{stream!r} is not a stream; write stream=accel.new_stream({str(device)!r})")
        target = resolve(device)
        if target is self.device and not copy:
            return self.__copy__()
        if copy is False:
            raise ValueError(f"moving from {self.device} to {target} needs a copy; write copy=None")
        if self._storage is None:
            return type(self)()
        moved = allocate(target, self.size, self.dtype, stream)
        try:
            if stream is None:
                copies.copy_elements(moved, self._storage)
            else:
                copies.submit_copy(moved, self._storage, stream)
        except BaseException:
            moved.release()
            raise
        return self.on(moved)

    def to_numpy(self) -> HostArray:
        """Return the elements as a new 1-D NumPy array; ``numpy.asarray(c)`` shares host memory instead."""
        storage = self._storage
        if storage is None:
            return np.empty(0, self.dtype)
        array = np.empty(storage.size, storage.dtype)
        if not copies.downloaded(array, storage):
            if ACTIVE:
                refuse_host_copy(self.device)
            copies.copy_elements(HostStorage.on_array(array), storage)
        return array

    def from_numpy(self, array: HostArray) -> None:
        """Copy a NumPy array into this container, element by element in C order.

        Raises
        ------
        ValueError
            If the sizes differ.
        DTypeError
            If the dtypes differ.
        ReadOnlyError
            If the memory is read-only.
        """
        source, storage = array if type(array) is np.ndarray else np.asarray(array), self._storage
        alike = storage is not None and source.dtype is storage.dtype and source.size == storage.size
        if alike and source.flags.c_contiguous and copies.uploaded(storage, source):  # type: ignore[arg-type]
            return
        self._refuse_other(source.size, as_dtype(source.dtype), "array.astype({!r})")
        if storage is not None:
            copies.write(copies.all_of(storage), source)

    def copy_from(self, other: "ContainerCopies") -> None:
        """Copy the elements of another container, on any device, into this one.

        Raises
        ------
        ValueError
            If the sizes differ.
        DTypeError
            If the dtypes differ.
        ReadOnlyError
            If the memory is read-only.
        """
        into, out_of = self._storage, other._storage if type(other) is type(self) else None
        # Those of equal sizes and dtypes need no other check.
        if into is None or out_of is None or into.size != out_of.size or into.dtype is not out_of.dtype:
            self._refuse_source(other)
            into, out_of = self._lent_storage(), other._lent_storage()
        if not copies.copied_bytes(into, out_of):
            copies.copy_whole(into, out_of)

    def copy_from_async(
        self, other: "ContainerCopies", *, stream: Stream, progress: Progress | None = None
    ) -> Transfer:
        """Copy the elements of another container, on any device, into this one, on a stream.

        The copy starts after the pending work on both containers that it depends on, on any stream. Later uses of this
        container wait for the copy, and so do later writes to the other one.

        Parameters
        ----------
        other : AcceleratorDataContainer
            The source, of the same size and dtype.
        stream : Stream
            A stream of the device of either container.
        progress : callable, optional
            Called with the bytes copied so far and the total bytes, in the thread that waits.

        Returns
        -------
        Transfer
            An object to wait for, await or poll, with the times of the copy. It keeps the memory of both containers
            alive.

        Raises
        ------
        ValueError, DTypeError, ReadOnlyError
            As for `copy_from`.
        DeviceMismatchError
            If the stream is of another device.
        """
        into, out_of = self._storage, other._storage if type(other) is type(self) else None
        # Those of equal sizes and dtypes need no other check.
        if into is None or out_of is None or into.size != out_of.size or into.dtype is not out_of.dtype:
            self._refuse_source(other)
            into, out_of = self.storage, other.storage
        return copies.submit_copy(into, out_of, stream, progress)

    def _refuse_source(self, other: object) -> None:
        if not isinstance(other, ContainerCopies):
            raise TypeError(f"a container copies from a container; found {type(other).__name__}: write c[:] = x")
        self._refuse_other(other.size, other.dtype, "accel.container(x.to_numpy(), {!r})")

    def _refuse_other(self, size: int, dtype: DType, remedy: str) -> None:
        if dtype != self.dtype:
            name = self.dtype.name  # only here: NumPy computes it slowly
            raise DTypeError(f"{dtype.name} elements cannot be copied into {name}: write {remedy.format(name)}")
        if size != self.size:
            code = f"c[:{size}] = x" if size < self.size else f"c[:] = x[:{self.size}]"
            raise ValueError(f"{size} elements cannot be copied into {self.size}: for a part write {code}")

    def fill(self, value: Any) -> None:
        """Set every element to one value.

        Raises
        ------
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ReadOnlyError
            If the memory is read-only.
        """
        storage = self._storage
        item = copies.item_of(value, self.dtype if storage is None else storage.dtype, "write c[:] = values")
        if storage is not None and not copies.filled(storage, item):
            copies.fill_with(copies.all_of(storage), item)

    def view(self, layout: Any, offset: SupportsIndex = 0) -> "LayoutTensor[Scalar_co]":
        """Return a tensor on this memory, with a layout; ``offset`` is in elements.

        Raises
        ------
        BoundsError
            If the layout exceeds the memory.
        """
        from accel.views import LayoutTensor  # here, because few programs of arrays need views

        return LayoutTensor(self, layout, offset)
