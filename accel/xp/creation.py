"""Functions that create arrays."""

from typing import Any, cast

import numpy as np

from accel.containers import AcceleratorDataContainer
from accel.device import Device, DeviceLike, resolve
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DTypeError
from accel.interchange.export import Interchange, Lender, only_by_copy
from accel.interchange.from_dlpack import Received, receive
from accel.memory import DeviceStorage, HostStorage
from accel.xp import array_storage
from accel.xp.array import Array, array_on, array_received, live, native, wrap
from accel.xp.array_library import library_on
from accel.xp.functions import created, dtype_or_none, library_of
from accel.xp.operators import Scalar
from accel.xp.refusals import guarded, refuse_huge

__all__ = [
    "arange",
    "asarray",
    "astype",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

Shape = int | tuple[int, ...]


def asarray(
    obj: Any, /, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None, copy: bool | None = None
) -> Array:
    """Return an array of what is given, sharing its memory where it can.

    Parameters
    ----------
    obj : Array, container, storage, view, numpy.ndarray, number or nested sequence
        Containers and storages give a flat array on their memory.
    dtype : dtype_like, optional
        Type of the elements; by default that of ``obj``.
    device : Device or str, optional
        Where; by default where ``obj`` is, or `Device.default` for what has no device.
    copy : bool, optional
        True: always memory of its own. False: never copy.

    Raises
    ------
    DTypeError
        If these are not numbers or booleans, or complex numbers are to become real.
    OverflowError
        If a number is out of the range of the dtype.
    ValueError
        If ``copy=False`` and a copy is needed.

    Examples
    --------
    >>> import accel
    >>> c = accel.zeros(3)
    >>> x = accel.xp.asarray(c)
    >>> x[0] = 5
    >>> c[0]
    np.float64(5.0)
    """
    if isinstance(obj, HostStorage | DeviceStorage):
        obj = AcceleratorDataContainer.on(obj)
    if isinstance(obj, AcceleratorDataContainer):
        obj = array_on(obj)
    elif isinstance(obj, Interchange) and not isinstance(obj, Array):  # a view, which holds its storage as this will
        lender = cast("Lender", obj)
        if copy:  # in C order, wherever the elements lie
            lender, copy = lender._lent_copy(lender.device), None
        obj = array_received(Received(lender._lent_storage(), lender.__accel_operand__(), copied=False))
    if isinstance(obj, Array):
        return _converted(obj, obj.device if device is None else device, dtype, copy)
    library = library_on(Device.CPU)
    host = wrap(library, _on_host(obj, dtype_or_none(dtype), copy))
    if isinstance(obj, np.ndarray) and not copy:
        host._shared = array_storage.shared(
            library, host._native, array_storage.SharedStorage(readonly=not obj.flags.writeable)
        )
    return _converted(host, device, dtype, None if copy else copy)  # what copy=True asks for is done


def _on_host(obj: Any, dtype: DType | None, copy: bool | None) -> Any:
    """Return a NumPy array of an object; one that has a dtype keeps it."""
    found: np.ndarray[Any, DType] = np.asarray(
        obj, dtype=None if isinstance(obj, np.ndarray | np.generic) else dtype, copy=copy
    )
    if found.dtype.hasobject:
        refuse_huge(obj)
    as_dtype(found.dtype)
    return guarded(found)


def _converted(x: Array, device: DeviceLike | None, dtype: DTypeLike | None, copy: bool | None) -> Array:
    library, wanted = library_on(device), dtype_or_none(dtype) or x.dtype
    if library is x._library and wanted == x.dtype:
        return x.__copy__() if copy else x
    if copy is False:
        raise ValueError(f"{x.dtype.name} on {x.device} becomes {wanted.name} on {library.device} only by a copy")
    return astype(x, wanted, copy=False).to_device(library.device)


def astype(x: Array, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike | None = None) -> Array:
    """Return the elements of an array as another dtype, by NumPy's casting.

    Parameters
    ----------
    x : Array
        The elements.
    dtype : dtype_like
        Type of the result's.
    copy : bool
        False: the array itself if nothing changes.
    device : Device or str, optional
        Where to; by default where ``x`` is.

    Raises
    ------
    DTypeError
        If complex numbers are to become real.
    """
    library, wanted = library_of(x), as_dtype(dtype)
    array = live(x)
    if x.dtype.kind == "c" and wanted.kind not in "cb":
        raise DTypeError(f"{x.dtype.name} becomes {wanted.name} only without its imaginary part; write xp.real(x)")
    if copy or wanted != x.dtype:
        x = created(library, library.namespace.astype, array, wanted, copy=True)
    return x if device is None else x.to_device(device)


def from_dlpack(x: Any, /, *, device: DeviceLike | None = None, copy: bool | None = None) -> Array:
    """Return an array on the memory of another library's array, read-only if that is.

    Parameters
    ----------
    x : object with ``__dlpack__``
        NumPy's arrays and our own need no capsule.
    device : Device or str, optional
        Where the array is to be; by default where ``x`` is.
    copy : bool, optional
        True: always memory of its own. False: never copy.

    Raises
    ------
    TypeError
        If the object has no ``__dlpack__``.
    InterchangeError
        If the other library refuses or breaks DLPack's rules, or ``copy=False`` and a copy is needed.
    DTypeError, DeviceUnavailableError
        If arrays cannot have the dtype, or the device is not here.
    """
    target, copied = None if device is None else resolve(device), False
    if isinstance(x, Array):
        made = x
    elif type(x) is np.ndarray:
        as_dtype(x.dtype)
        made = wrap(library_on(Device.CPU), guarded(x))
    else:
        received = receive(x, device=target, copy=copy)
        made, copied = array_received(received), received.copied
    if copy is False and target not in (None, made.device):
        raise only_by_copy(made.device, target)
    return _converted(made, target or made.device, None, copy and not copied)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Array:
    """Return evenly spaced numbers from ``start`` to before ``stop``; with one argument, from 0 to before it."""
    library = library_on(device)
    return created(library, library.namespace.arange, start, stop, step, dtype=dtype_or_none(dtype))


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    endpoint: bool = True,
) -> Array:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``."""
    library = library_on(device)
    return created(library, library.namespace.linspace, start, stop, num, dtype=dtype_or_none(dtype), endpoint=endpoint)


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Array:
    """Return a matrix with ones on its ``k``-th diagonal and zeros elsewhere."""
    library = library_on(device)
    return created(library, library.namespace.eye, n_rows, n_cols, k=k, dtype=dtype_or_none(dtype))


def empty(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array with whatever its memory held before."""
    library = library_on(device)
    return created(library, library.namespace.empty, shape, dtype=dtype_or_none(dtype))


def zeros(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array of zeros."""
    library = library_on(device)
    return created(library, library.namespace.zeros, shape, dtype=dtype_or_none(dtype))


def ones(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array of ones."""
    library = library_on(device)
    return created(library, library.namespace.ones, shape, dtype=dtype_or_none(dtype))


def full(
    shape: Shape, fill_value: Scalar, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Array:
    """Return an array of one value, of the dtype that value has.

    Raises
    ------
    OverflowError
        If an integer is out of the range of the dtype.
    """
    library = library_on(device)
    value = native(library, fill_value)
    if dtype is None:
        refuse_huge(value)
    return created(library, library.namespace.full, shape, value, dtype=dtype_or_none(dtype))


def empty_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array of the shape, dtype and device of another, with whatever its memory held before."""
    return empty(**_like(x, dtype, device))


def zeros_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return zeros of the shape, dtype and device of another array."""
    return zeros(**_like(x, dtype, device))


def ones_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return ones of the shape, dtype and device of another array."""
    return ones(**_like(x, dtype, device))


def full_like(
    x: Array, /, fill_value: Scalar, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Array:
    """Return one value in the shape, dtype and device of another array."""
    return full(fill_value=fill_value, **_like(x, dtype, device))


def _like(x: Array, dtype: DTypeLike | None, device: DeviceLike | None) -> Any:
    """Return what is asked for, and the rest as another array has it."""
    library = library_of(x)
    return {"shape": x.shape, "dtype": x.dtype if dtype is None else dtype, "device": device or library.device}
