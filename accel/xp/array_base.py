"""`ArrayBase`: the fields of an array, its attributes, and the storage under it."""

from abc import abstractmethod
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from accel.abc import Operand
from accel.device import Device, DeviceLike
from accel.dtypes import DType, DTypeLike
from accel.interchange import Interchange
from accel.memory import AnyStorage
from accel.memory.host_arrays import export
from accel.memory.stream_order import follows
from accel.xp import array_storage
from accel.xp.array_library import HOST_SCALARS, ArrayLibrary
from accel.xp.array_storage import SharedStorage
from accel.xp.device_flags import DeviceFlags

if TYPE_CHECKING:
    from accel.containers import AcceleratorDataContainer

__all__ = ["ArrayBase", "in_memory", "is_number", "leads", "live", "moved", "new_array", "shared_of", "view_of"]


def _of_native(name: str, doc: str) -> Any:
    """Make a property that is the library's attribute of the same name."""
    return property(attrgetter(f"_native.{name}"), doc=doc)


class ArrayBase(Interchange):
    """The abstract base of `Array`: its fields, attributes, storage and container."""

    # _native: the library's array; on the host also a scalar of NumPy, until something needs its memory (`in_memory`).
    # _library: the library of its device.
    # _shared: the record that the array shares with its views; None until a view or a storage is made.
    # _origin: the operator that computed the array, if `accel.xp.large_operators` needs to know it; else not set.
    __slots__ = ("__weakref__", "_library", "_native", "_origin", "_shared")
    _native: Any
    _library: ArrayLibrary
    _shared: SharedStorage | None
    _origin: tuple[int, int]

    # Without a frame of Python: these are asked for more often than elements.
    dtype: DType = _of_native("dtype", "Type of the elements.")
    shape: tuple[int, ...] = _of_native("shape", "Extent of each axis.")
    ndim: int = _of_native("ndim", "Number of axes.")
    size: int = _of_native("size", "Number of elements.")
    nbytes: int = _of_native("nbytes", "Size of the elements in bytes.")

    @property
    def device(self) -> Device:
        """The device on which the elements are."""
        return self._library.device

    @property
    def flags(self) -> Any:
        """Whether the elements are contiguous, aligned and writable, as NumPy's ``flags`` say it.

        ``x.flags.writeable = False`` makes the array, and views that are made of it later, read-only.
        """
        if self._library.device is Device.CPU:
            return in_memory(self).flags
        return DeviceFlags(self)

    @property
    def storage(self) -> AnyStorage:
        """The storage of the allocation under this array, which may be larger than the array."""
        if self._library.lend is not None:
            return self._library.lend(attrgetter("storage"), self)  # type: ignore[no-any-return]
        shared, library = shared_of(self), self._library
        handle = shared.handle
        if handle is None:
            storage = array_storage.storage_of(library, in_memory(self), readonly=shared.readonly)
            array_storage.register(library, self._native, shared)
            # No call between these: another thread may have been first.
            if shared.handle is None:
                shared.handle = storage
            handle = shared.handle
        return shared.handle_as(handle, self.dtype)

    def container(self) -> "AcceleratorDataContainer":
        """Return a container on this array's memory, without a copy.

        Raises
        ------
        LayoutError
            If the elements are not contiguous in C order.
        """
        from accel.containers import AcceleratorDataContainer

        if self._library.lend is not None:
            return self._library.lend(methodcaller("container"), self)  # type: ignore[no-any-return]
        storage = self.storage
        return AcceleratorDataContainer.on(array_storage.window(self._library, self._native, storage))

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        if self._library.lend is not None:
            return self._library.lend(methodcaller("__accel_operand__"), self)  # type: ignore[no-any-return]
        storage = self.storage
        return array_storage.operand(self._library, self._native, storage)

    @staticmethod
    @abstractmethod
    def _wrap(library: ArrayLibrary, result: Any, *sources: object) -> Any:
        """Make an array of a result of the library; a view of one of the sources shares that source's storage."""

    @abstractmethod
    def to_device(self, device: DeviceLike, /) -> Self:
        """Return this array on a device: the array itself if it is there already, else a copy."""

    @abstractmethod
    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any: ...

    @abstractmethod
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, DType]: ...

    @abstractmethod
    def __getitem__(self, key: Any, /) -> Self: ...

    @abstractmethod
    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    @abstractmethod
    def __copy__(self) -> Self: ...

    def _lent_storage(self) -> AnyStorage:
        return self.storage

    def _lent_array(self, storage: AnyStorage) -> np.ndarray[Any, DType]:
        if self._library.device is Device.CPU:
            return self._native  # type: ignore[no-any-return]
        return export(self.__accel_operand__(), storage.keep_alive())


def live(x: ArrayBase, *, writing: bool = False) -> Any:
    """Return the library's array, once no pending work conflicts with reading it, or with writing it.

    The host waits for that, if the stream on which the library computes does not do the work in this order anyway.

    Raises
    ------
    ReleasedError
        If the memory was released.
    """
    shared = x._shared
    if shared is not None and (handle := shared.handle) is not None:
        stream = x._library.stream
        if stream is None or not follows(handle, stream(), writing=writing):
            handle.settle(writing=writing)
    native = x._native
    return native if type(native) is x._library.array_type else in_memory(x)


def in_memory(x: ArrayBase) -> Any:
    """Return the library's array; if NumPy returned a scalar, this makes an array of it, which has memory.

    NumPy computes with scalars several times faster than with its arrays of no axes. So the results of reductions and
    of indexing stay scalars, until they are written to, or until something else uses their memory. Of an array that
    has a scalar there is no view and no storage.
    """
    native = x._native
    if type(native) in HOST_SCALARS:
        array = np.asarray(native)
        # No call between the two: another thread may have been first.
        if x._native is native:
            x._native = array
    return x._native


def is_number(x: ArrayBase) -> bool:
    """Tell whether an array is a number for arrays of other devices: one of no axes on the host."""
    return not x.ndim and x._library.device is Device.CPU and x._library.capture is None


def leads(x: ArrayBase, other: ArrayBase) -> bool:
    """Tell whether an array of another library is moved to the library of ``x``, and not the other way round."""
    return is_number(other) or x._library.capture is not None


def moved(library: ArrayLibrary, x: ArrayBase) -> Any:
    """Return an array of another device as an operand on this one: a number, which is passed by value, with its dtype.

    Raises
    ------
    DeviceMismatchError
        If it is no number.
    """
    if library.capture is not None:
        return library.capture(x)
    if not is_number(x):
        library.refuse(x._library)
    return x._wrap(library, library.as_array(live(x).item(), dtype=x.dtype))


def shared_of(x: ArrayBase) -> SharedStorage:
    """Return the record that an array shares with its views; make it if there is none."""
    shared = x._shared
    if shared is None:
        in_memory(x)
        shared = SharedStorage()
        # No call between the two: another thread may have been first.
        if x._shared is None:
            x._shared = shared
        shared = x._shared
    return shared


def new_array(x: ArrayBase, result: Any) -> Any:
    """Make an array of new memory of the library, on the device of another array."""
    array = type(x)()
    array._native = result
    array._library = x._library
    array._shared = None
    return array


def view_of(x: ArrayBase, view: Any) -> Any:
    """Make an array of the library's view of an array; it shares that array's storage."""
    array = type(x)()
    array._native = view
    array._library = x._library
    array._shared = x._shared or shared_of(x)
    return array
