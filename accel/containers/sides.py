"""What a container offers of the side it is on: elements of the host, and addresses and handles of either."""

from abc import abstractmethod
from typing import Any, SupportsIndex

from accel.device import OnDevice
from accel.errors import DeviceMismatchError
from accel.memory.device_storage import DeviceStorage
from accel.memory.host_storage import HostStorage
from accel.memory.storages import AnyStorage
from accel.views import BufferView

__all__ = ["Sides"]


class Sides(OnDevice):
    """The members of a container that ask which side its memory is on; see `AcceleratorDataContainer`."""

    __slots__ = ()
    _storage: AnyStorage | None

    @property
    @abstractmethod
    def storage(self) -> AnyStorage:
        """The handle on the memory."""

    @property
    def pointer(self) -> int:
        """Address of the first element on its device; 0 where there are no bytes."""
        return 0 if self._storage is None else self._storage.pointer

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        """Return an element of host memory as a NumPy scalar; negative indices count from the end.

        A slice, which clips as Python's do, gives a `BufferView` of memory on any device.

        Raises
        ------
        BoundsError
            If there is no such element.
        ValueError
            If the slice has a step.
        DeviceMismatchError
            If it is an element of an accelerator's memory.
        """
        storage = self._storage
        if type(index) is slice:
            return self._view()[index]
        return (storage if type(storage) is HostStorage else self._on_host("its elements"))[index]

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        """Set an element of host memory, or those of a slice on any device.

        A slice takes one number for all of its elements, or as many values as it has, from a sequence, an array, a view
        or another container; they are cast exactly or not at all, and may lie in the same memory.

        Raises
        ------
        BoundsError
            If there is no such element.
        ValueError
            If there are more values than the slice has elements, or fewer; nothing is written.
        DTypeError, OverflowError
            If the dtype cannot hold a value; nothing is written.
        ReadOnlyError
            If the memory must not change.
        DeviceMismatchError
            If it is an element of an accelerator's memory.
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
            If they are not all there.
        DeviceMismatchError
            If the memory is an accelerator's.
        """
        return self._on_host("its elements").load(offset, width)

    def store(self, offset: SupportsIndex, values: Any) -> None:
        """Write one or more elements of host memory, all of them or none.

        Raises
        ------
        BoundsError
            If there is no room for all of them.
        DTypeError, OverflowError
            If the dtype cannot hold a value.
        ReadOnlyError, DeviceMismatchError
            If the memory must not change, or is an accelerator's.
        """
        self._on_host("its elements").store(offset, values)

    def offset(self, n: SupportsIndex) -> int:
        """Return the address of element ``n`` of host memory; ``n`` may be the size.

        Raises
        ------
        BoundsError
            If there is no such element.
        DeviceMismatchError
            If the memory is an accelerator's.
        """
        return self._on_host("offset").offset(n)

    def host_ptr(self) -> int:
        """Return the address of the first element of host memory; `DeviceMismatchError` for an accelerator's."""
        return self._on_host("host_ptr").pointer

    def device_ptr(self) -> int:
        """Return the address of the first element of an accelerator's memory; `DeviceMismatchError` for the host's."""
        return self._on_device("device_ptr").pointer

    def unsafe_ptr(self) -> int:
        """Return the address of the first element on whatever device it is."""
        return self.storage.pointer

    def host_buffer(self) -> HostStorage:
        """Return another handle on host memory, counted; `DeviceMismatchError` for an accelerator's."""
        return self._on_host("host_buffer").__copy__()

    def device_buffer(self) -> DeviceStorage:
        """Return another handle on an accelerator's memory, counted; `DeviceMismatchError` for the host's."""
        return self._on_device("device_buffer").__copy__()

    def _view(self) -> BufferView[Any]:
        return BufferView(self) if self._storage is None else BufferView.over(self._storage)

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
        raise DeviceMismatchError(
            f"{what} can be had on an accelerator only, and this memory is on cpu: "
            f"write c.to('gpu') for a container there, or c.unsafe_ptr()"
        )
