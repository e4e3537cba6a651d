"""`Array`: an n-d array of the standard over the memory of one device."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from operator import getitem, setitem
from types import EllipsisType
from typing import Any, TypeAlias, final

import numpy as np

from accel import copies
from accel.containers import AcceleratorDataContainer
from accel.device import Device, DeviceLike
from accel.dtypes import KNOWN
from accel.errors import DeviceMismatchError, LayoutError, reading_pickled
from accel.interchange import Interchange
from accel.interchange.from_dlpack import Received
from accel.memory import AnyStorage, heap_of
from accel.xp import array_storage, operators, refusals, versions
from accel.xp.array_base import live, shared_of
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.conversions import Conversions
from accel.xp.operators import Operators, Scalar
from accel.xp.versions import API_VERSIONS

__all__ = ["API_VERSIONS", "Array", "Key", "array_on", "array_received", "native", "native_array", "wrap"]

_Basic: TypeAlias = "int | slice | EllipsisType | Array | None"
Key: TypeAlias = "_Basic | tuple[_Basic, ...]"
"""An index of an array."""

_SCALARS = frozenset({bool, int, float, complex})


@final
class Array(Operators, Conversions, Interchange):
    """An n-d array of the array standard, made by functions such as `asarray` and `zeros`, not by its constructor.

    Operators take arrays on the same device and Python numbers. Operands on two devices raise `DeviceMismatchError`,
    an array whose memory was released raises `ReleasedError`, and writing to read-only memory raises `ReadOnlyError`.

    Examples
    --------
    >>> import accel.xp as xp
    >>> x = xp.asarray([1.0, 2.0, 3.0])
    >>> x + 1
    Array([2., 3., 4.], dtype=float64, device=cpu)
    """

    __slots__ = ()

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

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> "Array":
        """Return this array on a device: the array itself if it is there already, else a copy.

        The copy starts after the work already submitted to the current stream of this array's device.

        Parameters
        ----------
        device : Device or str
            The target.
        stream : Stream, optional
            The stream that copies; the copy may still be in flight on return. Without it, the copy is complete.
        """
        library = library_on(device)
        if library is self._library:
            return self
        array = live(self)
        compact = self._in_c_order(array)
        # If there was no copy, use this array's own storage, so that later writes to it wait for the transfer.
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

    # `wrap` is written out here, which saves a call.
    def __getitem__(self, key: Key, /) -> "Array":
        shared, library = self._shared, self._library
        array = self._native if shared is None or shared.handle is None else live(self)
        try:
            if type(key) is not int:
                key = unwrapped(library, key)
            result = array[key] if library.within is None else library.compute(getitem, array, key)
        except IndexError as error:
            raise refusals.bad_key(array, error) from None
        except MemoryError as error:
            raise refusals.failure(error) from None
        made = Array()
        made._library = library
        made._native, made._shared = result, None
        if type(result) is not library.array_type:
            made._native = library.as_array(result)
        elif _is_view(library, result, array):
            made._shared = shared or shared_of(self)
        return made

    def __setitem__(self, key: Key, value: "Array | Scalar", /) -> None:
        array, library = live(self, writing=True), self._library
        values = _without_overlap(library, native(library, value), array)
        refusals.refuse_lossy(library, array.dtype, values)
        try:
            if library.within is None:
                array[unwrapped(library, key)] = values
            else:
                library.compute(setitem, array, unwrapped(library, key), values)
        except IndexError as error:
            raise refusals.bad_key(array, error) from None
        except (MemoryError, ValueError) as error:
            raise refusals.bad_write(library, array, error) from None

    def __len__(self) -> int:
        return len(self._native)

    def __iter__(self) -> "Iterator[Array]":
        return (self[index] for index in range(len(self)))

    # Text, copies and pickles

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
        """Return `accel.xp`, or for an older version of the standard a namespace without the names that came later.

        Raises
        ------
        ValueError
            If the version is not one of `API_VERSIONS`.
        """
        return import_module(__package__) if api_version is None else versions.namespace(api_version)

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        library, targets = self._library, keywords.get("out", ())
        if library.device is not Device.CPU:
            raise DeviceMismatchError(
                f"NumPy's {function.__name__} cannot compute on {library.device}; write xp.{function.__name__}(...) "
                f"with arrays there, as xp.asarray(values, device='{library.device}') makes them"
            )
        for target in inputs[:1] if method == "at" else targets:
            if type(target) is Array:
                # NumPy's own check is not enough: `at` writes into read-only arrays.
                refusals.refuse_read_only(library, live(target, writing=True))
        options = {name: unwrapped(library, value) for name, value in keywords.items()}
        result = getattr(function, method)(*unwrapped(library, inputs), **options)
        results = result if isinstance(result, tuple) else (result,)
        wrapped = tuple(map(partial(_wrap_any, library), results, targets or (None,) * len(results)))
        return wrapped if isinstance(result, tuple) else wrapped[0]

    def _lent_copy(self, device: Device) -> "Array":
        return self.__copy__() if device is self.device else self.to_device(device)


def wrap(library: ArrayLibrary, result: Any, *sources: object) -> Array:
    """Make an array of a result of the library.

    A view of one of the sources shares the storage record of the first such source.

    Raises
    ------
    DTypeError
        If arrays cannot have the dtype. Operators and indexing skip this check: their results have dtypes of arrays.
    """
    if type(result) is not library.array_type:
        result, sources = library.as_array(result), ()  # a scalar is no view
    if result.dtype not in KNOWN:
        refusals.refuse_dtype(result.dtype)
    made = Array()  # without __init__, which would take longer than the rest
    made._native = result
    made._library = library
    made._shared = None
    if sources:
        new = type(result) is np.ndarray and result.base is None
        for source in sources:
            if type(source) is Array and (
                source._native is result if new else _is_view(library, result, source._native)
            ):
                made._shared = source._shared or shared_of(source)
                break
    return made


def _is_view(library: ArrayLibrary, result: Any, source: Any) -> bool:
    if type(result) is np.ndarray:
        base = result.base
        if base is None or base is source or base is source.base:  # new memory, or the usual views
            return base is not None or result is source
    return array_storage.same_memory(library, result, source)


def _wrap_any(library: ArrayLibrary, result: Any, target: Any) -> Any:
    """Wrap a result of a NumPy function; return the target that it wrote to, and other objects, as they are."""
    if target is not None:
        return target
    return wrap(library, result) if isinstance(result, np.ndarray | np.generic) else result


def native(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library's array, or as a Python number.

    Raises
    ------
    TypeError
        If it is neither an array nor a number.
    DeviceMismatchError
        If it is an array on another device.
    ReleasedError
        If its memory was released.
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
            f"an array on {library.device} or a number is needed; found {type(value).__name__}: "
            f"write xp.asarray(values)"
        )
    return accepted


def native_array(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library's array; a number becomes an array of no axes.

    Raises
    ------
    OverflowError
        If no dtype can hold the number. Other errors are those of `native`.
    """
    if type(value) is Array and value._library is library:
        return live(value)
    operand = native(library, value)
    if type(operand) not in _SCALARS:
        return operand
    refusals.refuse_huge(operand)
    return library.as_array(operand)


def _without_overlap(library: ArrayLibrary, values: Any, target: Any) -> Any:
    """Return values, copied if they may overlap a target: NumPy may write some of them before it reads them."""
    if type(values) is library.array_type and values.ndim and array_storage.may_overlap(library, values, target):
        return library.namespace.asarray(values, copy=True)
    return values


def unwrapped(library: ArrayLibrary, value: Any) -> Any:
    """Replace each `Array` by the library's array in an index, or in an argument of a NumPy function."""
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
    """Make an array on memory of another library; read-only if several elements share memory."""
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
