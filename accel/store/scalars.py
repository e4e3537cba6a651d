"""`Scalar`: one value of any type, which owns its bytes or shares those of a buffer (Legate's)."""

from typing import Any, ClassVar, Self, TypeAlias, overload

import numpy as np

from accel.dtypes import DType, DTypeLike, as_dtype, exact_cast
from accel.errors import DTypeError, StoreValueError
from accel.memory.host_storage import HostArray

__all__ = ["Scalar", "null"]

ScalarType: TypeAlias = DTypeLike | type[str] | type[bytes]
"""A dtype, one of NumPy with a shape such as ``numpy.dtype(("int64", (3,)))``, ``str`` or ``bytes``."""

_BYTE = as_dtype("uint8")


class Scalar:
    """One value: a number, text, bytes or a sequence of numbers (Legate's ``Scalar``).

    ``Scalar(value)`` owns a copy of the value. ``Scalar(dtype, memory)`` shares the bytes of a buffer, so it has the
    value that is there now; with ``copy=True`` it owns a copy of them. ``Scalar()`` is `null`.

    ``==`` compares values, of any dtypes: ``Scalar(5, "int8") == Scalar(5, "int64") == 5``. A copy of a scalar that
    shares memory shares it too.

    Parameters
    ----------
    value : number, str, bytes or sequence of numbers
        A point is a sequence of its coordinates.
    dtype : dtype_like, optional
        Type of the value or of its elements. By default an integer gets the smallest type that holds it, unsigned if
        it is not negative. The integers of a sequence get int64, and its booleans uint8.
    memory : buffer
        An object with Python's buffer protocol, contiguous.
    copy : bool
        Own a copy of the bytes.

    Raises
    ------
    OverflowError
        If an integer is out of range for the dtype, or for every dtype.
    DTypeError
        If the dtype cannot hold the value, or the value is none of these.
    StoreValueError
        If the buffer is too small or not contiguous, or a sequence is nested, or empty without a dtype.

    Examples
    --------
    >>> from accel.store import Scalar
    >>> Scalar(300), Scalar([1.5, 2.5], "float32").size, Scalar("text").value()
    (Scalar(300, dtype='uint16'), 8, 'text')
    """

    __slots__ = ("_bytes", "_shared", "_type")
    _bytes: HostArray
    _shared: bool
    _type: DType | None

    @overload
    def __init__(self, value: Any = None, dtype: ScalarType | None = None) -> None: ...
    @overload
    def __init__(self, value: ScalarType, dtype: Any, copy: bool = False) -> None: ...
    def __init__(self, value: Any = None, dtype: Any = None, copy: bool = False) -> None:
        if dtype is None or isinstance(dtype, str | type | np.dtype):
            self._own(*_read(value, dtype))
            return
        data = _bytes_of(dtype)
        element_type = _type_of(value, data.size)
        if data.size < element_type.itemsize:
            raise StoreValueError(
                f"{_name(element_type)} has {element_type.itemsize} bytes; the memory has {data.size}"
            )
        self._bytes, self._type, self._shared = data[: element_type.itemsize], element_type, True
        if copy:
            self._own(self._bytes, element_type)

    def _own(self, data: HostArray, dtype: DType | None) -> Self:
        self._bytes = np.array(data).reshape(-1).view(_BYTE)
        self._bytes.flags.writeable = False
        self._type, self._shared = dtype, False
        return self

    @property
    def dtype(self) -> DType | None:
        """Type of the value, as one of NumPy; None for `null`.

        A sequence has a dtype with a shape. Text has ``S`` and the number of its bytes in UTF-8, and bytes have ``V``
        and their number.
        """
        return self._type

    @property
    def size(self) -> int:
        """Number of bytes; 0 for `null`."""
        return self._bytes.size

    @property
    def ptr(self) -> int:
        """Address of the first byte, valid as long as the scalar is; 0 for `null`."""
        return 0 if self._type is None else self._bytes.ctypes.data

    def value(self, dtype: ScalarType | None = None) -> Any:
        """Return a copy of the value: a NumPy scalar, text, bytes, or an array for a sequence.

        Parameters
        ----------
        dtype : dtype_like, optional
            Another type of the same size, as which the bytes are read.

        Raises
        ------
        StoreValueError
            If the size differs, if one is text and the other is not, or if this is `null`.
        """
        own = self._present()
        target = own if dtype is None else _type_of(dtype, self.size)
        if _is_text(target) != _is_text(own):
            raise StoreValueError(f"{self!r} cannot be read as {_name(target)}: value(str) reads text, and only text")
        if target.itemsize != self.size:
            raise StoreValueError(f"{self!r} has {self.size} bytes; {_name(target)} has {target.itemsize}")
        return _value(self._bytes, target)

    def values(self, dtype: DTypeLike | None = None) -> HostArray:
        """Return all elements as a read-only array on the bytes; a value that is no sequence is one element.

        Parameters
        ----------
        dtype : dtype_like, optional
            Another type of elements of the same size, as which the bytes are read. Text and bytes have elements of one
            byte.

        Returns
        -------
        numpy.ndarray
            One dimension.

        Raises
        ------
        StoreValueError
            If the size of an element differs, or if this is `null`.
        """
        own = self._present()
        element = _BYTE if _is_text(own) or _is_binary(own) else own.base
        target = element if dtype is None else as_dtype(dtype)
        if target.itemsize != element.itemsize:
            raise StoreValueError(
                f"elements of {self!r} have {element.itemsize} bytes; those of {target.name} have {target.itemsize}"
            )
        elements = self._bytes.view(target)
        elements.flags.writeable = False
        return elements

    def _present(self) -> DType:
        if self._type is None:
            raise StoreValueError("the null scalar has no value; make one with Scalar(value)")
        return self._type

    def _plain(self) -> Any:
        """Return the value in Python's own types, which compare integers and reals exactly."""
        value = None if self._type is None else self.value()
        return value.tolist() if isinstance(value, np.ndarray | np.generic) else value

    def __eq__(self, other: object) -> bool:
        try:
            compared = other if isinstance(other, Scalar) else Scalar(other)
        except (TypeError, ValueError, OverflowError):
            return NotImplemented
        return bool(self._plain() == compared._plain())

    # The value of a scalar that shares memory may change.
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        if copy is False:
            raise ValueError("a Scalar becomes an array only by a copy; write copy=None, or x.values()")
        return np.asarray(self.value(), dtype)

    def __copy__(self) -> Self:
        scalar = object.__new__(type(self))
        if not self._shared:
            return scalar._own(self._bytes, self._type)
        scalar._bytes, scalar._type, scalar._shared = self._bytes, self._type, True
        return scalar

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return object.__new__(type(self))._own(self._bytes, self._type)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Scalar, ()) if self._type is None else (Scalar, (self._type, self._bytes.tobytes(), True))

    def __repr__(self) -> str:
        if self._type is None:
            return "null()"
        named = "" if _is_text(self._type) or _is_binary(self._type) else f", dtype={self._type.base.name!r}"
        return f"Scalar({self._plain()!r}{named})"


def null() -> Scalar:
    """Return the scalar without a value: its size and its pointer are 0.

    Returns
    -------
    scalar
        The scalar.
    """
    return Scalar()


def _is_text(dtype: DType) -> bool:
    return dtype.type is np.bytes_


def _is_binary(dtype: DType) -> bool:
    # A dtype with a shape has the same class.
    return dtype.type is np.void and dtype.subdtype is None


def _name(dtype: DType) -> str:
    if _is_text(dtype):
        return "text"
    return f"{dtype.base.name} of shape {dtype.shape}" if dtype.shape else dtype.name


def _type_of(dtype: ScalarType, nbytes: int) -> DType:
    """Return a type of scalars as a dtype of NumPy; text and bytes have as many bytes as there are."""
    if dtype is str or dtype is bytes:
        return np.dtype(f"{'S' if dtype is str else 'V'}{nbytes}")
    if isinstance(dtype, np.dtype) and (_is_text(dtype) or _is_binary(dtype)):
        return dtype
    if isinstance(dtype, np.dtype) and dtype.subdtype is not None:
        return np.dtype((as_dtype(dtype.base), dtype.shape))
    return as_dtype(dtype)


def _value(data: HostArray, dtype: DType) -> Any:
    if _is_text(dtype):
        return data.tobytes().decode()
    if _is_binary(dtype):
        return data.tobytes()
    elements = data.view(dtype.base).copy()
    return elements[0] if dtype.subdtype is None else elements.reshape(dtype.shape)


def _bytes_of(memory: Any) -> HostArray:
    """Return the bytes of a buffer, without a copy."""
    try:
        return np.frombuffer(memory, _BYTE)
    except TypeError:
        raise TypeError(f"Scalar(dtype, memory) reads a buffer; found {type(memory).__name__}") from None
    except (ValueError, BufferError) as error:
        raise StoreValueError(f"a Scalar needs contiguous memory: {error}") from None


def _read(value: Any, dtype: ScalarType | None) -> tuple[HostArray, DType | None]:
    """Return the bytes of a value, and the type that it gets."""
    if isinstance(value, Scalar):
        if dtype is None:
            return value._bytes, value._type
        value = value.value()
    if value is None and dtype is None:
        return np.empty(0, _BYTE), None
    if isinstance(value, str | bytes):
        return _read_text(value, dtype)
    elements = _read_numbers(value, dtype)
    element_type = np.dtype((elements.dtype, elements.shape)) if elements.ndim else elements.dtype
    return elements, element_type


def _read_text(value: str | bytes, dtype: ScalarType | None) -> tuple[HostArray, DType]:
    kind = str if isinstance(value, str) else bytes
    if dtype is not None and dtype is not kind:
        raise DTypeError(
            f"{value!r} cannot be a value of {dtype}; for the bytes of a buffer write Scalar(dtype, memory)"
        )
    data = value.encode() if isinstance(value, str) else value
    return np.frombuffer(data, _BYTE), _type_of(kind, len(data))


def _read_numbers(value: Any, dtype: ScalarType | None) -> HostArray:
    if dtype is None:
        elements = _inferred(value)
    elif dtype is str or dtype is bytes:
        raise DTypeError(f"{value!r} is not {dtype}")
    else:
        target = _type_of(dtype, 0)
        array = _as_array(value)
        # NumPy makes float64 of an empty sequence.
        elements = exact_cast(array if array.size else array.astype(target.base), target.base)
        if target.shape and target.shape != elements.shape:
            raise StoreValueError(f"a value of {_name(target)} is asked for; found the shape {elements.shape}")
    if elements.ndim > 1:
        raise StoreValueError(f"a Scalar holds one number or a sequence of numbers; found the shape {elements.shape}")
    return elements


def _inferred(value: Any) -> HostArray:
    """Return a value as an array of the type that fits it."""
    if type(value) is int:
        return np.array(value, _smallest(value))
    elements = _as_array(value)
    if not hasattr(value, "dtype") and elements.ndim and not elements.size:
        raise StoreValueError("an empty sequence has no type; write Scalar([], dtype)")
    if elements.dtype.kind == "b" and elements.ndim:
        return elements.astype(_BYTE)
    return exact_cast(elements, as_dtype(elements.dtype))


def _smallest(value: int) -> DType:
    dtype = np.min_scalar_type(value)
    if dtype.kind == "O":
        raise OverflowError(f"an integer of {value.bit_length()} bits is out of range for every dtype")
    return dtype


def _as_array(value: Any) -> HostArray:
    if isinstance(value, list | tuple) and value and all(type(each) is int for each in value):
        return _integers(value)
    try:
        return np.asarray(value)
    except ValueError as error:
        raise StoreValueError(f"a Scalar holds one number or a sequence of numbers: {error}") from None


def _integers(values: list[int] | tuple[int, ...]) -> HostArray:
    # NumPy makes reals, which are not exact, of integers that only together fit neither int64 nor uint64.
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array(values, np.uint64)
