"""`AcceleratorDataContainer`: typed memory on any device (NuMojo's container)."""

import builtins
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload

import numpy as np

from accel.abc.operand import Operand
from accel.containers.container_copies import ContainerCopies
from accel.device import KNOWN_DEVICES, Device, DeviceLike, resolve
from accel.dtypes import KNOWN, DType, DTypeLike, Scalar_co, as_dtype
from accel.errors import DeviceMismatchError, DTypeError, reading_pickled
from accel.interchange.export import Interchange
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import KNOWN_HEAPS
from accel.memory.host_storage import HostArray, HostStorage, dtype_there, is_pointer_form
from accel.memory.sizes import MOST_BYTES, as_size
from accel.memory.storage import Ownership
from accel.memory.writer import Writer, write_text
from accel.support.foreign_names import of_container

__all__ = ["AcceleratorDataContainer", "new_storage"]

_ARRAY_ADVICE = "a container is flat; for an array write accel.xp.zeros(shape)"
"""The advice in errors about a shape that is passed as a size."""

_CPU = Device.CPU
_EMPTY_DTYPE = as_dtype("float64")


class AcceleratorDataContainer(ContainerCopies[Scalar_co], Interchange):
    """Typed, flat memory on one device, in a `HostStorage` or a `DeviceStorage`.

    ``AcceleratorDataContainer(size, dtype, device)`` allocates; without a size the container is empty.
    ``AcceleratorDataContainer(ptr, size, dtype)`` wraps external host memory, or copies it with ``copy=True``.

    Parameters
    ----------
    size : int, optional
        Number of elements.
    dtype : dtype_like
        Type of the elements; required with a pointer.
    device : Device or str
        The device of the memory.
    ptr : int
        Address of the first element, on the host.
    copy : bool
        Copy into new memory instead of wrapping.
    deleter : callable, optional
        Called once after the last use of the wrapped memory.
    readonly : bool
        Forbid writing to the wrapped memory.

    Raises
    ------
    ValueError
        If the size is negative, a boolean or overflows, the pointer is null or misaligned, or there is no such device.
    DeviceMismatchError
        If the address is in the memory of an accelerator.
    DTypeError
        If the elements are neither numbers nor booleans.
    DeviceUnavailableError
        If the device is not here and ``fallback`` is ``raise``.
    OutOfMemoryError
        If there is not enough memory.

    Examples
    --------
    >>> import accel
    >>> c = accel.AcceleratorDataContainer(3, "float32")
    >>> c.fill(1.5)
    >>> c[2], len(c), c.nbytes, str(c)
    (np.float32(1.5), 3, 12, 'AcceleratorDataContainer(cpu, HostStorage(managed, size=3, refcount=1))')
    """

    __slots__ = ("__weakref__", "_storage")
    _storage: AnyStorage | None

    @overload
    def __init__(
        self,
        size: SupportsIndex | None = None,
        dtype: DTypeLike = "float64",
        device: DeviceLike = Device.CPU,
    ) -> None: ...
    @overload
    def __init__(
        self,
        ptr: SupportsIndex,
        size: SupportsIndex,
        dtype: DTypeLike,
        *,
        copy: bool = False,
        deleter: Any = None,
        readonly: bool = False,
    ) -> None: ...
    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        make = _pointer_form if is_pointer_form(arguments, keywords) else _size_form
        self._storage = make(*arguments, **keywords)

    @classmethod
    def on(cls, storage: AnyStorage) -> Self:
        """Return a container that takes over a handle.

        Parameters
        ----------
        storage : HostStorage or DeviceStorage
            The handle; its memory is released with the container.
        """
        container = object.__new__(cls)
        container._storage = storage
        return container

    # Properties

    @property
    def storage(self) -> AnyStorage:
        """The handle of this container on the memory; not a new one.

        Raises
        ------
        RuntimeError
            If the container is empty.
        """
        if self._storage is None:
            raise RuntimeError("the container is empty: it has no storage; give it a size, as in accel.empty(5)")
        return self._storage

    @property
    def host_storage(self) -> HostStorage | None:
        """The storage if it is on the host, else None."""
        return self._storage if isinstance(self._storage, HostStorage) else None

    @property
    def device_storage(self) -> DeviceStorage | None:
        """The storage if it is on an accelerator, else None."""
        return self._storage if isinstance(self._storage, DeviceStorage) else None

    @property
    def size(self) -> int:
        """Number of elements."""
        return 0 if self._storage is None else self._storage.size

    def __len__(self) -> int:
        return self.size

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return 0 if self._storage is None else self._storage.nbytes

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return _EMPTY_DTYPE if self._storage is None else self._storage.dtype

    @property
    def device(self) -> Device:
        """The device of the memory; the CPU for an empty container."""
        return Device.CPU if self._storage is None else self._storage.device

    @property
    def ownership(self) -> Ownership:
        """Whether the memory is managed or external."""
        return Ownership.MANAGED if self._storage is None else self._storage.ownership

    @property
    def ref_count(self) -> int:
        """Number of handles on the memory; 0 for external memory and for an empty container."""
        return 0 if self._storage is None else self._storage.ref_count

    @property
    def readonly(self) -> bool:
        """Whether writing is forbidden."""
        return self._storage is not None and self._storage.readonly

    def __str__(self) -> str:
        if self._storage is None:
            content = "cpu, empty"
        elif isinstance(self._storage, HostStorage):
            content = f"cpu, {self._storage}"
        elif self._storage.released:
            content = str(self._storage)
        else:
            content = f"{self.device}, size={self.size}"
        return f"{type(self).__name__}({content})"

    def __repr__(self) -> str:
        name = type(self).__name__
        about = f"size={self.size}, dtype={self.dtype.name}"
        if self._storage is not None and self._storage.released:
            return f"{name}(released, {about})"
        return f"{name}({self._view().values_as_text(f'{name}(')}, {about}, device={self.device})"

    def _repr_html_(self) -> str:
        from accel.pictures.html import card, counted, preformatted

        name, about = type(self).__name__, f"size {self.size}, dtype {self.dtype.name}"
        if self._storage is not None and self._storage.released:
            return card(name, f"released, {about}")
        owned = f"{self.ownership.value}, {counted(self.ref_count, 'handle')}{', read-only' * self.readonly}"
        about = f"{about}, device {self.device}, {self.nbytes:,} bytes, {owned}"
        return card(name, about, preformatted(self._view().values_as_text("")))

    if not TYPE_CHECKING:  # or type checkers accept every name

        def __getattr__(self, name: str) -> Any:
            """Raise the AttributeError, with what to write."""
            if name.startswith("_"):
                return object.__getattribute__(self, name)  # a property may have failed, whose error says more
            advice = of_container(name, vars(np.ndarray))
            message = f"{type(self).__name__!r} object has no attribute {name!r}{advice}"
            raise AttributeError(message, name=name, obj=self)

    def write_to(self, file: Writer) -> None:
        """Write ``str(self)`` to a file or any other writer.

        Parameters
        ----------
        file : writer
            Anything with a method ``write``.
        """
        write_text(file, str(self))

    # Handles

    def share(self) -> Self:
        """Return another container on the same memory, with a handle of its own, counted.

        Raises
        ------
        RuntimeError
            If the container is empty, or the memory external.
        """
        return self.on(self.storage.share())

    def __copy__(self) -> Self:
        if self._storage is None:
            return type(self)()
        return self.on(self._storage.__copy__())

    def deep_copy(self) -> Self:
        """Return a copy: a container with new memory and the same elements, on the same device."""
        if self._storage is None:
            return type(self)()
        return self.on(self._storage.deep_copy())

    def copy(self) -> Self:
        """Return a container with new memory and the same elements: a `deep_copy`, as ``copy`` of NumPy arrays is.

        For another handle on the same memory write ``copy.copy(c)``, or ``c.share()``.
        """
        return self.deep_copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.deep_copy()

    def release(self) -> None:
        """Release the memory; doing so again is harmless. Every later use raises `ReleasedError`."""
        if self._storage is not None:
            self._storage.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self), self._storage)

    def memoryview(self) -> builtins.memoryview:
        """Return a memoryview of host memory that keeps the memory alive; ``memoryview(c)`` works from Python 3.12.

        Raises
        ------
        DeviceMismatchError
            If the memory is that of an accelerator.
        DTypeError
            If the buffer protocol has no format for the dtype, as for bfloat16.
        """
        return self._on_host("memoryview").memoryview()

    def __buffer__(self, flags: int, /) -> builtins.memoryview:
        return self.memoryview()

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        if self._storage is None:
            return np.empty(0, dtype or self.dtype)
        return self._on_host("a NumPy array that shares it").__array__(dtype, copy)

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        return self._lent_storage().__accel_operand__()

    def _lent_storage(self) -> AnyStorage:
        return HostStorage.new(0, self.dtype) if self._storage is None else self._storage

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        return storage.lend()  # type: ignore[no-any-return]

    def _lent_copy(self, device: Device) -> Self:
        return self.to(device, copy=True)


def _unpickled(*state: Any) -> AcceleratorDataContainer:
    with reading_pickled("container"):
        kind, storage = state
        if not (isinstance(kind, type) and issubclass(kind, AcceleratorDataContainer)):
            raise TypeError(f"found {type(kind).__name__} for its class")
        if not isinstance(storage, AnyStorage | None):
            raise TypeError(f"found {type(storage).__name__} for its storage")
        return kind() if storage is None else kind.on(storage)


def new_storage(
    size: SupportsIndex, dtype: DTypeLike, device: DeviceLike | None, *, cleared: bool = False
) -> AnyStorage:
    """Return the storage of a new container: uninitialised, or cleared."""
    try:  # as `as_dtype` and `resolve`, without the calls
        element_type = KNOWN[dtype]
        target = KNOWN_DEVICES[device]
    except (KeyError, TypeError):
        element_type, target = _dtype_of(size, dtype), resolve(device)
    itemsize = element_type.itemsize
    if type(size) is not int or not 0 <= size * itemsize <= MOST_BYTES:
        size = as_size(size, itemsize, _ARRAY_ADVICE)
    heap = KNOWN_HEAPS.get(target)
    if cleared or heap is None:
        return allocate(target, size, element_type, cleared=cleared)
    return (HostStorage if target is _CPU else DeviceStorage).allocated(heap, size, element_type)


def _dtype_of(size: SupportsIndex, dtype: DTypeLike) -> DType:
    try:
        return as_dtype(dtype)
    except DTypeError:
        second: object = dtype
        if isinstance(second, int):
            raise DTypeError(
                f"a container has one extent, and the dtype follows it; found {dtype!r}: for an array of more "
                f"dimensions write accel.xp.zeros(({size}, {dtype}))"
            ) from None
        raise


def _size_form(
    size: SupportsIndex | None = None, dtype: DTypeLike = "float64", device: DeviceLike = Device.CPU
) -> AnyStorage | None:
    if size is not None:
        return new_storage(size, dtype, device)
    element_type = as_dtype(dtype)
    resolve(device)  # refuses what is no device
    if element_type != _EMPTY_DTYPE:
        name = element_type.name
        raise ValueError(f"a container without a size is empty and of float64: write size=0 for one of {name}")
    return None


def _pointer_form(
    ptr: SupportsIndex,
    size: SupportsIndex,
    dtype: DTypeLike | None = None,
    *unnamed: object,
    device: DeviceLike = Device.CPU,
    copy: bool = False,
    deleter: Any = None,
    readonly: bool = False,
) -> AnyStorage:
    if resolve(device) is not Device.CPU:
        raise DeviceMismatchError(
            f"a pointer is an address of the cpu; for a buffer of {device} write "
            f"DeviceStorage(buffer, size, {str(device)!r}, dtype)"
        )
    element_type = dtype_there(dtype, unnamed, AcceleratorDataContainer.__name__)
    return HostStorage.on_pointer(ptr, size, element_type, copy=copy, deleter=deleter, readonly=readonly)


# The name in Python's own TypeError about missing or unexpected arguments.
_size_form.__qualname__ = _pointer_form.__qualname__ = AcceleratorDataContainer.__qualname__
