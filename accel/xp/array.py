"""`Array`: an n-d array of the standard over the memory of one device."""

from importlib import import_module
from types import EllipsisType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from accel.containers import AcceleratorDataContainer
from accel.device import Device, DeviceLike
from accel.dtypes import DType, DTypeLike
from accel.errors import BoundsError, DeviceMismatchError, DTypeError, LayoutError, ReadOnlyError
from accel.memory import AnyStorage, Operand
from accel.xp import operators, records
from accel.xp.home import Home, home_on

__all__ = ["API_VERSIONS", "Array", "Key", "Scalar", "array_on", "live", "native", "wrap"]

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""The versions of the array standard that the namespace answers for."""

Scalar: TypeAlias = bool | int | float | complex
"""A Python number, which takes the dtype of the array beside it."""

_Basic: TypeAlias = "int | slice | EllipsisType | None | Array"
Key: TypeAlias = "_Basic | tuple[_Basic, ...]"
"""What an array is indexed by."""

_SCALARS = frozenset({bool, int, float, complex})


class Array:
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

    # _native: the library's array; _home: its device; _record: a handle on its memory, None until somebody asks.
    __slots__ = ("__weakref__", "_home", "_native", "_record")
    _native: Any
    _home: Home
    _record: AnyStorage | None

    def __init__(self, *arguments: object, **keywords: object) -> None:
        raise TypeError("arrays are made by functions: write accel.xp.asarray(values)")

    __hash__ = None  # type: ignore[assignment]

    # The standard's attributes

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._native.dtype  # type: ignore[no-any-return]

    @property
    def device(self) -> Device:
        """The device that has the elements."""
        return self._home.device

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
        return wrap(self._home, live(self).T, self)

    @property
    def mT(self) -> "Array":
        """The transpose of the last two axes."""
        if self.ndim < 2:
            raise LayoutError(f"x.mT is for 2 axes or more, and this array has {self.ndim}")
        return wrap(self._home, live(self).mT, self)

    # Memory

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def storage(self) -> AnyStorage:
        """The storage that has this array's memory, and perhaps more than this array shows."""
        if self._record is None:
            self._record = records.storage_of(self._home, self._native)
        return self._record

    def container(self) -> AcceleratorDataContainer:
        """Return a container on this array's memory, without a copy.

        Raises
        ------
        LayoutError
            If the elements do not lie one after another in C order.
        """
        return AcceleratorDataContainer.on(records.window(self._home, live(self), self.storage))

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        return records.operand(self._home, live(self), self.storage)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> "Array":
        """Return this array on a device: itself if it is there already, else a copy."""
        home = home_on(device)
        if home is self._home:
            return self
        compact = self._home.library.asarray(live(self), copy=True, order="C")
        with wrap(self._home, compact).container() as source:
            return array_on(source.to(home.device, stream=stream), self.shape)

    # Indexing

    def __getitem__(self, key: Key, /) -> "Array":
        array = live(self)
        try:
            found = array[native_key(self._home, key)]
        except IndexError as error:
            raise self._bad_key(error) from None
        return wrap(self._home, found, self)

    def __setitem__(self, key: Key, value: "Array | Scalar", /) -> None:
        array = live(self)
        try:
            array[native_key(self._home, key)] = native(self._home, value)
        except IndexError as error:
            raise self._bad_key(error) from None
        except ValueError as error:
            raise bad_write(self, error) from None

    def _bad_key(self, error: IndexError) -> BoundsError:
        return BoundsError(f"{error}; the array's shape is {self.shape}")

    # Conversions

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

    def __bool__(self) -> bool:
        return bool(live(self))

    def __int__(self) -> int:
        return int(live(self))

    def __index__(self) -> int:
        return live(self).__index__()  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return float(live(self))

    def __complex__(self) -> complex:
        return complex(live(self))

    def __len__(self) -> int:
        return len(self._native)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, DType]:
        if self.device is not Device.CPU:
            raise DeviceMismatchError(
                f"this array is on {self.device}, and NumPy cannot read it there; write x.to_device('cpu')"
            )
        return np.asarray(live(self), dtype=dtype, copy=copy)

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        if self.device is not Device.CPU:
            return NotImplemented
        home, out = self._home, keywords.pop("out", ())
        if out:
            keywords["out"] = tuple(native(home, array) for array in out)
        result = getattr(function, method)(*(native(home, value) for value in inputs), **keywords)
        if out:
            return out[0] if len(out) == 1 else out
        return tuple(wrap(home, part) for part in result) if isinstance(result, tuple) else wrap(home, result)

    def __dlpack__(self, **keywords: Any) -> Any:
        return live(self).__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device.dlpack

    def __repr__(self) -> str:
        if self._record is not None and self._record.released:
            return f"Array(released, shape={self.shape}, dtype={self.dtype.name}, device={self.device})"
        values = np.array2string(np.asarray(self.to_device(Device.CPU)), separator=", ", prefix="Array(")
        return f"Array({values}, dtype={self.dtype.name}, device={self.device})"

    if TYPE_CHECKING:
        # Compiled from one template, in operators.py.
        def __abs__(self) -> Array: ...
        def __neg__(self) -> Array: ...
        def __pos__(self) -> Array: ...
        def __invert__(self) -> Array: ...
        def __add__(self, other: Array | Scalar, /) -> Array: ...
        def __radd__(self, other: Array | Scalar, /) -> Array: ...
        def __iadd__(self, other: Array | Scalar, /) -> Array: ...
        def __sub__(self, other: Array | Scalar, /) -> Array: ...
        def __rsub__(self, other: Array | Scalar, /) -> Array: ...
        def __isub__(self, other: Array | Scalar, /) -> Array: ...
        def __mul__(self, other: Array | Scalar, /) -> Array: ...
        def __rmul__(self, other: Array | Scalar, /) -> Array: ...
        def __imul__(self, other: Array | Scalar, /) -> Array: ...
        def __truediv__(self, other: Array | Scalar, /) -> Array: ...
        def __rtruediv__(self, other: Array | Scalar, /) -> Array: ...
        def __itruediv__(self, other: Array | Scalar, /) -> Array: ...
        def __floordiv__(self, other: Array | Scalar, /) -> Array: ...
        def __rfloordiv__(self, other: Array | Scalar, /) -> Array: ...
        def __ifloordiv__(self, other: Array | Scalar, /) -> Array: ...
        def __mod__(self, other: Array | Scalar, /) -> Array: ...
        def __rmod__(self, other: Array | Scalar, /) -> Array: ...
        def __imod__(self, other: Array | Scalar, /) -> Array: ...
        def __pow__(self, other: Array | Scalar, /) -> Array: ...
        def __rpow__(self, other: Array | Scalar, /) -> Array: ...
        def __ipow__(self, other: Array | Scalar, /) -> Array: ...
        def __matmul__(self, other: Array, /) -> Array: ...
        def __rmatmul__(self, other: Array, /) -> Array: ...
        def __imatmul__(self, other: Array, /) -> Array: ...
        def __and__(self, other: Array | int, /) -> Array: ...
        def __rand__(self, other: Array | int, /) -> Array: ...
        def __iand__(self, other: Array | int, /) -> Array: ...
        def __or__(self, other: Array | int, /) -> Array: ...
        def __ror__(self, other: Array | int, /) -> Array: ...
        def __ior__(self, other: Array | int, /) -> Array: ...
        def __xor__(self, other: Array | int, /) -> Array: ...
        def __rxor__(self, other: Array | int, /) -> Array: ...
        def __ixor__(self, other: Array | int, /) -> Array: ...
        def __lshift__(self, other: Array | int, /) -> Array: ...
        def __rlshift__(self, other: Array | int, /) -> Array: ...
        def __ilshift__(self, other: Array | int, /) -> Array: ...
        def __rshift__(self, other: Array | int, /) -> Array: ...
        def __rrshift__(self, other: Array | int, /) -> Array: ...
        def __irshift__(self, other: Array | int, /) -> Array: ...
        def __eq__(self, other: object, /) -> Array: ...  # type: ignore[override]
        def __ne__(self, other: object, /) -> Array: ...  # type: ignore[override]
        def __lt__(self, other: Array | Scalar, /) -> Array: ...
        def __le__(self, other: Array | Scalar, /) -> Array: ...
        def __gt__(self, other: Array | Scalar, /) -> Array: ...
        def __ge__(self, other: Array | Scalar, /) -> Array: ...


def live(x: Array) -> Any:
    """Return the library's array, if the memory was not released."""
    if x._record is not None and x._record.released:
        x._record.refuse_released()
    return x._native


def wrap(home: Home, result: Any, source: Array | None = None) -> Array:
    """Make an array of what the library returned; it shares the source's record if it is a view of it."""
    if type(result) is not home.array_type:
        result = home.library.asarray(result)
    made = object.__new__(Array)
    made._native = result
    made._home = home
    made._record = None
    if source is not None and source._record is not None and records.same_memory(home, result, source._native):
        made._record = source._record
    return made


def native(home: Home, value: Any) -> Any:
    """Return an operand as the library takes it.

    Raises
    ------
    TypeError
        If it is neither an array nor a number.
    DeviceMismatchError
        If it is an array of another device.
    """
    if type(value) is Array:
        if value._home is not home:
            home.refuse(value._home)
        return live(value)
    if type(value) in _SCALARS or value is None:
        return value
    accepted = home.accept(value)
    if accepted is NotImplemented:
        raise TypeError(f"an array of {home.device} or a number is needed; found {value!r}: write xp.asarray(values)")
    return accepted


def native_key(home: Home, key: Any) -> Any:
    """Return an index as the library takes it."""
    if type(key) is tuple:
        return tuple(native_key(home, part) for part in key)
    return native(home, key) if type(key) is Array else key


def array_on(container: AcceleratorDataContainer, shape: tuple[int, ...] | None = None) -> Array:
    """Make an array on a container's memory, without a copy."""
    home = home_on(container.device)
    storage = container.storage
    flat = home.backend.array(storage.__accel_operand__(), storage.pin())
    made = wrap(home, flat if shape is None else flat.reshape(shape))
    made._record = storage
    return made


def bad_write(x: Array, error: Exception) -> Exception:
    """Explain why the library refused to write into an array."""
    if x._home.backend.is_readonly(x._native):
        return ReadOnlyError("this array is read-only; write to a copy of it: xp.asarray(x, copy=True)")
    if isinstance(error, TypeError):
        return DTypeError(f"the result does not fit {x.dtype.name} in place ({error}); write x = x + y, or xp.astype")
    return error


operators.attach(Array, Array=Array, live=live, bad_write=bad_write, new=object.__new__, scalars=_SCALARS)
