"""`DeviceStorage`: memory of an accelerator, which the host cannot read."""

from typing import Any, ClassVar, SupportsIndex, overload
from weakref import WeakValueDictionary

import numpy as np

from accel.abc.external import ExternalAllocation
from accel.device import Device, DeviceLike, required, resolve
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import DeviceMismatchError
from accel.memory.byte_copies import copy_elements
from accel.memory.consumer_streams import lend_to_any_stream
from accel.memory.heap import Heap, heap_of
from accel.memory.host_storage import HostStorage, is_pointer_form
from accel.memory.owner import ForeignOwner, Owner
from accel.memory.pickling import Contents, contents_of, state_of
from accel.memory.sizes import as_size
from accel.memory.storage import Storage

__all__ = ["DeviceStorage", "unpickled_device_storage"]


class DeviceStorage(Storage):
    """Counted, typed memory of an accelerator (NuMojo's ``DeviceStorage``).

    ``DeviceStorage(size, device, dtype)`` allocates. ``DeviceStorage(buffer, size)`` takes over a buffer that the
    backend's library made, and counts its handles as for memory that accel allocated. If the buffer is the result of
    `get_buffer`, this makes another handle on the same memory.

    Parameters
    ----------
    size : int
        Number of elements.
    device : Device or str
        An accelerator of this machine; for a buffer, the device it was made on.
    dtype : dtype_like
        Type of the elements.
    buffer : object
        A buffer of the backend's library.

    Raises
    ------
    DeviceUnavailableError
        If the device is not here; there is no fallback, because host memory needs a `HostStorage`.
    DeviceMismatchError
        If the device is the CPU, or not that of the buffer.
    """

    __slots__ = ()
    _name: ClassVar[str] = "DeviceStorage"

    @overload
    def __init__(self, size: SupportsIndex, device: DeviceLike = "gpu", dtype: DTypeLike = "float64") -> None: ...
    @overload
    def __init__(
        self, buffer: object, size: SupportsIndex, device: DeviceLike = "gpu", dtype: DTypeLike = "float64"
    ) -> None: ...
    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        # The first argument does not tell the forms apart: arrays of NumPy and CuPy have __index__, as numbers do.
        adopts = "buffer" in keywords or is_pointer_form(arguments, keywords)
        make = DeviceStorage.on_buffer if adopts else DeviceStorage.new
        self._move_from(make(*arguments, **keywords))

    @classmethod
    def new(cls, size: SupportsIndex, device: DeviceLike = "gpu", dtype: DTypeLike = "float64") -> "DeviceStorage":
        """Allocate managed memory.

        Parameters
        ----------
        size : int
            The number of elements.
        device : Device or str, default "gpu"
            The device.
        dtype : dtype_like, default "float64"
            The dtype of the elements.
        """
        element_type = as_dtype(dtype)
        return cls.allocated(heap_of(_accelerator(device)), as_size(size, element_type.itemsize), element_type)

    @classmethod
    def on_buffer(
        cls, buffer: object, size: SupportsIndex, device: DeviceLike = "gpu", dtype: DTypeLike = "float64"
    ) -> "DeviceStorage":
        """Take over a buffer that the backend's library made.

        Parameters
        ----------
        buffer : object
            The buffer.
        size : int
            The number of elements.
        device : Device or str, default "gpu"
            The device.
        dtype : dtype_like, default "float64"
            The dtype of the elements.

        Raises
        ------
        ValueError
            If the buffer has fewer bytes than the elements need.
        """
        element_type = as_dtype(dtype)
        count = as_size(size, element_type.itemsize)
        nbytes = count * element_type.itemsize
        storage = cls._on(_owner_of(buffer, heap_of(_accelerator(device)), nbytes), element_type, count)
        available = storage.owner.block.nbytes
        if available < nbytes:
            storage.release()
            raise ValueError(f"{count} elements of {element_type.name} need {nbytes} bytes; the buffer has {available}")
        return storage

    def lend_native(self) -> Any:
        """Return an array of the backend's library on the elements that keeps the bytes alive; there are some.

        There is one array for each handle; callers must not change it.
        """
        native = self._array
        if native is None:
            backend: Any = self.owner.heap.backend
            native = backend.array(self.__accel_operand__(), self.keep_alive())
            # No call between the two, as in `lend`.
            if self._owner is not None:
                self._array = native
        return native

    def get_buffer(self) -> Any:
        """Return the buffer of the backend's library that holds the bytes, once any stream may use them."""
        lend_to_any_stream(self)
        owner = self.owner
        buffer = owner.block.native
        previous = _buffer_owner(buffer)
        if owner.block.nbytes and (previous is None or not previous.counted):  # a counted owner is the one that frees
            _buffer_owners[id(buffer)] = owner
        return buffer

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        elements = np.empty(self.nbytes, np.uint8)
        copy_elements(HostStorage.on_array(elements), self)
        state = state_of(Contents(self.device, self.dtype, self.size, elements), protocol.__index__())
        return unpickled_device_storage, state


def unpickled_device_storage(*state: object) -> HostStorage | DeviceStorage:
    """Return managed memory with pickled elements, on their device or, by the fallback policy, another.

    Raises
    ------
    FormatError
        If a newer release wrote the state, or it is inconsistent.
    DeviceUnavailableError
        If the device is not here and ``fallback`` is ``raise``.
    """
    device, dtype, size, elements = contents_of(state)
    here = resolve(device)
    storage = HostStorage.new(size, dtype) if here is Device.CPU else DeviceStorage.new(size, here, dtype)
    copy_elements(storage, HostStorage.on_array(elements))
    return storage


# The owners of the buffers that `get_buffer` returned. By identity: not all buffers support weak references.
_buffer_owners: WeakValueDictionary[int, Owner] = WeakValueDictionary()


def _buffer_owner(buffer: object) -> Owner | None:
    owner = _buffer_owners.get(id(buffer))
    return owner if owner is not None and owner.allocation is not None and owner.allocation.native is buffer else None


def _owner_of(buffer: object, heap: Heap, nbytes: int) -> Owner:
    """Return the owner of a buffer, with one handle more; a new owner for a buffer of another library."""
    owner = _buffer_owner(buffer)
    if owner is None:
        return ForeignOwner(heap, ExternalAllocation(nbytes, native=buffer), counted=True)
    if owner.heap is not heap:
        here = owner.heap.device
        raise DeviceMismatchError(f"this buffer is memory of {here}, not of {heap.device}; write device={str(here)!r}")
    owner.add_handle()
    return owner


def _accelerator(device: DeviceLike) -> Device:
    accelerator = required(device)
    if accelerator is Device.CPU:
        raise DeviceMismatchError("a DeviceStorage is memory of an accelerator; for the CPU write HostStorage(size)")
    return accelerator
