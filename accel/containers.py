"""`AcceleratorDataContainer`: one owner of typed memory, wherever it is (NuMojo's container)."""

import builtins
from functools import partial
from typing import Any, Self, SupportsIndex, overload

import numpy as np

from accel.device import Device, DeviceLike, resolve
from accel.dtypes import DType, DTypeLike, as_dtype, exact_cast
from accel.errors import DeviceMismatchError, DTypeError, FormatError
from accel.memory.copying import AnyStorage, allocate, copy_elements
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostArray, HostStorage, is_pointer_form
from accel.memory.interchange import Interchange
from accel.memory.operand import Operand
from accel.memory.sizes import as_size
from accel.memory.storage import Ownership, Writer
from accel.memory.stream import Stream
from accel.memory.transfer import Progress, Transfer, submit_copy
from accel.sides import Sides
from accel.views import LayoutTensor

__all__ = ["ARRAY_ADVICE", "AcceleratorDataContainer"]

ARRAY_ADVICE = "a container is flat, and accel.xp.zeros(shape) makes arrays"
"""What to say to somebody who gives a shape for a size."""

_EMPTY_DTYPE = as_dtype("float32")


class AcceleratorDataContainer(Sides, Interchange):
    """Typed, flat memory on one device, in a `HostStorage` or a `DeviceStorage`.

    ``AcceleratorDataContainer(size, dtype, device)`` allocates; without a size it is empty and allocates nothing.
    ``AcceleratorDataContainer(ptr, size, copy=False, dtype=...)`` looks at host memory made elsewhere, or copies it.

    Parameters
    ----------
    size : int, optional
        Number of elements.
    dtype : dtype_like
        Type of the elements.
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
        dtype: DTypeLike = "float32",
        device: DeviceLike = Device.CPU,
    ) -> None: ...
    @overload
    def __init__(
        self,
        ptr: SupportsIndex,
        size: SupportsIndex,
        copy: bool = False,
        *,
        dtype: DTypeLike = "float32",
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
            inside = f"{'gpu' if self.is_gpu() else self.device}, size={self.size}"
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

    # Contents

    def to(self, device: DeviceLike, *, copy: bool | None = None, stream: Stream | None = None) -> Self:
        """Return a container with these elements on a device.

        Parameters
        ----------
        device : Device or str
            Where to.
        copy : bool, optional
            True: always memory of its own. None: on the same device another handle on the same memory.
            False: never copy.
        stream : Stream, optional
            Orders the copy, which may then be under way on return; without one it is done.

        Raises
        ------
        ValueError
            If ``copy=False`` and the device is another.
        DeviceUnavailableError
            If the device is not here and ``fallback`` is ``raise``.
        """
        if device is None:  # which everywhere else is the default device
            raise TypeError("to takes a device, as in c.to('cpu'); for the default one write c.to(Device.default())")
        if stream is not None and not isinstance(stream, Stream):
            raise TypeError(f"{stream!r} is no stream; write stream=accel.new_stream({str(device)!r})")
        target = resolve(device)
        if target is self.device and not copy:
            return self.__copy__()
        if copy is False:
            raise ValueError(f"moving from {self.device} to {target} needs a copy; write copy=None")
        if self._storage is None:
            return type(self)()
        moved = allocate(target, self.size, self.dtype)
        try:
            if stream is None:
                copy_elements(moved, self._storage)
            else:
                submit_copy(moved, self._storage, stream)
        except BaseException:
            moved.release()
            raise
        return self.on(moved)

    def to_numpy(self) -> HostArray:
        """Return the elements as a new 1-D NumPy array; ``numpy.asarray(c)`` shares host memory instead."""
        array = np.empty(self.size, self.dtype)
        if self._storage is not None:
            copy_elements(HostStorage.on_array(array), self._storage)
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
            If the memory must not change.
        """
        given = np.asarray(array)
        self._refuse_other(given.size, as_dtype(given.dtype), f"array.astype({self.dtype.name!r})")
        if self._storage is not None:
            copy_elements(self._storage, HostStorage.on_array(np.ascontiguousarray(given)))

    def copy_from(self, other: "AcceleratorDataContainer") -> None:
        """Copy the elements of another container, on whatever device, into this one; done on return.

        Raises
        ------
        ValueError
            If the sizes differ.
        DTypeError
            If the dtypes differ.
        ReadOnlyError
            If the memory must not change.
        """
        self._refuse_source(other)
        copy_elements(self._lent_storage(), other._lent_storage())

    def copy_from_async(
        self, other: "AcceleratorDataContainer", *, stream: Stream, progress: Progress | None = None
    ) -> Transfer:
        """Copy the elements of another container, on whatever device, into this one, on a stream.

        The copy starts after all work in flight on either container that it must not overtake, on whatever stream;
        later uses of this container wait for it, and later writes to the other one.

        Parameters
        ----------
        other : AcceleratorDataContainer
            Of the same size and dtype.
        stream : Stream
            Of the device of either one.
        progress : callable, optional
            Called with the bytes copied and the bytes in all, in the thread that waits.

        Returns
        -------
        Transfer
            To wait for, await, poll, and ask for its time. It keeps both memories alive.

        Raises
        ------
        ValueError, DTypeError, ReadOnlyError
            As for `copy_from`.
        DeviceMismatchError
            If the stream is of another device.
        """
        self._refuse_source(other)
        return submit_copy(self.storage, other.storage, stream, progress)

    def _refuse_source(self, other: object) -> None:
        if not isinstance(other, AcceleratorDataContainer):
            raise TypeError(f"a container copies from a container; found {type(other).__name__}: write c.from_numpy(x)")
        self._refuse_other(other.size, other.dtype, "accel.container(other.to_numpy(), dtype)")

    def _refuse_other(self, size: int, dtype: DType, remedy: str) -> None:
        if dtype != self.dtype:
            raise DTypeError(f"{dtype.name} elements cannot be copied into {self.dtype.name}: write {remedy}")
        if size != self.size:
            raise ValueError(f"{size} elements cannot be copied into {self.size}: the sizes must be equal")

    def fill(self, value: Any) -> None:
        """Set every element to one value.

        Raises
        ------
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ReadOnlyError
            If the memory must not change.
        """
        scalar = exact_cast(value, self.dtype)
        if scalar.ndim:
            raise ValueError(f"fill takes one value; found {scalar.size}: write c.from_numpy(array)")
        if self._storage is not None:
            self._storage.refuse_read_only()
            self._storage.settle(writing=True)
            heap = heap_of(self._storage.device)
            with self._storage.pin():
                target = self._storage.__accel_operand__()
                heap.carry_out(partial(heap.backend.fill, target, scalar[()], stream=None), self._storage)

    def view(self, layout: Any, offset: SupportsIndex = 0) -> LayoutTensor:
        """Return a tensor on this memory, at the coordinates of a layout; ``offset`` is in elements.

        Raises
        ------
        BoundsError
            If the layout reaches past the memory.
        """
        return LayoutTensor(self, layout, offset)

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


def _unpickled(kind: object, storage: object) -> AcceleratorDataContainer:
    if not (isinstance(kind, type) and issubclass(kind, AcceleratorDataContainer)):
        raise FormatError(f"this is no pickled container: {kind!r} is no class of containers")
    if storage is None:
        return kind()
    if not isinstance(storage, AnyStorage):
        raise FormatError(f"this is no pickled container: found {type(storage).__name__} for its storage")
    return kind.on(storage)


def _size_form(
    size: SupportsIndex | None = None, dtype: DTypeLike = "float32", device: DeviceLike = Device.CPU
) -> AnyStorage | None:
    found = as_dtype(dtype)
    target = resolve(device)
    if size is not None:
        return allocate(target, as_size(size, found.itemsize, ARRAY_ADVICE), found)
    if found != _EMPTY_DTYPE:
        raise ValueError(f"a container without a size is empty and of float32: write a size, as in (0, {found.name!r})")
    return None


def _pointer_form(
    ptr: SupportsIndex,
    size: SupportsIndex,
    copy: bool = False,
    dtype: DTypeLike = "float32",
    device: DeviceLike = Device.CPU,
    *,
    deleter: Any = None,
    readonly: bool = False,
) -> AnyStorage:
    if resolve(device) is not Device.CPU:
        raise DeviceMismatchError(
            f"a pointer is looked at on the cpu only; for a buffer of {device} write DeviceStorage(buffer, size)"
        )
    return HostStorage.on_pointer(ptr, size, copy, dtype, deleter=deleter, readonly=readonly)


# The name by which Python's own TypeError calls them, about an argument that is missing or too many.
_size_form.__qualname__ = _pointer_form.__qualname__ = AcceleratorDataContainer.__qualname__
