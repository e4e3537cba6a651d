"""`HostStorage`: memory of the host, its elements, and its exports to NumPy and Python."""

import builtins
from functools import cache
from operator import index as as_index
from reprlib import repr as abbreviated
from typing import Any, ClassVar, SupportsIndex, overload

import numpy as np

from accel.abc.external import Deleter, ExternalAllocation
from accel.abc.optional import KnowsAddresses
from accel.device import Device
from accel.dtypes import DType, DTypeLike, as_dtype, exact_cast
from accel.errors import BoundsError, DeviceMismatchError, DTypeError, FormatError, LayoutError
from accel.memory.heap import heap_of, heaps
from accel.memory.host_arrays import export
from accel.memory.owner import ForeignOwner
from accel.memory.pickling import Contents, contents_of, state_of
from accel.memory.sizes import as_pointer, as_size, refuse_misaligned
from accel.memory.storage import Storage

__all__ = ["HostArray", "HostStorage", "dtype_there", "is_pointer_form", "unpickled_host_storage"]

HostArray = np.ndarray[Any, DType]
"""A NumPy array of any shape and dtype."""

_CPU = Device.CPU
_ARRAY_ADVICE = "for an array write accel.xp.zeros(shape)"


class HostStorage(Storage):
    """Counted, typed memory of the host (NuMojo's ``HostStorage``).

    ``HostStorage(size, dtype)`` allocates. ``HostStorage(ptr, size, dtype)`` wraps external memory, or copies it with
    ``copy=True``. ``HostStorage(array)`` wraps the memory of a NumPy array.

    Parameters
    ----------
    size : int
        Number of elements.
    dtype : dtype_like
        Type of the elements; required with a pointer.
    ptr : int
        Address of the first element.
    copy : bool
        Copy into new managed memory instead of wrapping.
    deleter : callable, optional
        Called once after the last use of the wrapped memory.
    readonly : bool
        Forbid writing to the wrapped memory.

    Raises
    ------
    ValueError
        If the size is negative, a boolean or overflows, or the pointer is null or misaligned.
    DeviceMismatchError
        If the address is in the memory of an accelerator.
    DTypeError
        If the elements are neither numbers nor booleans.
    OutOfMemoryError
        If there is not enough memory.

    Examples
    --------
    >>> from accel.memory import HostStorage
    >>> storage = HostStorage(3, "float32")
    >>> storage[0] = 1.5
    >>> storage[0], str(storage)
    (np.float32(1.5), 'HostStorage(managed, size=3, refcount=1)')
    """

    __slots__ = ()
    _name: ClassVar[str] = "HostStorage"
    _array: HostArray | None

    @overload
    def __init__(self, array: HostArray, /) -> None: ...
    @overload
    def __init__(self, size: SupportsIndex = 0, dtype: DTypeLike = "float64") -> None: ...
    @overload
    def __init__(
        self,
        ptr: SupportsIndex,
        size: SupportsIndex,
        dtype: DTypeLike,
        *,
        copy: bool = False,
        deleter: Deleter | None = None,
        readonly: bool = False,
    ) -> None: ...
    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if len(arguments) == 1 and isinstance(arguments[0], np.ndarray):
            storage = HostStorage.on_array(*arguments, **keywords)
        elif is_pointer_form(arguments, keywords):
            storage = HostStorage.on_pointer(*arguments, **keywords)
        else:
            storage = HostStorage.new(*arguments, **keywords)
        self._move_from(storage)

    @classmethod
    def new(cls, size: SupportsIndex = 0, dtype: DTypeLike = "float64") -> "HostStorage":
        """Allocate managed memory.

        Parameters
        ----------
        size : int, default 0
            The number of elements.
        dtype : dtype_like, default "float64"
            The dtype of the elements.
        """
        element_type = as_dtype(dtype)
        return cls.allocated(heap_of(_CPU), as_size(size, element_type.itemsize, _ARRAY_ADVICE), element_type)

    @classmethod
    def on_pointer(
        cls,
        ptr: SupportsIndex,
        size: SupportsIndex,
        dtype: DTypeLike | None = None,
        *unnamed: object,
        copy: bool = False,
        deleter: Deleter | None = None,
        readonly: bool = False,
    ) -> "HostStorage":
        """Wrap memory by its address, or copy it.

        Parameters
        ----------
        ptr : int
            The address of the first element.
        size : int
            The number of elements.
        dtype : dtype_like, optional
            The dtype of the elements.
        *unnamed : dtype_like, optional
            The dtype, if it is given by position.
        copy : bool, default False
            Whether to copy the elements to new memory.
        deleter : Deleter, optional
            What is called when the memory is no longer used.
        readonly : bool, default False
            Whether writing is forbidden.
        """
        pointer = as_pointer(ptr)
        element_type = dtype_there(dtype, unnamed, HostStorage.__name__)
        nbytes = as_size(size, element_type.itemsize) * element_type.itemsize
        refuse_misaligned(pointer, element_type)
        _refuse_device_memory(pointer)
        external = ExternalAllocation(nbytes, pointer=pointer, deleter=deleter, readonly=readonly)
        owner = ForeignOwner(heap_of(_CPU), external)
        wrapped = cls._on(owner, element_type, nbytes // element_type.itemsize)
        if not copy:
            return wrapped
        with wrapped:
            return wrapped.deep_copy()

    @classmethod
    def on_array(cls, array: HostArray) -> "HostStorage":
        """Wrap the memory of a NumPy array, in C order; read-only if the array is.

        Parameters
        ----------
        array : numpy.ndarray
            The array.

        Raises
        ------
        LayoutError
            If the array is not contiguous in C order.
        """
        if type(array) is not np.ndarray:
            array = _as_ndarray(array)
        flags = array.flags
        if not (flags.c_contiguous and flags.aligned):
            raise LayoutError(
                f"an array of shape {array.shape} with strides {array.strides} is not contiguous, aligned and in "
                f"C order, so its memory cannot be shared; write accel.from_numpy(array, copy=True), or "
                f"numpy.ascontiguousarray(array)"
            )
        element_type = as_dtype(array.dtype)
        external = ExternalAllocation(array.nbytes, array, readonly=not flags.writeable)
        return cls._on(ForeignOwner(heap_of(_CPU), external), element_type, array.size)

    @property
    def array(self) -> HostArray:
        """The elements as a NumPy array that is valid only as long as this handle; for use inside the library."""
        array = self._array
        if array is None:
            block = self.owner.block
            array = block.native[self._start : self._start + self.nbytes].view(self.dtype)
            if self.readonly:
                array.flags.writeable = False
            # No call between the two: a released handle caches nothing.
            if self._owner is not None:
                self._array = array
        return array

    def lend_native(self) -> HostArray:
        """Return a NumPy array on the elements that keeps the bytes alive; see `DeviceStorage.lend_native`."""
        return self.lend()  # type: ignore[no-any-return]

    def _ready_array(self, *, writing: bool) -> HostArray:
        """Wait for pending work, and return the elements."""
        self.settle(writing=writing)
        return self.array

    def __getitem__(self, index: SupportsIndex) -> Any:
        """Return element ``index`` as a NumPy scalar; negative indices count from the end.

        Raises
        ------
        BoundsError
            If there is no such element.
        """
        # Before all else: __index__ of a user's class may release this storage. So in the methods below.
        place = index if type(index) is int else _whole(index)
        array, owner = self._array, self._owner
        if array is None or owner is None or owner.hazard_record.hazards is not None:
            array = self._ready_array(writing=False)
            # No call between here and the access, as in __setitem__.
            if self._owner is None:
                self.refuse_released()
        try:
            return array[place]
        except IndexError:
            raise self._out_of_range(place) from None

    def __setitem__(self, index: SupportsIndex, value: Any) -> None:
        """Set element ``index``.

        Raises
        ------
        BoundsError
            If there is no such element.
        ReadOnlyError
            If writing is forbidden.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        """
        place, scalar = _whole(index), exact_cast(value, self.dtype)
        if scalar.ndim:
            raise ValueError(f"an element takes one value; found {scalar.size}: write x.store(offset, values)")
        self.refuse_read_only()
        array = self._ready_array(writing=True)
        try:
            # No call between the two: another thread may release this, and the memory may be allocated again.
            if self._owner is not None:
                array[place] = scalar
                return
        except IndexError:
            raise self._out_of_range(place) from None
        self.refuse_released()

    def _out_of_range(self, index: int) -> BoundsError:
        return BoundsError(
            f"index {index} is out of range on axis 0: {self._name} has {self.size} elements, "
            f"so it must be in [{-self.size}, {self.size})"
        )

    def load(self, offset: SupportsIndex, width: SupportsIndex = 1) -> Any:
        """Return ``width`` elements from ``offset`` on: a NumPy scalar for 1, else a new 1-D array.

        Parameters
        ----------
        offset : int
            The place of the first element.
        width : int, default 1
            How many elements.

        Raises
        ------
        BoundsError
            If they are not all inside the storage.
        """
        count = as_size(width, self.dtype.itemsize)
        start = self._checked(offset, count)
        array = self._ready_array(writing=False)
        if count == 1:
            return array[start]
        with self.keep_alive():  # NumPy releases the GIL while it copies, and another thread may release this
            return array[start : start + count].copy()

    def store(self, offset: SupportsIndex, values: Any) -> None:
        """Write one or more elements from ``offset`` on.

        Parameters
        ----------
        offset : int
            The place of the first element.
        values : number or sequence of numbers
            The elements.

        Raises
        ------
        BoundsError
            If they are not all inside the storage; nothing is written.
        ReadOnlyError
            If writing is forbidden.
        DTypeError, OverflowError
            If the dtype cannot hold a value; nothing is written.
        """
        self.refuse_read_only()
        cast = exact_cast(values, self.dtype).reshape(-1)
        start = self._checked(offset, cast.size)
        array = self._ready_array(writing=True)
        with self.keep_alive():
            array[start : start + cast.size] = cast

    def export(self) -> HostArray:
        """Return a 1-D NumPy array on the same memory, which stays alive as long as the array."""
        self.settle(writing=not self.readonly)
        return self.lend().view()  # type: ignore[no-any-return]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        exported = self.export()
        if dtype is None or as_dtype(dtype) == exported.dtype:
            return exported.copy() if copy else exported
        if copy is False:
            raise ValueError(f"{self.dtype.name} becomes {dtype} only by a copy; write copy=None")
        return exported.astype(as_dtype(dtype))

    def memoryview(self) -> builtins.memoryview:
        """Return a memoryview of the elements, which keeps the memory alive.

        Raises
        ------
        DTypeError
            If the buffer protocol has no format for the dtype, as for bfloat16.
        """
        try:
            return self.export().data
        except ValueError:
            name, size = self.dtype.name, self.dtype.itemsize
            raise DTypeError(
                f"Python's buffers cannot carry {name}; for integers of its size write numpy.asarray(x).view('u{size}')"
            ) from None

    def __buffer__(self, flags: int, /) -> builtins.memoryview:
        return self.memoryview()

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        self.settle(writing=False)
        elements = export(self.__accel_operand__(), self.keep_alive()).view(np.uint8)
        state = state_of(Contents(_CPU, self.dtype, self.size, elements), protocol.__index__())
        return unpickled_host_storage, state


def unpickled_host_storage(*state: object) -> HostStorage:
    """Return managed memory with pickled elements.

    Raises
    ------
    FormatError
        If a newer release wrote the state, or it is inconsistent.
    """
    device, dtype, size, elements = contents_of(state)
    if device is not _CPU:
        raise FormatError(f"this is no pickled storage of the host: its elements were on {device}")
    storage = HostStorage.new(size, dtype)
    storage.array.view(np.uint8)[:] = elements
    return storage


def _whole(value: SupportsIndex) -> int:
    try:
        return as_index(value)
    except TypeError:
        raise TypeError(f"an index is a whole number; found {abbreviated(value)}{_instead(value)}") from None


def _instead(index: object) -> str:
    """Return what to write for an index that arrays of several elements or dimensions take."""
    if isinstance(index, tuple):
        return ": for rows and columns write x.view(accel.Layout((rows, columns)))[i, j]"
    if isinstance(index, list | np.ndarray):
        return ": for several elements write xp.asarray(x)[i]"
    return ""


def _as_ndarray(array: HostArray) -> HostArray:
    """View an array of a subclass as a plain `numpy.ndarray`: a subclass may override its attributes."""
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("memory has no mask; write array.filled(value), or array.data to ignore the mask")
    return array.view(np.ndarray)


def is_pointer_form(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Tell whether arguments are ``(ptr, size, dtype)``, not ``(size, dtype, ...)``: the second one is an integer."""
    if "ptr" in keywords:
        return True
    second = arguments[1] if len(arguments) > 1 else keywords.get("size") if len(arguments) == 1 else None
    return hasattr(second, "__index__") and not isinstance(second, type)


def dtype_there(dtype: DTypeLike | None, unnamed: tuple[object, ...], name: str) -> DType:
    """Return the dtype of the elements at an address, for a class of a name.

    Raises
    ------
    TypeError
        If there is no dtype, or if flags were given by position.
    DTypeError
        If it is no dtype.
    """
    if dtype is None:
        raise TypeError("an address does not say what is there; write dtype='float64', or what the elements are")
    if isinstance(dtype, bool | np.bool_) or unnamed:
        stray = unnamed[0] if unnamed else dtype
        raise TypeError(f"{stray!r} must be given by name; write {name}(ptr, size, dtype, copy=True)")
    return as_dtype(dtype)


def _refuse_device_memory(address: int) -> None:
    last: object = None
    for heap in heaps():
        backend = heap.backend
        if backend is last or not _knows_addresses(type(backend)):
            continue
        last, device = backend, backend.device_at(address)  # type: ignore[attr-defined]
        if device is not None:
            raise DeviceMismatchError(
                f"the pointer {address:#x} is that of memory on {device}, which the host cannot read; write "
                f"c.to('cpu') for a copy of its container, or DeviceStorage(buffer, size, {str(device)!r}, dtype)"
            )


@cache
def _knows_addresses(backend: type) -> bool:
    """Tell whether backends of a class know addresses; cached, because the test of a protocol is slow."""
    return issubclass(backend, KnowsAddresses)
