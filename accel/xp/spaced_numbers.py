"""`arange`, `linspace` and `eye`: new arrays of numbers at equal distances, and of ones on a diagonal."""

from typing import Any, Literal, overload

import numpy as np

from accel.device import DeviceLike
from accel.dtypes import DTypeLike, as_dtype
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.arrays import Array, wrap
from accel.xp.operands import REFUSALS, native_or_none, new
from accel.xp.placement import ArrayOrder, device_like, is_fortran
from accel.xp.refusals import failure

__all__ = ["arange", "eye", "linspace"]

_NUMBERS = frozenset({int, float})
_OF_NUMPY = (np.generic, np.ndarray)  # a union would be built anew at each call


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: DTypeLike | None = None,
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return evenly spaced numbers from ``start`` to before ``stop``; ``arange(stop)`` starts at 0.

    Parameters
    ----------
    start : float
        The first number; the end, if ``stop`` is not given.
    stop : float, optional
        The end, which is not reached.
    step : float, default 1
        The distance of neighbours; negative for numbers that fall.
    dtype : dtype_like, optional
        The dtype of the result; by default that of the numbers.
    device : Device or str, optional
        The device of the result; by default the current one.
    like : Array, optional
        An array on the device of the new one, if there is no ``device``.

    Returns
    -------
    Array
        The numbers, on one axis.

    Raises
    ------
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.arange(2, 10, 3)
    Array([2, 5, 8], dtype=int64, device=cpu)
    """
    library = library_on(device if like is None else device_like(like, device))
    try:
        if type(start) is type(step) is int and step == 1 and stop is None and dtype is None:
            result = library.namespace.arange(start)  # the usual call, in less time
        else:
            first, last, stride = (_plain(library, number) for number in (start, stop, step))
            result = library.namespace.arange(first, last, stride, dtype=None if dtype is None else as_dtype(dtype))
    except REFUSALS as error:
        raise failure(error) from None
    return new(library, result)


@overload
def linspace(
    start: Array | complex,
    stop: Array | complex,
    num: int = 50,
    endpoint: bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: DeviceLike | None = None,
) -> Array: ...
@overload
def linspace(
    start: Array | complex,
    stop: Array | complex,
    num: int = 50,
    endpoint: bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: int = 0,
    device: DeviceLike | None = None,
) -> tuple[Array, Array]: ...
def linspace(
    start: Array | complex,
    stop: Array | complex,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
    *,
    device: DeviceLike | None = None,
) -> Array | tuple[Array, Array]:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``; with ``retstep`` also the step between them.

    Of arrays, the numbers are along a new axis.

    Parameters
    ----------
    start : Array or complex
        The first number, or an array of first numbers.
    stop : Array or complex
        The last number, or an array of last numbers.
    num : int, default 50
        How many numbers.
    endpoint : bool, default True
        Whether ``stop`` is the last number; if not, it would be the next.
    retstep : bool, default False
        Whether to return also the distance of neighbours.
    dtype : dtype_like, optional
        The dtype of the result; by default that of the numbers, and at least floating-point.
    axis : int, default 0
        Where the new axis is in the result, if ``start`` or ``stop`` is an array.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    Array or tuple of Array
        The numbers; with ``retstep`` a tuple of these and of their distance.

    Raises
    ------
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float64, device=cpu)
    """
    library = library_on(device)
    first, last, target = start, stop, None if dtype is None else as_dtype(dtype)
    if not (type(start) in _NUMBERS and type(stop) in _NUMBERS):
        first, last = _plain(library, start), _plain(library, stop)
        if target is None and (_is_scalar(start) or _is_scalar(stop)):
            target = np.result_type(start, stop, 1.0)
    function = library.namespace.linspace
    try:
        if not retstep and not axis:
            return new(library, function(first, last, num, dtype=target, endpoint=endpoint))
        if not retstep:
            return new(library, function(first, last, num, dtype=target, endpoint=endpoint, axis=axis))
    except REFUSALS as error:
        raise failure(error) from None
    samples, step = function(first, last, num, dtype=target, endpoint=endpoint, axis=axis, retstep=True)
    return wrap(library, samples), wrap(library, library.namespace.asarray(step))


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: DTypeLike | None = None,
    order: ArrayOrder = "C",
    *,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Return a matrix of ``N`` rows and ``M`` columns with ones on its ``k``-th diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        The number of rows.
    M : int, optional
        The number of columns; by default ``N``.
    k : int, default 0
        Which diagonal has the ones: above the main one if positive, below it if negative.
    dtype : dtype_like, optional
        The dtype of the result; by default float64.
    order : str, default "C"
        The order of the elements in memory: C's or Fortran's.
    device : Device or str, optional
        The device of the result; by default the current one.
    like : Array, optional
        An array on the device of the new one, if there is no ``device``.

    Returns
    -------
    Array
        The matrix.

    Raises
    ------
    DeviceUnavailableError
        If the device is not available.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.eye(2, 3, k=1)
    Array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float64, device=cpu)
    """
    if order != "C" or like is not None:
        x = eye(N, M, k, dtype, device=device_like(like, device))
        return x.copy("F") if is_fortran(order) else x
    library = library_on(device)
    try:
        result = library.namespace.eye(N, M, k=k, dtype=None if dtype is None else as_dtype(dtype))
    except REFUSALS as error:
        raise failure(error) from None
    return new(library, result)


def _plain(library: ArrayLibrary, number: Any) -> Any:
    if number is None or type(number) in _NUMBERS:
        return number
    of_host = library.of_numpy is not None and isinstance(number, np.generic)  # NumPy gives the result its dtype
    return number if of_host else number.item() if _is_scalar(number) else native_or_none(library, number)


def _is_scalar(number: Any) -> bool:
    return isinstance(number, _OF_NUMPY) and not number.ndim
