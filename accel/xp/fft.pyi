# Written by ci/stubs. Do not edit.
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from accel.xp.arrays import Array
from accel.xp.frequencies import fftfreq as fftfreq
from accel.xp.frequencies import rfftfreq as rfftfreq

_Axes: TypeAlias = Sequence[int] | None
_Norm: TypeAlias = Literal["backward", "ortho", "forward"]
__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

def fft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the discrete Fourier transform along an axis.

    `fft` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.fft.html

    >>> xp.fft.fft(xp.asarray([1.0, 0.0, 0.0, 0.0]))
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex128, device=cpu)
    """

def fftn(a: Array, s: _Axes = None, axes: _Axes = None, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the discrete Fourier transform along several axes.

    `fftn` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.fftn.html

    >>> xp.fft.fftn(xp.asarray([[1.0, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex128, device=cpu)
    """

def fftshift(x: Array, axes: int | Sequence[int] | None = None) -> Array:
    """Move the frequency 0 of a transform to the middle of the axes.

    `fftshift` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.fftshift.html

    >>> xp.fft.fftshift(xp.asarray([0, 1, -2, -1]))
    Array([-2, -1,  0,  1], dtype=int64, device=cpu)
    """

def hfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the transform of a signal that is symmetric, as its spectrum is real.

    `hfft` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.hfft.html

    >>> xp.fft.hfft(xp.asarray([1.0 + 0j, 1.0, 1.0]))
    Array([4., 0., 0., 0.], dtype=float64, device=cpu)
    """

def ifft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the inverse of the discrete Fourier transform along an axis.

    `ifft` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.ifft.html

    >>> xp.fft.ifft(xp.asarray([4.0 + 0j, 0.0, 0.0, 0.0]))
    Array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex128, device=cpu)
    """

def ifftn(a: Array, s: _Axes = None, axes: _Axes = None, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the inverse of the discrete Fourier transform along several axes.

    `ifftn` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.ifftn.html

    >>> xp.fft.ifftn(xp.asarray([[4.0 + 0j, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex128, device=cpu)
    """

def ifftshift(x: Array, axes: int | Sequence[int] | None = None) -> Array:
    """Move the frequency 0 of a transform from the middle of the axes to their start: the inverse of `fftshift`.

    `ifftshift` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.ifftshift.html

    >>> xp.fft.ifftshift(xp.asarray([-2, -1, 0, 1]))
    Array([ 0,  1, -2, -1], dtype=int64, device=cpu)
    """

def ihfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the inverse of `hfft`: the first half of a symmetric signal, from its real spectrum.

    `ihfft` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.ihfft.html

    >>> xp.fft.ihfft(xp.asarray([4.0, 0.0, 0.0, 0.0]))
    Array([1.-0.j, 1.-0.j, 1.-0.j], dtype=complex128, device=cpu)
    """

def irfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the inverse of `rfft`: real numbers, from the first half of their spectrum.

    `irfft` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.irfft.html

    >>> xp.fft.irfft(xp.asarray([4.0 + 0j, 0.0, 0.0]))
    Array([1., 1., 1., 1.], dtype=float64, device=cpu)
    """

def irfftn(a: Array, s: _Axes = None, axes: _Axes = None, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the inverse of `rfftn`: real numbers, from the first half of their spectrum.

    `irfftn` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.irfftn.html

    >>> xp.fft.irfftn(xp.asarray([[4.0 + 0j, 0.0], [0.0, 0.0]]))
    Array([[1., 1.],
           [1., 1.]], dtype=float64, device=cpu)
    """

def rfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the first half of the discrete Fourier transform of real numbers; the other half is its conjugate.

    `rfft` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.rfft.html

    >>> xp.fft.rfft(xp.asarray([1.0, 0.0, 0.0, 0.0]))
    Array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex128, device=cpu)
    """

def rfftn(a: Array, s: _Axes = None, axes: _Axes = None, norm: _Norm = "backward", **options: Any) -> Array:
    """Return the discrete Fourier transform of real numbers along several axes; of the last axis the first half.

    `rfftn` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.fft.rfftn.html

    >>> xp.fft.rfftn(xp.asarray([[1.0, 0.0], [0.0, 0.0]]))
    Array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]], dtype=complex128, device=cpu)
    """
