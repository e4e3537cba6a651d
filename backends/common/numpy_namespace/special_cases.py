"""Functions whose special cases differ between NumPy and the array standard.

Infinities, NaN and signs of zeros are corrected. For all other values the results are NumPy's.
"""

from math import inf, isfinite
from typing import Any

import numpy as np

__all__ = ["expm1", "floor_divide", "pow", "tanh"]

_REAL = frozenset("biuf")
_OF_NUMPY = (np.ndarray, np.generic)  # a union would be built anew at each call
_KINDS = {bool: "b", int: "i", float: "f"}
# Above this real part, exp(x) and exp(x) - 1 are the same number.
_MUCH_MORE_THAN_1 = 40.0
_PLUS_ZERO = complex(0.0, -0.0)  # adding it changes only a real part of -0, which becomes +0


def floor_divide(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """Return floor(x1 / x2) where an operand is infinite, as in ``inf // 2 == inf``; else what NumPy returns."""
    if not _are_real_floats(_kind(x1), _kind(x2)) or _are_finite(x1, x2):
        return np.floor_divide(x1, x2, out)
    with np.errstate(all="ignore"):  # the division below warns, about the results that stay
        result = np.floor_divide(x1, x2)
    result = np.where(np.isinf(x1) | np.isinf(x2), np.floor(np.divide(x1, x2)), result)
    if out is None:
        return result
    np.copyto(out, result, casting="same_kind")
    return out


def _are_real_floats(kind1: str, kind2: str) -> bool:
    return (kind1 == "f" and kind2 in _REAL) or (kind2 == "f" and kind1 in _REAL)


def _kind(operand: Any) -> str:
    """Return the kind of an operand's dtype; "c" for what is neither of NumPy nor a real number."""
    return operand.dtype.kind if isinstance(operand, _OF_NUMPY) else _KINDS.get(type(operand), "c")


def _are_finite(x1: Any, x2: Any) -> bool:
    """Tell whether all elements are finite; False also if they are so large that the sums below overflow.

    `numpy.vdot` is the fastest function that shows infinities, and it gives no warnings.
    """
    if isinstance(x1, np.ndarray) and isinstance(x2, np.ndarray) and x1.shape == x2.shape:
        return isfinite(np.vdot(x1, x2))
    return all((np.vdot(x, x) if isinstance(x, np.ndarray) else abs(x)) < inf for x in (x1, x2))


def pow(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """Return a power; ``x ** 0.5`` is 0 for ``-0.0`` and inf for ``-inf``, where NumPy may take the square root."""
    if out is None and type(x2) in (int, float) and x2 != 0.5:
        return x1**x2  # takes shortcuts, for squares too
    if _are_paired(x1, x2) or not _may_take_roots(x1, x2):
        return np.power(x1, x2, out)
    base = np.asarray(x1, np.result_type(x1, x2))
    if np.signbit(base).any():
        base = np.where((x2 == 0.5) & ((base == 0) | (base == -inf)), np.abs(base), base)
    return np.power(base, x2, out)


def _are_paired(x1: Any, x2: Any) -> bool:
    """Tell whether each element is used with one of the other operand, so that no exponent is used for several."""
    of_arrays = type(x1) is np.ndarray and type(x2) is np.ndarray
    return of_arrays and x1.shape == x2.shape and x2.size != 1 and 0 not in x2.strides


def _may_take_roots(x1: Any, x2: Any) -> bool:
    """Tell whether an exponent is 0.5 and is used for several elements, or for all, in a real power."""
    if isinstance(x2, np.ndarray):
        repeated = x2.size == 1 or x2.shape != np.shape(x1) or 0 in x2.strides
        if not repeated or not (x2 == 0.5).any():
            return False
    elif x2 != 0.5:
        return False
    return _kind(x1) in _REAL and _kind(x2) == "f"


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
