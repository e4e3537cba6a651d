"""Functions whose special cases differ between NumPy and the array standard.

Infinities, NaN and signs of zeros are corrected. For all other values the results are NumPy's.
"""

from math import inf, isfinite
from typing import Any

import numpy as np

__all__ = ["expm1", "floor_divide", "pow", "tanh"]

_REAL = frozenset("biuf")
_OF_NUMPY = (np.ndarray, np.generic)  # a union would be built anew at each call
_FEW = 1000  # elements
# Above this real part, exp(x) and exp(x) - 1 are the same number.
_MUCH_MORE_THAN_1 = 40.0
_PLUS_ZERO = complex(0.0, -0.0)  # adding it changes only a real part of -0, which becomes +0


def floor_divide(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """Return floor(x1 / x2) where an operand is infinite, as in ``inf // 2 == inf``; else what NumPy returns."""
    if _are_finite(x1, x2):
        return np.floor_divide(x1, x2, out)
    with np.errstate(all="ignore"):  # the division below warns, about the results that stay
        result = np.floor_divide(x1, x2)
    result = np.where(np.isinf(x1) | np.isinf(x2), np.floor(np.divide(x1, x2)), result)
    if out is None:
        return result
    return np.positive(result, out=out, casting="same_kind")  # which refuses other shapes, as `copyto` does not


def _are_finite(x1: Any, x2: Any) -> bool:
    """Tell whether all elements are finite; False also if their product overflows."""
    alike = isinstance(x1, np.ndarray) and isinstance(x2, np.ndarray) and x1.shape == x2.shape
    if alike and x1.dtype.kind == x2.dtype.kind == "f" and x1.size < _FEW:
        return isfinite(np.vdot(x1, x2))  # one call instead of four; it gives no warnings
    return _is_finite(x1) and _is_finite(x2)


def _is_finite(x: Any) -> bool:
    """Tell whether all elements of an operand are finite; an operand that is not real counts as finite."""
    if not isinstance(x, np.ndarray):
        return abs(x) < inf  # type: ignore[no-any-return]
    if x.dtype.kind != "f" or not x.size:
        return True
    # `argmin` takes a third of the time of `min` for few elements. It finds NaN first, for which this is False.
    return bool(x.item(x.argmin()) > -inf and x.item(x.argmax()) < inf)


def pow(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """Return a power; ``x ** 0.5`` is 0 for ``-0.0`` and inf for ``-inf``, where NumPy may take the square root."""
    if type(x2) in (int, float):
        if x2 == 0.5 and x1.dtype.kind in _REAL:
            return np.sqrt(_for_root(x1), out)
        if out is None:
            return x1**x2  # takes shortcuts, for squares too
        if out is x1:
            x1 **= x2
            return x1
    if out is x1 and _is_refused(x1, x2):
        out = None  # NumPy refuses a negative exponent when it comes to it, and has written what is before
    if _are_paired(x1, x2) or not _may_take_roots(x1, x2):
        return np.power(x1, x2, out)
    base = np.asarray(x1, np.result_type(x1, x2))
    if np.signbit(base).any():
        base = np.where((x2 == 0.5) & ((base == 0) | (base == -inf)), np.abs(base), base)
    return np.power(base, x2, out)


def _is_refused(x1: Any, x2: Any) -> bool:
    """Tell whether signed integers have a negative exponent among several; NumPy refuses the cast of others first."""
    return x1.dtype.kind == "i" and type(x2) is np.ndarray and x2.dtype.kind == "i" and x2.size > 0 and x2.min() < 0


def _are_paired(x1: Any, x2: Any) -> bool:
    """Tell whether each element is used with one of the other operand, so that no exponent is used for several."""
    of_arrays = type(x1) is np.ndarray and type(x2) is np.ndarray
    return of_arrays and x1.shape == x2.shape and x2.size != 1 and 0 not in x2.strides


def _for_root(x: Any) -> Any:
    """Return an operand with 0 for ``-0.0`` and inf for ``-inf``, so that its square root is the power of 0.5."""
    if x.dtype.kind != "f":
        return x.astype(np.result_type(x, 0.5))
    if not x.size or x.item(x.argmin()) > 0 or not np.signbit(x).any():
        return x
    return np.where((x == 0) | (x == -inf), np.abs(x), x)


def _may_take_roots(x1: Any, x2: Any) -> bool:
    """Tell whether an exponent is 0.5 and is used for several elements, or for all, in a real power."""
    if not isinstance(x2, _OF_NUMPY) or x2.dtype.kind != "f":
        return False  # numbers of Python are done with
    if isinstance(x1, _OF_NUMPY):
        repeated = x2.size == 1 or x2.shape != x1.shape or 0 in x2.strides
        return repeated and x1.dtype.kind in _REAL and bool((x2 == 0.5).any())
    return not isinstance(x1, complex) and bool((x2 == 0.5).any())


def expm1(x: Any, /) -> Any:
    """Return exp(x) - 1; for complex numbers with the infinities, NaN and zeros of `numpy.exp`."""
    if x.dtype.kind != "c":
        return np.expm1(x)
    near = np.isfinite(x) & (x.real < _MUCH_MORE_THAN_1)
    with np.errstate(all="ignore"):
        result = np.expm1(x)
    if not near.all():
        result = np.where(near, result, np.exp(x) - 1)
    return result + _PLUS_ZERO


def tanh(x: Any, /) -> Any:
    """Return the hyperbolic tangent; a zero as imaginary part has the sign of that of `x`."""
    result = np.tanh(x)
    if x.dtype.kind == "c" and (infinite := np.isinf(x.real)).any():
        result = np.asarray(result)
        np.copyto(result.imag, np.copysign(0, x.imag), where=infinite)
    return result
