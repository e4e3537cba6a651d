"""`AcceleratorDataContainer`: one owner of typed memory, wherever it is (NuMojo's container)."""

import builtins
from typing import Any, Self, SupportsIndex, overload

import numpy as np

from accel.abc.operand import Operand
from accel.containers.contents import Contents
from accel.device import Device, DeviceLike, resolve
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DeviceMismatchError, reading_pickled
from accel.interchange.export import Interchange
from accel.memory.device_storage import DeviceStorage
from accel.memory.host_storage import HostArray, HostStorage, dtype_there, is_pointer_form
from accel.memory.sizes import as_size
from accel.memory.storage import Ownership, Writer
from accel.memory.storages import AnyStorage, allocate

__all__ = ["ARRAY_ADVICE", "AcceleratorDataContainer"]

ARRAY_ADVICE = "a container is flat; for an array write accel.xp.zeros(shape)"
"""What to say to somebody who gives a shape for a size."""

_EMPTY_DTYPE = as_dtype("float64")


class AcceleratorDataContainer(Contents, Interchange):
    """Typed, flat memory on one device, in a `HostStorage` or a `DeviceStorage`.

    ``AcceleratorDataContainer(size, dtype, device)`` allocates; without a size it is empty and allocates nothing.
    ``AcceleratorDataContainer(ptr, size, dtype)`` looks at host memory made elsewhere, or with ``copy=True`` copies it.

    Parameters
    ----------
    size : int, optional
        Number of elements.
    dtype : dtype_like
        Type of the elements; without a default where there is a pointer, for an address does not say what is there.
    device : Device or str
        Where the memory is.
    ptr : int
        Address of the first element, on the host.
    copy : bool
        Make memory of its own instead of looking.
    deleter : callable, optional
        Called once after the last use of memory looked at.
    readonly : bool
        Forbid writing to memory looked at.

    Raises
    ------
    ValueError
        If the size is negative, a boolean or overflows, the pointer is null or misaligned, or the device unknown.
    DeviceMismatchError
        If the pointer is that of memory of a device, which the host cannot read.
    DTypeError
        If the dtype is not one of a number or a boolean.
    DeviceUnavailableError
        If the device is not here and ``fallback`` is ``raise``.
    OutOfMemoryError
        If the memory cannot be had.

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
        """Return a container that takes over a handle."""
        made = object.__new__(cls)
        made._storage = storage
        return made

    # What it is

    @property
    def storage(self) -> AnyStorage:
        """The handle on the memory, of this container and not counted again.

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
        """The storage if it is the host's, else None."""
        return self._storage if isinstance(self._storage, HostStorage) else None

    @property
    def device_storage(self) -> DeviceStorage | None:
        """The storage if it is an accelerator's, else None."""
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
        """The device that has the memory; the CPU for an empty container."""
        return Device.CPU if self._storage is None else self._storage.device

    @property
    def ownership(self) -> Ownership:
        """Whether the bytes are counted or belong to somebody else."""
        return Ownership.MANAGED if self._storage is None else self._storage.ownership

    @property
    def ref_count(self) -> int:
        """How many handles there are on the memory; 0 for external memory and for none."""
        return 0 if self._storage is None else self._storage.ref_count

    @property
    def readonly(self) -> bool:
        """Whether writing is forbidden."""
        return self._storage is not None and self._storage.readonly

    def __str__(self) -> str:
        if self._storage is None:
            inside = "cpu, empty"
        elif isinstance(self._storage, HostStorage):
            inside = f"cpu, {self._storage}"
        elif self._storage.released:
            inside = f"gpu, {self._storage}"
        else:
            inside = f"gpu, size={self.size}"
        return f"{type(self).__name__}({inside})"

    def __repr__(self) -> str:
        return f"<{self} of {self.dtype.name}>"

    def write_to(self, file: Writer) -> None:
        """Write the text that `str` gives to a file or any other writer."""
        file.write(str(self))

    # Handles

    def share(self) -> Self:
        """Return another container on the same memory, and count it.

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
        """Return a container with memory of its own and the same elements, on the same device."""
        if self._storage is None:
            return type(self)()
        return self.on(self._storage.deep_copy())

    def copy(self) -> Self:
        """Return a container with memory of its own and the same elements: a `deep_copy`, as copies of arrays are.

        Another handle on the same memory is ``copy.copy(c)``, or ``c.share()``.
        """
        return self.deep_copy()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.deep_copy()

    def release(self) -> None:
        """Give the memory back; doing so again is harmless. Every later use raises `ReleasedError`."""
        if self._storage is not None:
            self._storage.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self), self._storage)

    def memoryview(self) -> builtins.memoryview:
        """Return a memoryview of host memory, which keeps it alive; ``memoryview(c)`` works from Python 3.12.

        Raises
        ------
        DeviceMismatchError
            If the memory is an accelerator's.
        DTypeError
            If Python's buffers have no code for the dtype, as for bfloat16.
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


def _size_form(
    size: SupportsIndex | None = None, dtype: DTypeLike = "float64", device: DeviceLike = Device.CPU
) -> AnyStorage | None:
    found = as_dtype(dtype)
    target = resolve(device)
    if size is not None:
        return allocate(target, as_size(size, found.itemsize, ARRAY_ADVICE), found)
    if found != _EMPTY_DTYPE:
        raise ValueError(f"a container without a size is empty and of float64: write size=0 for one of {found.name}")
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
            f"a pointer is looked at on the cpu only; for a buffer of {device} write "
            f"DeviceStorage(buffer, size, {str(device)!r}, dtype)"
        )
    found = dtype_there(dtype, unnamed, AcceleratorDataContainer.__name__)
    return HostStorage.on_pointer(ptr, size, found, copy=copy, deleter=deleter, readonly=readonly)


# The name by which Python's own TypeError calls them, about an argument that is missing or too many.
_size_form.__qualname__ = _pointer_form.__qualname__ = AcceleratorDataContainer.__qualname__
