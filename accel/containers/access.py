"""Access to the memory of a container: elements, addresses and handles, of the host or of an accelerator."""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, overload

from accel.device import Device, OnDevice
from accel.dtypes import Scalar_co
from accel.errors import DeviceMismatchError
from accel.memory.any_storage import AnyStorage
from accel.memory.device_storage import DeviceStorage
from accel.memory.host_storage import HostStorage

if TYPE_CHECKING:
    from accel.views import BufferView

__all__ = ["ContainerAccess"]


class ContainerAccess(OnDevice, Generic[Scalar_co]):
    """Elements, addresses and handles of an `AcceleratorDataContainer`; many need memory of the host."""

    __slots__ = ()
    _storage: AnyStorage | None

    if TYPE_CHECKING:

        def __iter__(self) -> Iterator[Scalar_co]: ...  # Python iterates by `__getitem__` and `__len__`

    @property
    @abstractmethod
    def storage(self) -> AnyStorage:
        """The handle on the memory."""

    @property
    def pointer(self) -> int:
        """Address of the first element on its device; 0 if there are no bytes."""
        return 0 if self._storage is None else self._storage.pointer

    @overload
    def __getitem__(self, index: SupportsIndex) -> Scalar_co: ...
    @overload
    def __getitem__(self, index: slice) -> "BufferView[Scalar_co]": ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        """Return an element of host memory as a NumPy scalar; negative indices count from the end.

        A slice gives a `BufferView`, on any device; its bounds are clipped as for Python's sequences.

        Raises
        ------
        BoundsError
            If there is no such element.
        ValueError
            If the slice has a step.
        DeviceMismatchError
            If the element is in the memory of an accelerator.
        """
        storage = self._storage
        if type(index) is slice:
            return self._view()[index]
        return (storage if type(storage) is HostStorage else self._on_host("its elements"))[index]

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        """Set an element of host memory, or the elements of a slice on any device.

        A slice takes one number for all its elements, or as many values as it has elements, from a sequence, an array,
        a view or another container. Casts are exact, or raise an error. The values may overlap the slice in memory.

        Raises
        ------
        BoundsError
            If there is no such element.
        ValueError
            If the number of values is not that of the elements; nothing is written.
        DTypeError, OverflowError
            If the dtype cannot hold a value; nothing is written.
        ReadOnlyError
            If the memory is read-only.
        DeviceMismatchError
            If the element is in the memory of an accelerator.
        """
        if type(index) is slice:
            self._view()[index] = value
        else:
            self._on_host("its elements")[index] = value

    def load(self, offset: SupportsIndex, width: SupportsIndex = 1) -> Any:
        """Return ``width`` elements of host memory: a NumPy scalar for 1, else a new 1-D array.

        Raises
        ------
        BoundsError
            If they are not all inside the container.
        DeviceMismatchError
            If the memory is that of an accelerator.
        """
        return self._on_host("its elements").load(offset, width)

    def store(self, offset: SupportsIndex, values: Any) -> None:
        """Write one or more elements of host memory: all of them, or none on an error.

        Raises
        ------
        BoundsError
            If they are not all inside the container.
        DTypeError, OverflowError
            If the dtype cannot hold a value.
        ReadOnlyError, DeviceMismatchError
            If the memory is read-only, or is that of an accelerator.
        """
        self._on_host("its elements").store(offset, values)

    def offset(self, n: SupportsIndex) -> int:
        """Return the address of element ``n`` of host memory; ``n`` may be the size.

        Raises
        ------
        BoundsError
            If there is no such element.
        DeviceMismatchError
            If the memory is that of an accelerator.
        """
        return self._on_host("offset").offset(n)

    def host_ptr(self) -> int:
        """Return the address of the first element of host memory; `DeviceMismatchError` for an accelerator's."""
        return self._on_host("host_ptr").pointer

    def device_ptr(self) -> int:
        """Return the address of the first element of an accelerator's memory; `DeviceMismatchError` for the host's."""
        return self._on_device("device_ptr").pointer

    def unsafe_ptr(self) -> int:
        """Return the address of the first element, on any device."""
        return self.storage.pointer

    def host_buffer(self) -> HostStorage:
        """Return another handle on host memory, counted; `DeviceMismatchError` for an accelerator's."""
        return self._on_host("host_buffer").__copy__()

    def device_buffer(self) -> DeviceStorage:
        """Return another handle on an accelerator's memory, counted; `DeviceMismatchError` for the host's."""
        return self._on_device("device_buffer").__copy__()

    def _view(self) -> "BufferView[Any]":
        view = _buffer_view()
        return view(self) if self._storage is None else view.over(self._storage)

    def _on_host(self, what: str) -> HostStorage:
        storage = self.storage
        if isinstance(storage, HostStorage):
            return storage
        raise DeviceMismatchError(
            f"{what} can be had on the cpu only, and this memory is on {storage.device}: "
            f"write c.to('cpu') for a container there, or c.to_numpy()"
        )

    def _on_device(self, what: str) -> DeviceStorage:
        storage = self.storage
        if isinstance(storage, DeviceStorage):
            return storage
        there = next((device for device in Device.available() if device.is_gpu), "gpu")
        raise DeviceMismatchError(
            f"{what} can be had on an accelerator only, and this memory is on cpu: "
            f"write c.to({str(there)!r}) for a container there, or c.unsafe_ptr()"
        )


@cache
def _buffer_view() -> "type[BufferView[Any]]":
    # Views take a third of the time of importing containers, and few programs of arrays need them.
    from accel.views import BufferView

    return BufferView
