"""Functions that make containers: from a size, from values, or on memory of NumPy and other libraries."""

from collections.abc import Iterable, Mapping
from reprlib import repr as abbreviated
from typing import Any, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np

from accel import copies
from accel.containers.container import AcceleratorDataContainer, new_storage
from accel.device import Device, DeviceLike, resolve
from accel.dtypes import DTypeLike, as_dtype, exact_cast, refuse_other_than_numbers
from accel.errors import DTypeError
from accel.interchange.export import only_by_copy
from accel.memory.any_storage import fill_new
from accel.memory.host_storage import HostArray, HostStorage

__all__ = ["container", "empty", "from_dlpack", "from_numpy", "full", "zeros"]

_new = object.__new__
_Scalar = TypeVar("_Scalar", bound=np.generic)
_Floats: TypeAlias = AcceleratorDataContainer[np.float64]


@overload
def empty(size: SupportsIndex, *, device: DeviceLike | None = None) -> _Floats: ...
@overload
def empty(
    size: SupportsIndex, dtype: type[_Scalar], device: DeviceLike | None = None
) -> AcceleratorDataContainer[_Scalar]: ...
@overload
def empty(size: SupportsIndex, dtype: DTypeLike, device: DeviceLike | None = None) -> AcceleratorDataContainer: ...
def empty(
    size: SupportsIndex, dtype: DTypeLike = "float64", device: DeviceLike | None = None
) -> AcceleratorDataContainer:
    """Return a container of ``size`` uninitialised elements.

    Parameters
    ----------
    size : int
        Number of elements; for arrays of several dimensions see ``accel.xp.zeros``.
    dtype : dtype_like
        Type of the elements.
    device : Device or str, optional
        The device; by default `Device.default`.

    Returns
    -------
    AcceleratorDataContainer
        The container.

    Raises
    ------
    TypeError, ValueError
        If the size is not an integer, is negative, or overflows.
    DTypeError, DeviceUnavailableError, OutOfMemoryError
        As for `AcceleratorDataContainer`.
    """
    container: AcceleratorDataContainer = _new(AcceleratorDataContainer)  # as `on`, without the call
    container._storage = new_storage(size, dtype, device)
    return container


@overload
def full(size: SupportsIndex, value: Any, *, device: DeviceLike | None = None) -> _Floats: ...
@overload
def full(
    size: SupportsIndex, value: Any, dtype: type[_Scalar], device: DeviceLike | None = None
) -> AcceleratorDataContainer[_Scalar]: ...
@overload
def full(
    size: SupportsIndex, value: Any, dtype: DTypeLike, device: DeviceLike | None = None
) -> AcceleratorDataContainer: ...
def full(
    size: SupportsIndex, value: Any, dtype: DTypeLike = "float64", device: DeviceLike | None = None
) -> AcceleratorDataContainer:
    """Return a container of ``size`` elements, all of one value.

    Parameters
    ----------
    size : int
        The number of elements.
    value : number
        The value of all elements.
    dtype : dtype_like, default "float64"
        The dtype of the elements; by default that of the value.
    device : Device or str, optional
        The device; by default the current one.

    Returns
    -------
    AcceleratorDataContainer
        The container.

    Raises
    ------
    DTypeError, OverflowError
        If the dtype cannot hold the value; otherwise as `empty`.
    """
    element_type = as_dtype(dtype)
    item = copies.item_of(value, element_type, "write accel.container(values)")
    storage = new_storage(size, element_type, device)
    if type(storage) is HostStorage or not copies.filled(storage, item):
        fill_new(storage, item.value)
    return AcceleratorDataContainer.on(storage)


@overload
def zeros(size: SupportsIndex, *, device: DeviceLike | None = None) -> _Floats: ...
@overload
def zeros(
    size: SupportsIndex, dtype: type[_Scalar], device: DeviceLike | None = None
) -> AcceleratorDataContainer[_Scalar]: ...
@overload
def zeros(size: SupportsIndex, dtype: DTypeLike, device: DeviceLike | None = None) -> AcceleratorDataContainer: ...
def zeros(
    size: SupportsIndex, dtype: DTypeLike = "float64", device: DeviceLike | None = None
) -> AcceleratorDataContainer:
    """Return a container of ``size`` zeros; otherwise as `empty`.

    Parameters
    ----------
    size : int
        The number of elements.
    dtype : dtype_like, default "float64"
        The dtype of the elements; by default float64.
    device : Device or str, optional
        The device; by default the current one.

    Returns
    -------
    AcceleratorDataContainer
        The container.
    """
    container: AcceleratorDataContainer = _new(AcceleratorDataContainer)
    container._storage = new_storage(size, dtype, device, cleared=True)
    return container


@overload
def container(
    values: Any, dtype: type[_Scalar], device: DeviceLike | None = None
) -> AcceleratorDataContainer[_Scalar]: ...
@overload
def container(
    values: Any, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> AcceleratorDataContainer: ...
def container(
    values: Any, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> AcceleratorDataContainer:
    """Return a container with a copy of the values, flattened in C order.

    Parameters
    ----------
    values : array_like
        Numbers, nested sequences of numbers, or an array; one float gives a container of size 1.
    dtype : dtype_like, optional
        Type of the elements; by default that of the values.
    device : Device or str, optional
        The device; by default `Device.default`.

    Returns
    -------
    AcceleratorDataContainer
        The container.

    Raises
    ------
    TypeError
        If this is an int: for a container of that size write ``accel.empty(5)``.
    DTypeError, OverflowError
        If the values are not numbers, or the dtype cannot hold them.

    Examples
    --------
    >>> import accel
    >>> accel.container([[1, 2], [3, 4]], dtype="float32").to_numpy()
    array([1., 2., 3., 4.], dtype=float32)
    """
    if isinstance(values, int):
        raise TypeError(
            f"accel.container takes values, not a size; write accel.empty({values}), or accel.container([{values}])"
        )
    array = _as_array(values)
    element_type = as_dtype(array.dtype if dtype is None else dtype)
    elements = exact_cast(array, element_type)
    storage = new_storage(elements.size, element_type, device)
    copies.write_new(storage, elements)
    return AcceleratorDataContainer.on(storage)


def _as_array(values: Any) -> HostArray:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(
            f"the values make no array: {error} Give rows of equal length, as in accel.container([[1, 2], [3, 4]])"
        ) from None
    if array.dtype.kind in "OSU" and not isinstance(values, np.ndarray):
        _refuse(values, array)
    return array


def _refuse(values: Any, array: HostArray) -> None:
    """Raise `DTypeError` for what is not an array of numbers, with what to write for it."""
    what = f"a container has numbers as elements; found {abbreviated(values)}"
    if values is None:
        raise DTypeError(f"{what}: for memory without values write accel.empty(size)")
    if isinstance(values, str | bytes):
        code = "[*values.encode()]" if isinstance(values, str) else "[*values]"
        raise DTypeError(f"{what}: for its bytes write accel.container({code}, 'uint8')")
    if isinstance(values, Mapping):
        raise DTypeError(f"{what}: write accel.container([*values.values()])")
    if not array.ndim and isinstance(values, Iterable):
        raise DTypeError(f"{what}: write accel.container([*values])")
    refuse_other_than_numbers(array, "in a container")


def from_numpy(array: HostArray, copy: bool = False) -> AcceleratorDataContainer:
    """Return a container on the memory of a NumPy array, read-only if the array is.

    Parameters
    ----------
    array : numpy.ndarray
        An array of any shape, contiguous in C order.
    copy : bool
        Copy into new memory instead; then the array need not be contiguous.

    Returns
    -------
    AcceleratorDataContainer
        The container.

    Raises
    ------
    TypeError
        If this is not a NumPy array.
    LayoutError
        If the array is not contiguous in C order, and ``copy`` is False.
    DTypeError
        If they are not numbers or booleans.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy takes a numpy.ndarray; found {type(array).__name__}: write accel.container(x)")
    if copy:
        return container(array, device=Device.CPU)
    return AcceleratorDataContainer.on(HostStorage.on_array(array))


def from_dlpack(x: Any, device: DeviceLike | None = None, copy: bool | None = None) -> AcceleratorDataContainer:
    """Return a container on the memory of another library's array, read-only if the array is.

    Parameters
    ----------
    x : object with ``__dlpack__``
        An array of any shape, contiguous in C order.
    device : Device or str, optional
        The device of the container; by default that of ``x``.
    copy : bool, optional
        True: always copy. False: never copy.

    Returns
    -------
    AcceleratorDataContainer
        The container.

    Raises
    ------
    TypeError
        If the object has no ``__dlpack__``.
    InterchangeError
        If the other library refuses or breaks DLPack's rules, or a copy is needed with ``copy=False``.
    LayoutError
        If the array is not contiguous in C order.
    DTypeError, DeviceUnavailableError
        If containers do not support the dtype, or the device is not here.

    Examples
    --------
    >>> import numpy as np
    >>> import accel
    >>> array = np.zeros(3)
    >>> accel.from_dlpack(array)[1] = 5
    >>> array
    array([0., 5., 0.])
    """
    if type(x) is np.ndarray:  # no DLPack needed
        here = AcceleratorDataContainer.on(HostStorage.on_array(x))
        return here if device is None and not copy else _placed(here, device, copy)
    from accel.interchange.from_dlpack import receive  # as in Interchange.__dlpack__

    received = receive(x, device=None if device is None else resolve(device), copy=copy)
    return _placed(AcceleratorDataContainer.on(received.flat()), device, copy and not received.copied)


def _placed(here: AcceleratorDataContainer, device: DeviceLike | None, copy: bool | None) -> AcceleratorDataContainer:
    """Return a container itself if it is on the device and no copy is wanted, else a copy; then release it."""
    if device is None and not copy:
        return here
    target = here.device if device is None else resolve(device)
    if target is here.device and not copy:
        return here
    with here:
        if copy is False:
            raise only_by_copy(here.device, target)
        return here.to(target, copy=True)
