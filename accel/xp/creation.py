"""Functions that make arrays of the elements of other objects."""

from typing import Any, cast

import numpy as np

from accel.device import Device, DeviceLike, resolve
from accel.dtypes import KNOWN, DType, DTypeLike, as_dtype
from accel.errors import DeviceMismatchError, FuseError
from accel.interchange.export import Interchange, Lender, only_by_copy
from accel.memory import DeviceStorage, HostStorage
from accel.xp import array_storage, large_results
from accel.xp.array_base import live
from accel.xp.array_library import ArrayLibrary, library_on, recorder
from accel.xp.array_storage import SharedStorage
from accel.xp.arrays import Array, array_on, array_received, wrap
from accel.xp.nested_sequences import device_of_first, device_within, first_element, stacked
from accel.xp.operands import REFUSALS, array_of, dtype_or_none, new
from accel.xp.placement import MemoryOrder, device_like, ordered
from accel.xp.refusals import failure, guarded, refuse_complex, refuse_huge, refuse_values

__all__ = ["asarray", "astype", "from_dlpack"]

_NUMBERS = frozenset({bool, int, float, complex})
_OF_PYTHON = _NUMBERS | {list, tuple}
_LENDING = (Interchange, HostStorage, DeviceStorage)


def asarray(
    obj: Any,
    /,
    dtype: DTypeLike | None = None,
    order: MemoryOrder | None = None,
    *,
    device: DeviceLike | None = None,
    copy: bool | None = None,
    like: Array | None = None,
) -> Array:
    """Convert an object to an array, which shares the object's memory if possible.

    Parameters
    ----------
    obj : Array, container, storage, view, numpy.ndarray, number or nested sequence
        The elements. Containers and storages become a flat array on their memory. Nested sequences may have arrays of
        one device in them.
    dtype : dtype_like, optional
        Type of the elements; by default that of ``obj``.
    order : {"K", "C", "F", "A"}, optional
        The order of the elements in memory: by default any; C's; Fortran's; or Fortran's if ``obj`` is in it, else C's.
    device : Device or str, optional
        The device of the array; by default that of ``obj``, or `Device.default` if ``obj`` has none.
    copy : bool, optional
        True: always copy. False: never copy. None: copy if needed.
    like : Array, optional
        An array on the device of the new one, if there is no ``device``.

    Returns
    -------
    Array
        The array: on the memory of ``obj`` if possible.

    Raises
    ------
    DTypeError
        If the elements are not numbers or booleans, or if complex numbers would become real.
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
    if order is not None or like is not None:
        return ordered(asarray(obj, dtype, device=device_like(like, device), copy=copy), order, copy)
    if isinstance(obj, np.ndarray):
        return _of_numpy(obj if type(obj) is np.ndarray else np.asarray(obj), dtype, device, copy)
    if (result := _of_python(obj, dtype, device, copy)) is not None:
        return result
    if isinstance(obj, _LENDING) and not isinstance(obj, Array):
        obj, copy = _lent(obj, copy)
    elif isinstance(obj, list | tuple) and (place := device_of_first(obj)) not in (None, Device.CPU):
        obj, copy = _joined(obj, place, copy), None
    if isinstance(obj, Array):
        return _converted(obj, obj.device if device is None else device, dtype, copy)
    library = library_on(Device.CPU)
    try:
        host = wrap(library, _on_host(obj, dtype_or_none(dtype), copy))
    except (DeviceMismatchError, FuseError):
        place = device_within(obj) if (recording := recorder.get()) is None else recording.device
        if place is None:
            raise
        return asarray(_joined(obj, place, copy), dtype=dtype, device=device)
    return _converted(host, device, dtype, None if copy else copy)  # copy=True was done by _on_host


def _of_numpy(
    obj: np.ndarray[Any, DType], dtype: DTypeLike | None, device: DeviceLike | None, copy: bool | None
) -> Array:
    if obj.dtype not in KNOWN:
        if obj.dtype.hasobject:
            refuse_huge(obj)
        refuse_values(obj, obj.dtype)
    target = library_on(device)
    if target.capture is not None:
        return _converted(target.capture(obj), target.device, dtype, copy)
    library = target if target.of_numpy is not None else library_on(Device.CPU)
    if copy:
        try:
            host, copy = new(library, np.array(obj)), None
        except MemoryError as error:
            raise failure(error) from None
    else:
        host, array = Array(), guarded(obj) if 0 in obj.strides else obj
        host._native, host._library = array, library
        host._shared = array_storage.register(library, array, SharedStorage(None, not obj.flags.writeable))
    return host if dtype is None and target is library else _converted(host, target.device, dtype, copy)


def _of_python(obj: Any, dtype: DTypeLike | None, device: DeviceLike | None, copy: bool | None) -> Array | None:
    """Return numbers of Python, or lists of these, as an array on the host; None for all others."""
    kind = type(obj)
    if kind not in _OF_PYTHON or copy is False:
        return None
    first = obj[0] if kind not in _NUMBERS and obj else obj
    if type(first) not in _NUMBERS and type(first_element(first)) not in _NUMBERS:
        return None
    library = library_on(device)
    if library.of_numpy is None:
        return None
    try:
        array = np.asarray(obj, None if dtype is None else as_dtype(dtype))
    except DeviceMismatchError:  # of an array after the first element
        return None
    if array.dtype not in KNOWN:
        return None
    result = Array()
    result._native, result._library, result._shared = array, library, None
    return result


def _lent(obj: Any, copy: bool | None) -> tuple[Array, bool | None]:
    """Return an array on the memory of a container, storage or view; and ``copy``, or None if it is a copy already."""
    from accel.containers import AcceleratorDataContainer
    from accel.interchange.from_dlpack import Received

    if isinstance(obj, HostStorage | DeviceStorage):
        obj = AcceleratorDataContainer.on(obj)
    if isinstance(obj, AcceleratorDataContainer):
        return array_on(obj), copy
    lender = cast("Lender", obj)
    if copy:  # in C order
        lender, copy = lender._lent_copy(lender.device), None
    return array_received(Received(lender._lent_storage(), lender.__accel_operand__(), copied=False)), copy


def _joined(parts: Any, device: Device, copy: bool | None) -> Array:
    if copy is False:
        raise ValueError("nested sequences become an array only by a copy; write copy=None")
    if isinstance(parts, list | tuple):
        return stacked(parts, device, asarray)
    library = library_on(device)  # it records, and `parts` is a number that each call passes
    return wrap(library, library.as_array(parts))


def _on_host(obj: Any, dtype: DType | None, copy: bool | None) -> Any:
    """Return an object as a NumPy array; arrays and scalars of NumPy keep their dtype."""
    of_numpy = isinstance(obj, np.ndarray | np.generic)
    array: np.ndarray[Any, DType] = np.asarray(obj, dtype=None if of_numpy else dtype, copy=copy)
    if array.dtype.hasobject:
        refuse_huge(obj)
    if of_numpy or array.dtype not in KNOWN:
        refuse_values(obj, array.dtype)
    return guarded(array)


def _converted(x: Array, device: DeviceLike | None, dtype: DTypeLike | None, copy: bool | None) -> Array:
    library, target = library_on(device), dtype_or_none(dtype) or x.dtype
    if library is x._library and target == x.dtype:
        return x.__copy__() if copy else x
    if copy is False:
        raise ValueError(
            f"{x.dtype.name} on {x.device} becomes {target.name} on {library.device} only by a copy; write copy=None"
        )
    return astype(x, target, copy=False).to_device(library.device)


def astype(x: Array, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike | None = None) -> Array:
    """Cast an array to a dtype, with NumPy's casting.

    Parameters
    ----------
    x : Array
        The elements.
    dtype : dtype_like
        Type of the result's elements.
    copy : bool
        True: always copy. False: return ``x`` itself if it has the dtype.
    device : Device or str, optional
        The device of the result; by default that of ``x``.

    Returns
    -------
    Array
        The array of the dtype.

    Raises
    ------
    DTypeError
        If complex numbers would become real.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.astype(xp.asarray([1.7, -1.7]), "int32")
    Array([ 1, -1], dtype=int32, device=cpu)
    """
    x = array_of(x)
    target, library, array = as_dtype(dtype), x._library, live(x)
    on_host = type(array) is np.ndarray
    if array.dtype.kind == "c":
        refuse_complex(array.dtype, target)
    if copy or target != array.dtype:
        try:
            x = new(library, _cast(library, array, target) if on_host else library.namespace.astype(array, target))
        except REFUSALS as error:
            raise failure(error) from None
    return x if device is None else x.to_device(device)


def _cast(library: ArrayLibrary, array: Any, dtype: DType) -> Any:
    copy = large_results.copied(library, array, dtype)
    return array.astype(dtype) if copy is None else copy


def from_dlpack(x: Any, /, *, device: DeviceLike | None = None, copy: bool | None = None) -> Array:
    """Return an array on the memory of another library's array, read-only if the other array is.

    Parameters
    ----------
    x : object with ``__dlpack__``
        The array of the other library. Arrays of NumPy and of `accel` are taken directly, without DLPack.
    device : Device or str, optional
        The device of the result; by default that of ``x``.
    copy : bool, optional
        True: always copy. False: never copy. None: copy if needed.

    Returns
    -------
    Array
        The array.

    Raises
    ------
    TypeError
        If the object has no ``__dlpack__``.
    InterchangeError
        If the other library refuses or breaks DLPack's rules, or if ``copy=False`` and a copy is needed.
    DTypeError
        If arrays cannot have the dtype.
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import numpy as np
    >>> import accel.xp as xp
    >>> xp.from_dlpack(np.arange(3))
    Array([0, 1, 2], dtype=int64, device=cpu)
    """
    target, copied = None if device is None else resolve(device), False
    if isinstance(x, Array):
        array = x
    elif type(x) is np.ndarray:
        as_dtype(x.dtype)
        array = wrap(library_on(Device.CPU), guarded(x))
    else:
        from accel.interchange.from_dlpack import receive

        received = receive(x, device=target, copy=copy)
        array, copied = array_received(received), received.copied
    if copy is False and target not in (None, array.device):
        raise only_by_copy(array.device, target)
    return _converted(array, target or array.device, None, None if copied else copy)
