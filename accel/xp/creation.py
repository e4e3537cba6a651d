"""Functions that create arrays."""

from typing import Any

import numpy as np

from accel.containers import AcceleratorDataContainer
from accel.device import Device, DeviceLike
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.memory import DeviceStorage, HostStorage
from accel.xp.array import Array, Scalar, array_on, live, wrap
from accel.xp.home import home_on

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
    obj : Array, container, storage, numpy.ndarray, number or nested sequence
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
        If these are not numbers or booleans.
    ValueError
        If ``copy=False`` and a copy is needed.
    """
    if isinstance(obj, HostStorage | DeviceStorage):
        obj = AcceleratorDataContainer.on(obj)
    if isinstance(obj, AcceleratorDataContainer):
        obj = array_on(obj)
    if isinstance(obj, Array):
        return _moved(obj, obj.device if device is None else device, dtype, copy)
    host = np.asarray(obj, dtype=_dtype(dtype), copy=copy if copy is not None or _has_memory(obj) else True)
    as_dtype(host.dtype)
    return _moved(wrap(home_on(Device.CPU), host), device, None, None if copy is None or copy else False)


def _has_memory(obj: Any) -> bool:
    """Tell whether NumPy may share memory with this; of sequences it makes a copy in any case."""
    return isinstance(obj, np.ndarray) or not isinstance(obj, list | tuple | bool | int | float | complex)


def _moved(x: Array, device: DeviceLike | None, dtype: DTypeLike | None, copy: bool | None) -> Array:
    home, wanted = home_on(device), x.dtype if dtype is None else as_dtype(dtype)
    if home is x._home and wanted == x.dtype:
        return wrap(home, home.library.asarray(live(x), copy=True)) if copy else x
    if copy is False:
        raise ValueError(f"{x.dtype.name} on {x.device} becomes {wanted.name} on {home.device} only by a copy")
    return astype(x, wanted, copy=False).to_device(home.device)


def astype(
    x: Array, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike | None = None
) -> Array:
    """Return the elements of an array as another dtype, by NumPy's casting; itself if nothing changes."""
    wanted = as_dtype(dtype)
    if wanted == x.dtype and not copy:
        found = x
    else:
        found = wrap(x._home, x._home.library.astype(live(x), wanted, copy=True))
    return found if device is None else found.to_device(device)


def from_dlpack(x: Any, /, *, device: DeviceLike | None = None, copy: bool | None = None) -> Array:
    """Return an array on memory of another library's, through DLPack."""
    if isinstance(x, Array):
        return asarray(x, device=device, copy=copy)
    host = np.from_dlpack(x, copy=copy) if copy is not None else np.from_dlpack(x)
    return asarray(host, device=Device.CPU if device is None else device, copy=None if copy else copy)


def _dtype(dtype: DTypeLike | None) -> DType | None:
    return None if dtype is None else as_dtype(dtype)


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
    home = home_on(device)
    return wrap(home, home.library.arange(start, stop, step, dtype=_dtype(dtype)))


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
    home = home_on(device)
    return wrap(home, home.library.linspace(start, stop, num, dtype=_dtype(dtype), endpoint=endpoint))


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
    home = home_on(device)
    return wrap(home, home.library.eye(n_rows, n_cols, k=k, dtype=_dtype(dtype) or np.dtype(np.float64)))


def empty(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array with whatever its memory held before."""
    home = home_on(device)
    return wrap(home, home.library.empty(shape, dtype=_dtype(dtype)))


def zeros(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array of zeros."""
    home = home_on(device)
    return wrap(home, home.library.zeros(shape, dtype=_dtype(dtype)))


def ones(shape: Shape, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array of ones."""
    home = home_on(device)
    return wrap(home, home.library.ones(shape, dtype=_dtype(dtype)))


def full(
    shape: Shape, fill_value: Scalar, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Array:
    """Return an array of one value, of the dtype that value has."""
    home = home_on(device)
    return wrap(home, home.library.full(shape, fill_value, dtype=_dtype(dtype)))


def empty_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return an array of the shape, dtype and device of another, with whatever its memory held before."""
    return empty(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def zeros_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return zeros of the shape, dtype and device of another array."""
    return zeros(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def ones_like(x: Array, /, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return ones of the shape, dtype and device of another array."""
    return ones(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def full_like(
    x: Array, /, fill_value: Scalar, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Array:
    """Return one value in the shape, dtype and device of another array."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)
