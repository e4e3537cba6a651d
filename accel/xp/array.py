"""`Array`: an n-d array of the standard over the memory of one device."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from operator import getitem, setitem
from types import EllipsisType
from typing import Any, TypeAlias, final

import numpy as np

from accel import copies
from accel.abc import Operand
from accel.containers import AcceleratorDataContainer
from accel.device import Device, DeviceLike
from accel.dtypes import KNOWN, DType, DTypeLike
from accel.errors import DeviceMismatchError, DTypeError, LayoutError, reading_pickled
from accel.interchange import Interchange
from accel.interchange.from_dlpack import Received
from accel.memory import AnyStorage, heap_of
from accel.memory.host_arrays import export
from accel.xp import array_storage, operators, refusals
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.operators import Operators, Scalar

__all__ = [
    "API_VERSIONS",
    "Array",
    "Key",
    "Scalar",
    "array_on",
    "array_received",
    "live",
    "native",
    "native_array",
    "wrap",
]

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""The versions of the array standard that the namespace answers for."""

_Basic: TypeAlias = "int | slice | EllipsisType | Array | None"
Key: TypeAlias = "_Basic | tuple[_Basic, ...]"
"""What an array is indexed by."""

_SCALARS = frozenset({bool, int, float, complex})


@final
class Array(Operators, Interchange):
    """An n-d array of the array standard; made by `asarray`, `zeros`, ... and never by its constructor.

    Arithmetic, comparison and matrix operators take arrays of the same device and Python numbers. Operands on two
    devices raise `DeviceMismatchError`, arrays whose memory was released raise `ReleasedError`, and writing to
    memory that must not change raises `ReadOnlyError`.

    Examples
    --------
    >>> import accel.xp as xp
    >>> x = xp.asarray([1.0, 2.0, 3.0])
    >>> x + 1
    Array([2., 3., 4.], dtype=float64, device=cpu)
    """

    # _native: the library's array; _library: its device; _shared: what it shares with its views, None if it has none.
    __slots__ = ("__weakref__", "_library", "_native", "_shared")
    _native: Any
    _library: ArrayLibrary
    _shared: array_storage.SharedStorage | None

    # The standard's attributes

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._native.dtype  # type: ignore[no-any-return]

    @property
    def device(self) -> Device:
        """The device that has the elements."""
        return self._library.device

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent of each axis."""
        return self._native.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._native.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._native.size  # type: ignore[no-any-return]

    @property
    def T(self) -> "Array":
        """The transpose of a matrix."""
        if self.ndim != 2:
            raise LayoutError(f"x.T is for 2 axes, and this array has {self.ndim}; write x.mT, or xp.permute_dims")
        return self.mT

    @property
    def mT(self) -> "Array":
        """The transpose of the last two axes."""
        if self.ndim < 2:
            raise LayoutError(f"x.mT is for 2 axes or more, and this array has {self.ndim}")
        return wrap(self._library, self._library.namespace.matrix_transpose(live(self)), self)

    # Memory

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def storage(self) -> AnyStorage:
        """The storage that has this array's memory, and perhaps more than this array shows."""
        shared, library = _shared_of(self), self._library
        handle = shared.handle
        if handle is None:
            made = array_storage.storage_of(library, self._native, readonly=shared.readonly)
            array_storage.shared(library, self._native, shared)
            # No call between these: another thread may have been first.
            if shared.handle is None:
                shared.handle = made
            handle = shared.handle
        return shared.handle_as(handle, self.dtype)

    def container(self) -> AcceleratorDataContainer:
        """Return a container on this array's memory, without a copy.

        Raises
        ------
        LayoutError
            If the elements do not lie one after another in C order.
        """
        return AcceleratorDataContainer.on(array_storage.window(self._library, self._native, self.storage))

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        return array_storage.operand(self._library, self._native, self.storage)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> "Array":
        """Return this array on a device: itself if it is there already, else a copy, ordered by a stream if given.

        The copy starts after what was submitted to the stream that is current on this array's device.
        """
        library = library_on(device)
        if library is self._library:
            return self
        array = live(self)
        compact = self._in_c_order(array)
        # Where that is the array itself, later writes to it must know of the copy in flight.
        source = self if compact is array else wrap(self._library, compact)
        computed = None if stream is None else heap_of(self.device).latest()
        if computed is not None:
            stream.wait_for(computed)
        with source.container() as container:
            return array_on(container.to(library.device, stream=stream), self.shape)

    def _in_c_order(self, array: Any) -> Any:
        if self._library.device is Device.CPU:
            return copies.in_c_order(array)
        return self._library.namespace.asarray(array, order="C")

    # Indexing

    def __getitem__(self, key: Key, /) -> "Array":
        shared, library = self._shared, self._library
        array = self._native if shared is None or shared.handle is None else live(self)
        try:
            if type(key) is not int:
                key = unwrapped(library, key)
            found = array[key] if library.within is None else library.compute(getitem, array, key)
        except IndexError as error:
            raise refusals.bad_key(array, error) from None
        except MemoryError as error:
            raise refusals.failure(error) from None
        made = Array()
        made._library = library
        made._native, made._shared = found, None
        if type(found) is not library.array_type:
            made._native = library.as_array(found)
        elif _is_view(library, found, array):
            made._shared = shared or _shared_of(self)
        return made

    def __setitem__(self, key: Key, value: "Array | Scalar", /) -> None:
        array, library = live(self, writing=True), self._library
        given = _apart(library, native(library, value), array)
        refusals.refuse_lossy(library, array.dtype, given)
        try:
            if library.within is None:
                array[unwrapped(library, key)] = given
            else:
                library.compute(setitem, array, unwrapped(library, key), given)
        except IndexError as error:
            raise refusals.bad_key(array, error) from None
        except (MemoryError, ValueError) as error:
            raise refusals.bad_write(library, array, error) from None

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> "Iterator[Array]":
        return (self[index] for index in range(len(self)))

    # Conversions

    def _item(self, kind: str) -> Any:
        if self.ndim:
            raise TypeError(
                f"only an array of no axes becomes a Python {kind}, and this one has shape {self.shape}; "
                f"write x[index] for one element, or xp.any(x), xp.all(x), xp.sum(x)"
            )
        array, library = live(self), self._library
        return array.item() if library.within is None else library.compute(library.array_type.item, array)

    def __bool__(self) -> bool:
        return bool(self._item("bool"))

    def __int__(self) -> int:
        return int(self._item("int"))

    def __float__(self) -> float:
        return float(self._item("float"))

    def __complex__(self) -> complex:
        return complex(self._item("complex"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError(f"only an array of integers is an index, and this one has dtype {self.dtype.name}")
        return int(self._item("index"))

    def __format__(self, spec: str) -> str:
        return format(self._item("number") if spec and not self.ndim else str(self), spec)

    def __repr__(self) -> str:
        about = f"dtype={self.dtype.name}, device={self.device}"
        if self._shared is not None and self._shared.handle is not None and self._shared.handle.released:
            return f"Array(released, shape={self.shape}, {about})"
        values = np.array2string(np.asarray(self.to_device(Device.CPU)), separator=", ", prefix="Array(")
        return f"Array({values}, shape={self.shape}, {about})" if self.size == 0 else f"Array({values}, {about})"

    def __copy__(self) -> "Array":
        try:
            return wrap(self._library, self._library.namespace.asarray(live(self), copy=True))
        except MemoryError as error:
            raise refusals.failure(error) from None

    def __deepcopy__(self, memo: dict[int, object]) -> "Array":
        return self.__copy__()

    def __reduce__(self) -> tuple[object, ...]:
        compact = wrap(self._library, self._in_c_order(live(self)))
        return _unpickled, (compact.container().storage, self.shape)

    # Protocols

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """Return `accel.xp`.

        Raises
        ------
        ValueError
            If that version of the standard is not one of `API_VERSIONS`.
        """
        if api_version is not None and api_version not in API_VERSIONS:
            raise ValueError(f"version {api_version!r} of the standard is not known; {', '.join(API_VERSIONS)} are")
        return import_module(__package__)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, DType]:
        if self.device is not Device.CPU:
            raise DeviceMismatchError(
                f"this array is on {self.device}, and NumPy cannot read it there; write x.to_device('cpu')"
            )
        array = live(self, writing=not copy)
        if not copy:
            _ = self.storage  # whoever looks at the memory by way of NumPy's array has a shared of it too
        return np.asarray(array, dtype=dtype, copy=copy)

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        library, targets = self._library, keywords.get("out", ())
        if library.device is not Device.CPU:
            raise DeviceMismatchError(
                f"NumPy's {function.__name__} cannot compute on {library.device}; write xp.{function.__name__}(...) "
                f"with arrays there, as xp.asarray(values, device='{library.device}') makes them"
            )
        for target in inputs[:1] if method == "at" else targets:
            if type(target) is Array:
                # Here, for NumPy itself lets `at` write into what is read-only.
                refusals.refuse_read_only(library, live(target, writing=True))
        given = {name: unwrapped(library, value) for name, value in keywords.items()}
        result = getattr(function, method)(*unwrapped(library, inputs), **given)
        parts = result if isinstance(result, tuple) else (result,)
        wrapped = tuple(map(partial(_wrap_any, library), parts, targets or (None,) * len(parts)))
        return wrapped if isinstance(result, tuple) else wrapped[0]

    def __buffer__(self, flags: int, /) -> memoryview:
        try:
            return self.__array__().data
        except ValueError:
            raise DTypeError(f"Python's buffers cannot carry {self.dtype.name}; write x.__dlpack__()") from None

    def _lent_storage(self) -> AnyStorage:
        return self.storage

    def _lent_array(self, storage: AnyStorage) -> np.ndarray[Any, DType]:
        if self._library.device is Device.CPU:
            return self._native  # type: ignore[no-any-return]
        return export(self.__accel_operand__(), storage.keep_alive())

    def _lent_copy(self, device: Device) -> "Array":
        return self.__copy__() if device is self.device else self.to_device(device)


def live(x: Array, *, writing: bool = False) -> Any:
    """Return the library's array, if the memory was not released, once no work in flight is in the way."""
    shared = x._shared
    if shared is not None and shared.handle is not None:
        shared.handle.settle(writing=writing)
    return x._native


def _shared_of(x: Array) -> array_storage.SharedStorage:
    """Return what an array shares with its views."""
    shared = x._shared
    if shared is None:
        shared = array_storage.SharedStorage()
        # No call between the two: another thread may have been first.
        if x._shared is None:
            x._shared = shared
        shared = x._shared
    return shared


def wrap(library: ArrayLibrary, result: Any, *sources: object) -> Array:
    """Make an array of what the library returned; it shares the shared of the first source that it is a view of.

    Raises
    ------
    DTypeError
        If no array has that dtype. Operators and indices do not look: they make no other dtypes of these.
    """
    if type(result) is not library.array_type:
        result, sources = library.as_array(result), ()  # a scalar is no view
    if result.dtype not in KNOWN:
        refusals.refuse_dtype(result.dtype)
    made = Array()  # no constructor of ours: it would cost more than the rest
    made._native = result
    made._library = library
    made._shared = None
    if sources:
        new = type(result) is np.ndarray and result.base is None
        for source in sources:
            if type(source) is Array and (
                source._native is result if new else _is_view(library, result, source._native)
            ):
                made._shared = source._shared or _shared_of(source)
                break
    return made


def _is_view(library: ArrayLibrary, result: Any, source: Any) -> bool:
    if type(result) is np.ndarray:
        base = result.base
        if base is None or base is source or base is source.base:  # new, or the usual views
            return base is not None or result is source
    return array_storage.same_memory(library, result, source)


def _wrap_any(library: ArrayLibrary, result: Any, target: Any) -> Any:
    """Wrap what a NumPy function returned, unless it wrote into a target or the result is not NumPy's."""
    if target is not None:
        return target
    return wrap(library, result) if isinstance(result, np.ndarray | np.generic) else result


def native(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library takes it.

    Raises
    ------
    TypeError
        If it is neither an array nor a number.
    DeviceMismatchError
        If it is an array of another device.
    """
    if type(value) is Array:
        if value._library is not library:
            library.refuse(value._library)
        return live(value)
    if type(value) in _SCALARS:
        return value
    accepted = library.accept(value)
    if accepted is NotImplemented:
        raise TypeError(
            f"an array of {library.device} or a number is needed; found {type(value).__name__}: "
            f"write xp.asarray(values)"
        )
    return accepted


def native_array(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library takes it, a number as an array of no axes.

    Raises
    ------
    OverflowError
        If there is no dtype for the number; all else as for `native`.
    """
    if type(value) is Array and value._library is library:
        return live(value)
    found = native(library, value)
    if type(found) not in _SCALARS:
        return found
    refusals.refuse_huge(found)
    return library.as_array(found)


def _apart(library: ArrayLibrary, given: Any, target: Any) -> Any:
    """Return values that do not change while a target is written: NumPy reads some too late if they are part of it."""
    if type(given) is library.array_type and given.ndim and array_storage.may_overlap(library, given, target):
        return library.namespace.asarray(given, copy=True)
    return given


def unwrapped(library: ArrayLibrary, value: Any) -> Any:
    """Return an index, or an argument of a NumPy function, with the library's own arrays in it."""
    if type(value) is Array:
        return native(library, value)
    return tuple(unwrapped(library, part) for part in value) if type(value) is tuple else value


def array_on(container: AcceleratorDataContainer, shape: tuple[int, ...] | None = None) -> Array:
    """Make an array on a container's memory, without a copy."""
    library = library_on(container.device)
    storage = container.storage
    flat = library.backend.array(storage.__accel_operand__(), storage.keep_alive())
    made = wrap(library, flat if shape is None else flat.reshape(shape))
    made._shared = array_storage.SharedStorage(storage)
    return made


def array_received(received: Received) -> Array:
    """Make an array on memory that came from another library."""
    storage, operand = received.storage, received.operand
    library = library_on(storage.device)
    if refusals.repeats(operand.extents, operand.strides):
        operand = operand._replace(writable=False)
    made = wrap(library, library.backend.array(operand, storage.keep_alive()))
    made._shared = array_storage.SharedStorage(storage)
    return made


def _unpickled(*state: Any) -> Array:
    with reading_pickled("array"):
        storage, shape = state
        if not isinstance(storage, AnyStorage) or not isinstance(shape, tuple):
            raise TypeError(f"found {type(storage).__name__} and {type(shape).__name__} for its elements and its shape")
        return array_on(AcceleratorDataContainer.on(storage), shape)


operators.attach(
    __name__, Array=Array, live=live, bad_write=refusals.bad_write, failure=refusals.failure, scalars=_SCALARS
)
