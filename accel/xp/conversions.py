"""The methods of an array that convert it to a Python number, text, a NumPy array, a Python buffer, or Arrow."""

from functools import partial
from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import DType, DTypeLike
from accel.errors import ConversionError, DeviceMismatchError, DTypeError, InterchangeError, LayoutError
from accel.memory import AnyStorage, HostStorage
from accel.xp.array_base import ArrayBase, live
from accel.xp.array_library import HOST_SCALARS
from accel.xp.array_storage import window
from accel.xp.host_access import on_host

__all__ = [
    "array_interface",
    "to_arrow",
    "to_bool",
    "to_buffer",
    "to_complex",
    "to_float",
    "to_hash",
    "to_index",
    "to_int",
    "to_number",
    "to_numpy",
    "to_text",
]

# What Python converts as it converts its own numbers; of complex ones NumPy would take the real part, with a warning.
_REAL_SCALARS = frozenset(each for each in HOST_SCALARS if not issubclass(each, np.complexfloating))

_WRITABLE, _STRIDES = 0x01, 0x10  # inspect.BufferFlags has them from Python 3.12 on


def to_number(x: ArrayBase, kind: str) -> Any:
    """Return the element of an array of no axes as a Python number; ``kind`` is its type for messages."""
    element = x._native
    if type(element) in HOST_SCALARS:  # it has no memory that could be released, or be written to
        return element.item()
    if x.ndim:
        raise ConversionError(
            f"only an array of no axes becomes a Python {kind}, and this one has shape {x.shape}; "
            f"write x[index] for one element, or xp.sum(x)"
        )
    return _only_element(x)


def _only_element(x: ArrayBase) -> Any:
    array, library = live(x), x._library
    return array.item() if library.within is None else library.compute(library.array_type.item, array)


def to_bool(x: ArrayBase) -> bool:
    """Return the truth value of an array of one element."""
    element = x._native
    if type(element) in HOST_SCALARS:
        return bool(element)
    if x.size != 1:
        raise ConversionError(
            f"the truth value of an array of shape {x.shape} is ambiguous; write xp.any(x) or xp.all(x), or "
            f"x[index] for one element"
        )
    return bool(_only_element(x))


def to_int(x: ArrayBase) -> int:
    """Return the element as a Python integer."""
    element = x._native
    return int(element if type(element) in _REAL_SCALARS else to_number(x, "int"))


def to_float(x: ArrayBase) -> float:
    """Return the element as a Python float."""
    element = x._native
    return float(element if type(element) in _REAL_SCALARS else to_number(x, "float"))


def to_complex(x: ArrayBase) -> complex:
    """Return the element as a Python complex number."""
    return complex(to_number(x, "complex"))


def to_index(x: ArrayBase) -> int:
    """Return the element of an array of integers as an index."""
    if x.dtype.kind not in "iu":
        raise TypeError(f"only an array of integers is an index, and this one has dtype {x.dtype.name}")
    return int(to_number(x, "index"))


def to_hash(x: ArrayBase) -> int:
    """Return the hash of the element of an array of no axes: that of the number, to which it is equal.

    Elements are such arrays, so sets, and libraries that look elements up, find them as they find numbers. Truth values
    have no hash: pandas would take a mask for the labels 0 and 1.
    """
    if x.ndim:
        raise TypeError(f"unhashable type: an array of shape {x.shape}; write x.tolist() for its numbers")
    if x.dtype.kind == "b":
        raise TypeError("unhashable type: an array that is a truth value; write bool(x)")
    return hash(to_number(x, "number"))


def to_text(x: ArrayBase, spec: str) -> str:
    """Return an array of no axes as a formatted number, and any other as `str` does."""
    return format(str(x) if x.ndim else to_number(x, "number"), spec)


def to_numpy(x: ArrayBase, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, DType]:
    """Return a NumPy array on the same memory if possible, and else a copy."""
    lend = x._library.lend
    if lend is not None:
        return lend(partial(to_numpy, dtype=dtype, copy=copy), x)  # type: ignore[no-any-return]
    if x.device is not Device.CPU:
        return _copied_to_numpy(x, dtype, copy)
    array = live(x, writing=not copy)
    if not copy:
        _ = x.storage  # registers it: an Array made from NumPy's array then shares this storage
    return np.asarray(array, dtype=dtype, copy=copy)


def array_interface(x: ArrayBase) -> dict[str, Any]:
    """Describe the elements in host memory, by version 3 of NumPy's interface; an AttributeError on other devices.

    The host waits for pending work. The interface does not keep the memory alive: keep a reference to this array.
    """
    interface: dict[str, Any] = _with_interface(x).__array_interface__
    return interface


def _with_interface(x: ArrayBase) -> np.ndarray[Any, DType]:
    on_host = x.device is Device.CPU
    if not on_host or x.dtype.isbuiltin != 1:
        why = f"has no code for {x.dtype.name}" if on_host else f"is for memory of the host, and this is on {x.device}"
        raise AttributeError(f"NumPy's array interface {why}; write x.__dlpack__()", name="__array_interface__", obj=x)
    return to_numpy(x)


def _copied_to_numpy(x: ArrayBase, dtype: DTypeLike | None, copy: bool | None) -> np.ndarray[Any, DType]:
    if copy is False:
        raise DeviceMismatchError(f"NumPy gets an array on {x.device} only by a copy; write copy=None")
    # Writable: compiled code, such as SciPy's sosfilt, refuses read-only memory even where it only reads.
    return on_host(x, "NumPy", writable=True).astype(dtype or x.dtype, copy=False)


def to_buffer(x: ArrayBase, flags: int, /) -> memoryview:
    """Return the memory as a Python buffer; of other devices the bytes of a copy, which cannot be written to.

    Whoever asks for more can have an array instead: NumPy, from Python 3.12 on, looks for buffers before `__array__`.
    """
    if flags & (_WRITABLE | _STRIDES) and x.device is not Device.CPU:
        raise InterchangeError(
            f"this array is on {x.device}, so a buffer of it is a copy, without strides and not to be written to; "
            f"write x.to_device('cpu') for one of memory"
        )
    values = to_numpy(x)
    try:
        return values.data if x.device is Device.CPU else values.data.toreadonly()
    except ValueError:
        raise DTypeError(f"Python's buffers cannot carry {x.dtype.name}; write x.__dlpack__()") from None


def to_arrow(x: ArrayBase, requested_schema: object = None) -> tuple[object, object]:  # noqa: ARG001 - consumers cast
    """Return the capsules of Arrow's type and elements, on the same memory if the elements are contiguous on the host.

    Booleans are copied, as Arrow has a bit for each. Arrow takes shared elements for immutable: write to them only when
    no Arrow array is left.

    Raises
    ------
    LayoutError
        If the array has not one axis.
    DTypeError
        If Arrow has no type for the elements.
    DeviceMismatchError
        If the array is on another device, and ``host_copies`` is ``never``.
    """
    if x.ndim != 1:
        raise LayoutError(
            f"Arrow's columns have one axis, and this array has shape {x.shape}; write x.reshape(-1), or x.to_numpy() "
            f"for a library that takes arrays of NumPy of several axes"
        )
    from accel.interchange.arrow.columns import Values
    from accel.interchange.arrow.export import array_capsules
    from accel.interchange.arrow.fields import format_of

    format_of(x.dtype)  # refuses a dtype before anything is copied
    return array_capsules(Values(_storage_on_host(x)))


def to_pyarrow(x: ArrayBase, type: Any = None) -> Any:
    """Return a pyarrow array, on the same memory where pyarrow can share that of a NumPy array.

    pyarrow asks for this first, and refuses a mask beside it, which it would ignore beside Arrow's capsules.
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    return pa.array(on_host(x, "pyarrow"), type=type)


def _storage_on_host(x: ArrayBase) -> AnyStorage:
    if x.device is not Device.CPU:
        return HostStorage.on_array(on_host(x, "Arrow"))
    try:
        return window(x._library, live(x), x.storage)
    except LayoutError:  # with gaps, or not aligned
        return HostStorage.on_array(np.array(live(x)))
