"""Names of `cupy` that `accel.xp` lacks: NumPy's types and texts, and functions that NumPy computes on the host."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from accel import xp
from accel.testing.cupy_simulation.host_calls import on_device, on_host, through_host
from accel.testing.cupy_simulation.places import current_device
from accel.testing.cupy_simulation.subclasses import for_subclasses
from accel.xp.arrays import Array

__all__ = ["array_names", "fourier_names", "linear_names"]

_TYPES = (
    *("byte", "cdouble", "clongdouble", "csingle", "double", "half", "int_", "intc", "long", "longlong", "short"),
    *("single", "ubyte", "uint", "uintc", "uintp", "ulong", "ulonglong", "ushort", "euler_gamma", "exceptions"),
    *("base_repr", "binary_repr", "format_float_positional", "format_float_scientific", "get_printoptions"),
    *("isscalar", "iterable", "min_scalar_type", "mintypecode", "printoptions", "set_printoptions", "typename"),
    *("typing", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"),
)
"""What is NumPy's own. The functions that write to an array ask it to do so."""

_OTHER_NAMES = {
    "float_": np.float64,
    "complex_": np.complex128,
    "cfloat": np.complex128,
    "singlecomplex": np.complex64,
    "Inf": np.inf,
    "Infinity": np.inf,
    "infty": np.inf,
    "PINF": np.inf,
    "NINF": -np.inf,
    "NAN": np.nan,
    "NaN": np.nan,
    "PZERO": 0.0,
    "NZERO": -0.0,
}

_ON_HOST = (
    *("apply_along_axis", "apply_over_axes", "array2string", "array_equiv", "array_repr", "array_str"),
    *("asarray_chkfinite", "bitwise_count", "common_type", "diag_indices", "diag_indices_from", "fix"),
    *("frombuffer", "fromfile", "fromfunction", "fromiter", "fromstring", "genfromtxt", "histogramdd", "i0"),
    *("load", "loadtxt", "mask_indices", "packbits", "piecewise", "poly", "polyadd", "polymul", "polysub", "roots"),
    *("save", "savetxt", "savez", "savez_compressed", "sort_complex", "tril_indices_from", "triu_indices_from"),
    "unpackbits",
)
"""Functions that NumPy computes with copies of the arrays."""

_SAME = {
    "alltrue": "all",
    "cumproduct": "cumprod",
    "in1d": "isin",
    "product": "prod",
    "round_": "round",
    "row_stack": "vstack",
    "sometrue": "any",
    "trapz": "trapezoid",
    "fromDlpack": "from_dlpack",
}
"""Older names of functions."""


class _Joined:
    """Stands for ``r_`` or ``c_``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key: Any) -> Any:
        return on_device(getattr(np, self._name)[on_host(key, f"cupy.{self._name}")])


class _Place:
    """The place of an array, which NumPy may compare with another one: it reads no element there."""

    def __init__(self, array: Array) -> None:
        operand = array.__accel_operand__()
        self.__array_interface__ = {
            "version": 3,
            "data": (operand.address, True),
            "shape": tuple(operand.extents),
            "strides": tuple(operand.strides),
            "typestr": operand.dtype.str,
        }


def _compared(function: Callable[..., bool]) -> Callable[..., bool]:
    """Return a function that tells whether two arrays share memory."""

    @wraps(function)
    def compare(a: Any, b: Any, max_work: Any = None) -> bool:
        return function(*[_Place(each) if isinstance(each, Array) else each for each in (a, b)], max_work)

    return compare


def _as_fortran(a: Any, dtype: Any = None) -> Any:
    """Return an array in Fortran's order."""
    array = xp.asarray(a, dtype=None if dtype is None else np.dtype(dtype))
    return array if array.flags.f_contiguous else array.copy("F")


_memories: list[dict[Any, Any]] = []


def _memoize(for_each_device: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that keeps results, as `cupy.memoize`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        memory: dict[Any, Any] = {}
        _memories.append(memory)

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            key = current_device() if for_each_device else None, arguments, frozenset(keywords.items())
            if key not in memory:
                memory[key] = function(*arguments, **keywords)
            return memory[key]

        return call

    return decorate


def _clear_memo() -> None:
    """Forget the results that `_memoize` keeps."""
    for memory in _memories:
        memory.clear()


def array_names() -> dict[str, Any]:
    """Return the names of `cupy`."""
    computed = {name: through_host(getattr(np, name), f"cupy.{name}") for name in _ON_HOST if hasattr(np, name)}
    others = {
        "asfortranarray": _as_fortran,
        "isfortran": lambda a: a.flags.f_contiguous and not a.flags.c_contiguous,
        "may_share_memory": _compared(np.may_share_memory),
        "shares_memory": _compared(np.shares_memory),
        **{name: getattr(xp, now) for name, now in _SAME.items()},
    }
    functions = {name: for_subclasses(function) for name, function in {**computed, **others}.items()}
    kept = {"memoize": _memoize, "clear_memo": _clear_memo, "c_": _Joined("c_"), "r_": _Joined("r_")}
    types = {name: getattr(np, name) for name in _TYPES if hasattr(np, name)}
    errors = {name: getattr(np.exceptions, name) for name in np.exceptions.__all__}
    return {**types, **errors, **_OTHER_NAMES, **functions, **kept}


def _plane(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def transform(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Any:
        return function(a, s=s, axes=axes, norm="backward" if norm is None else norm)

    transform.__name__ = name
    made: Callable[..., Any] = for_subclasses(transform)
    return made


def fourier_names() -> dict[str, Any]:
    """Return the names of `cupy.fft`."""
    return {f"{kind}2": _plane(getattr(xp.fft, f"{kind}n"), f"{kind}2") for kind in ("fft", "ifft", "rfft", "irfft")}


def linear_names() -> dict[str, Any]:
    """Return the names of `cupy.linalg`."""
    solve = for_subclasses(through_host(np.linalg.tensorsolve, "cupy.linalg.tensorsolve"))
    return {"LinAlgError": np.linalg.LinAlgError, "tensorsolve": solve}
