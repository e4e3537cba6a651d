"""The functions of `accel.xp.fft` that create arrays. They are here because mypy reads ``fft.pyi``, not ``fft.py``."""

from accel.device import DeviceLike
from accel.dtypes import DTypeLike
from accel.xp.array_library import library_on
from accel.xp.arrays import Array
from accel.xp.operands import created, dtype_or_none

__all__ = ["fftfreq", "rfftfreq"]


def fftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return the frequencies of a transform of ``n`` samples, ``d`` apart.

    Parameters
    ----------
    n : int
        The number of samples.
    d : float, default 1.0
        The distance of neighbouring samples.
    dtype : dtype_like, optional
        The dtype of the result; by default float64.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    Array
        The frequencies, in the order of `fft`: 0, positive ones, negative ones.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.fft.fftfreq(4)
    Array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float64, device=cpu)
    """
    return _frequencies("fftfreq", n, d, dtype, device)


def rfftfreq(n: int, d: float = 1.0, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Array:
    """Return the frequencies of a transform of ``n`` real samples, ``d`` apart.

    Parameters
    ----------
    n : int
        The number of samples.
    d : float, default 1.0
        The distance of neighbouring samples.
    dtype : dtype_like, optional
        The dtype of the result; by default float64.
    device : Device or str, optional
        The device of the result; by default the current one.

    Returns
    -------
    Array
        The frequencies, in the order of `rfft`: ``n // 2 + 1`` that are not negative.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.fft.rfftfreq(4)
    Array([0.  , 0.25, 0.5 ], dtype=float64, device=cpu)
    """
    return _frequencies("rfftfreq", n, d, dtype, device)


def _frequencies(name: str, n: int, d: float, dtype: DTypeLike | None, device: DeviceLike | None) -> Array:
    library = library_on(device)
    return created(library, getattr(library.namespace.fft, name), n, d=d, dtype=dtype_or_none(dtype))
