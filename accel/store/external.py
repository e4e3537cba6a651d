"""`ExternalAllocation`: memory of the user to which stores are attached (Legate's)."""

from operator import index
from typing import Any, Self, SupportsIndex

import numpy as np

from accel.abc import external
from accel.abc.external import Deleter
from accel.device import Device, DeviceLike, required
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import ReadOnlyError, ReleasedError, StoreIndexError, StoreValueError
from accel.memory.any_storage import AnyStorage
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostArray, HostStorage
from accel.memory.owner import ForeignOwner
from accel.memory.sizes import as_pointer, as_size, in_words, refuse_misaligned
from accel.store.store_targets import Place, StoreTarget

__all__ = ["ExternalAllocation"]

_BYTE = as_dtype("uint8")
_CPU = Device.CPU


class ExternalAllocation:
    """Memory that was allocated elsewhere, to attach to a store (Legate's ``ExternalAllocation``).

    `create_sysmem`, `create_zcmem` and `create_fbmem` make one; ``create_store(dtype, shape, allocation=a)`` attaches
    it. Until `LogicalStore.detach`, the caller must not change memory that is attached read-only; accel never writes
    it. What tasks write to other memory is there when the host has waited for the task.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.store import ExternalAllocation
    >>> array = np.arange(3, dtype="int32")
    >>> allocation = ExternalAllocation.create_sysmem(array, read_only=False)
    >>> allocation.size, allocation.ptr == array.ctypes.data, allocation.target.name
    (12, True, 'SYSMEM')
    """

    __slots__ = ("_bytes", "_owner", "_place", "_ptr", "_size")
    _bytes: AnyStorage
    _owner: ForeignOwner
    _place: Place
    _ptr: int
    _size: int

    @classmethod
    def _on(cls, place: Place, memory: external.ExternalAllocation, ptr: int) -> Self:
        allocation = object.__new__(cls)
        kind = HostStorage if place.kind is not StoreTarget.FBMEM else DeviceStorage
        allocation._owner = ForeignOwner(heap_of(_CPU if kind is HostStorage else place.device), memory)
        # Until a store uses the memory, this object does: without it the deleter would not run.
        allocation._bytes = kind._on(allocation._owner, _BYTE, memory.nbytes)
        allocation._place, allocation._ptr, allocation._size = place, ptr, memory.nbytes
        return allocation

    @classmethod
    def create_sysmem(
        cls,
        ptr_or_buffer: Any,
        size: SupportsIndex | None = None,
        read_only: bool = True,
        deleter: Deleter | None = None,
    ) -> Self:
        """Return an allocation in memory of the host.

        Parameters
        ----------
        ptr_or_buffer : int or buffer
            The address, or an object with Python's buffer protocol, such as a contiguous NumPy array.
        size : int, optional
            Number of bytes; by default all of a buffer.
        read_only : bool
            Forbid writing to the memory.
        deleter : callable, optional
            Called once, without arguments, after the last use: when the attached stores are detached or gone, or when
            the allocation is gone and none was attached. What it raises is raised by `LogicalStore.detach`, or else
            reported as an exception that is ignored.

        Raises
        ------
        StoreValueError
            If the address is null, or the buffer is not contiguous or smaller than ``size``.
        ReadOnlyError
            If the buffer is read-only and ``read_only`` is False.
        TypeError
            If it is neither an address nor a buffer, if an address has no ``size``, or if the deleter cannot be called.
        """
        return cls._on_host(Place(StoreTarget.SYSMEM, _CPU), ptr_or_buffer, size, read_only, deleter)

    @classmethod
    def create_zcmem(
        cls,
        ptr_or_buffer: Any,
        size: SupportsIndex | None = None,
        read_only: bool = True,
        deleter: Deleter | None = None,
    ) -> Self:
        """Return an allocation in memory of the host that is pinned for a GPU; otherwise as `create_sysmem`.

        Parameters
        ----------
        ptr_or_buffer : int or object
            The address, or an object with a buffer.
        size : int, optional
            The bytes, if it is an address.
        read_only : bool, default True
            Whether writing is forbidden.
        deleter : Deleter, optional
            What is called when the memory is no longer used.

        Raises
        ------
        DeviceUnavailableError
            If there is no GPU; a RuntimeError.
        """
        return cls._on_host(Place(StoreTarget.ZCMEM, required("gpu")), ptr_or_buffer, size, read_only, deleter)

    @classmethod
    def create_fbmem(
        cls,
        device_id: SupportsIndex | DeviceLike,
        ptr_or_buffer: Any,
        size: SupportsIndex,
        read_only: bool = True,
        deleter: Deleter | None = None,
    ) -> Self:
        """Return an allocation in memory of an accelerator; otherwise as `create_sysmem`.

        Parameters
        ----------
        device_id : int or Device or str
            The number of a GPU, or a device.
        ptr_or_buffer : int or object
            The address, or a buffer of the library that the backend uses, such as a CuPy array.
        size : int
            Number of bytes.
        read_only : bool
            Forbid writing to the memory.
        deleter : callable, optional
            Called once, as for `create_sysmem`.

        Raises
        ------
        DeviceUnavailableError
            If there is no GPU; a RuntimeError.
        StoreIndexError
            If there are GPUs, but not that one; an IndexError.
        StoreValueError
            If the address is null, or the buffer is smaller than ``size``.
        ValueError
            If the device has no such memory.
        """
        device = _accelerator(device_id)
        nbytes = as_size(size, 1)
        native = None if _is_pointer(ptr_or_buffer) else ptr_or_buffer
        pointer = _address(ptr_or_buffer) if native is None else None
        # Adopted once without the deleter: memory that is refused stays the caller's.
        block = heap_of(device).backend.adopt(external.ExternalAllocation(nbytes, native, pointer))
        _refuse_too_small(block.nbytes, nbytes)
        memory = external.ExternalAllocation(nbytes, native, pointer, deleter=deleter, readonly=read_only)
        return cls._on(Place(StoreTarget.FBMEM, device), memory, block.pointer)

    @classmethod
    def _on_host(
        cls, place: Place, memory: Any, size: SupportsIndex | None, read_only: bool, deleter: Deleter | None
    ) -> Self:
        if _is_pointer(memory):
            if size is None:
                raise TypeError("an address does not say how much memory is there; write its number of bytes as size")
            array = _array_at(_address(memory), as_size(size, 1))
        else:
            whole = _bytes_of(memory, writable=not read_only)
            nbytes = whole.size if size is None else as_size(size, 1)
            _refuse_too_small(whole.size, nbytes)
            array = whole[:nbytes]
        allocation = external.ExternalAllocation(array.size, array, deleter=deleter, readonly=read_only)
        return cls._on(place, allocation, array.ctypes.data)

    @property
    def read_only(self) -> bool:
        """Whether writing is forbidden."""
        return self._owner.readonly

    @property
    def target(self) -> StoreTarget:
        """The kind of memory."""
        return self._place.kind

    @property
    def place(self) -> Place:
        """The kind of memory and its device."""
        return self._place

    @property
    def ptr(self) -> int:
        """Address of the first byte."""
        return self._ptr

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self._size

    def storage(self, dtype: DTypeLike, size: SupportsIndex | None = None) -> AnyStorage:
        """Return a counted handle on the memory, which becomes a use of it.

        Parameters
        ----------
        dtype : dtype_like
            Type of the elements.
        size : int, optional
            Number of elements; by default as many as fit.

        Raises
        ------
        StoreValueError
            If the allocation is too small.
        ValueError
            If the address is misaligned for the dtype.
        ReleasedError
            If the deleter has run.
        """
        element_type = as_dtype(dtype)
        count = self._size // element_type.itemsize if size is None else as_size(size, element_type.itemsize)
        _refuse_too_small(self._size, count * element_type.itemsize)
        refuse_misaligned(self._ptr, element_type)
        if self._owner.unused:
            raise ReleasedError(f"the deleter of this memory at {self._ptr:#x} has run; create another allocation")
        self._owner.add_handle()
        handle = type(self._bytes)._on(self._owner, element_type, count)
        if self._owner.external is not None and self._owner.external.deleter is not None:
            # From now on the stores are the uses; without a deleter, others may be attached after them.
            self._bytes.release()
        return handle

    def __repr__(self) -> str:
        mode = "read-only" if self.read_only else "mutable"
        return f"<ExternalAllocation of {in_words(self._size)} at {self._ptr:#x}, {self.target.name}, {mode}>"


def _is_pointer(memory: Any) -> bool:
    # Arrays of one element have __index__ too.
    is_array = hasattr(memory, "__array__") and not isinstance(memory, np.generic)
    return memory is None or (hasattr(memory, "__index__") and not is_array)


def _address(pointer: SupportsIndex | None) -> int:
    if pointer is None or index(pointer) == 0:
        raise StoreValueError("the pointer is null; give the address of memory that exists, or a buffer")
    return as_pointer(pointer)


def _array_at(address: int, nbytes: int) -> HostArray:
    """Return the bytes at an address of the host; `DeviceMismatchError` if they are in memory of an accelerator."""
    return HostStorage.on_pointer(address, nbytes, _BYTE).array


def _bytes_of(buffer: Any, *, writable: bool) -> HostArray:
    """Return the bytes of a buffer, without a copy."""
    try:
        array = np.asarray(buffer) if hasattr(buffer, "__array__") else np.frombuffer(buffer, _BYTE)
    except TypeError:
        raise TypeError(
            f"external memory is an address and a size, or a buffer; found {type(buffer).__name__}"
        ) from None
    except (ValueError, BufferError) as error:
        raise StoreValueError(f"the memory of this buffer cannot be attached: {error}") from None
    if not array.flags.c_contiguous:
        raise StoreValueError(
            f"an array of shape {array.shape} with strides {array.strides} has gaps or another order than C; "
            f"write numpy.ascontiguousarray(array)"
        )
    if writable and not array.flags.writeable:
        raise ReadOnlyError("this buffer is read-only; write read_only=True, or attach a copy of it")
    return array.reshape(-1).view(_BYTE)


def _refuse_too_small(available: int, needed: int) -> None:
    if available < needed:
        raise StoreValueError(f"{in_words(needed)} are asked for; the memory has {in_words(available)}")


def _accelerator(device: SupportsIndex | DeviceLike) -> Device:
    if isinstance(device, str):
        device = Device(device)
    gpu = device if isinstance(device, Device) else _numbered(index(device))
    if gpu is _CPU:
        raise StoreValueError("fbmem is memory of an accelerator; for memory of the host write create_sysmem")
    if not gpu.is_available() and Device(gpu.type).is_available():
        raise StoreIndexError(f"there is no {gpu}: {gpu.why_unavailable()}")
    return required(gpu)


def _numbered(number: int) -> Device:
    """Return a GPU by its number."""
    kind = required("gpu").type
    if not 0 <= number < _MOST_DEVICES:
        raise StoreIndexError(f"GPUs are numbered from 0; found {number}")
    return Device(f"{kind}:{number}")


_MOST_DEVICES = 10_000
"""Names of devices have at most four digits."""
