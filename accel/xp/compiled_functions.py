"""Functions of large arrays on the host that compiled loops compute faster than NumPy, which passes over them often.

The loops are compiled in the background, once NumPy has done so much of the same work that they will pay; until then,
and where there is no compiler, NumPy computes. Where a result is not finite it does so again, for its warnings; not
where all elements are NaN, which these functions are often used for.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, isfinite, prod
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from accel import config
from accel.dtypes import DType
from accel.support import host_compiler
from accel.support.background import BACKGROUND
from accel.support.call_sites import stack_level
from accel.xp.array_library import ArrayLibrary
from accel.xp.compiled_layouts import layout_of

__all__ = ["NUMPYS", "WHOLE", "computed", "computed_for_numpy"]

_WORTH = 1 << 26
"""Elements that NumPy has computed with, from which on the loops of a form are asked for.

NumPy takes about as long for these as the imports of the compiler and of what it needs, which slow down the program.
"""

_SHARED = 1 << 19
"""Elements from which on threads share the loops."""

_FLOAT64 = np.dtype(np.float64)
_FLOATS = MappingProxyType({np.dtype(name): np.dtype(name) for name in ("float32", "float64")})
_INT64, _UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
_INTEGERS = tuple([np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)])
_NUMBERS = MappingProxyType({**_FLOATS, **dict.fromkeys(_INTEGERS, _FLOAT64)})
"""The dtypes in which a function computes that makes floats of integers."""

_THEMSELVES = MappingProxyType({**_FLOATS, **{each: each for each in _INTEGERS}})
_SUMS = MappingProxyType(
    {np.dtype(np.bool_): _INT64, **{each: _INT64 if each.kind == "i" else _UINT64 for each in _INTEGERS}}
)
_MEANS = MappingProxyType({each: _INT64 for each in _SUMS if each.itemsize < _INT64.itemsize})
"""The dtypes in which sums are exact, for dtypes of whole numbers."""

_NORMS = MappingProxyType({0: "norm of 0", 1: "norm of 1", 2: "norm of 2", inf: "norm of inf", -inf: "norm of -inf"})

_OF_NO_FREEDOM = "Degrees of freedom <= 0 for slice."
_EMPTY = MappingProxyType({"nanmean": "Mean of empty slice", "nanstd": _OF_NO_FREEDOM, "nanvar": _OF_NO_FREEDOM})
"""NumPy's warnings where all elements are NaN."""

_Form = tuple[str, DType, DType, str]
_work: dict[_Form, int] = {}
"""How many elements NumPy has computed with, for each form that has no loops yet."""


def computed(name: str, library: ArrayLibrary, array: Any, options: Mapping[str, Any]) -> Any:
    """Return the result of a function of one array of NumPy; None if NumPy should compute it."""
    if type(array) is not np.ndarray:
        return None
    if name == "nan_to_num":
        return None if options else _nan_to_num(library, array)
    return _FUNCTIONS[name](array, **options)


def computed_for_numpy(
    function: Any, library: ArrayLibrary, operands: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return the result of one of NumPy's own functions; None if it should be called."""
    if not 1 <= len(operands) <= 2 or not options.keys() <= {"axis", "correction", "ddof", "keepdims", "ord"}:
        return None
    named = dict(options)
    if len(operands) == 2:
        second = "ord" if function is np.linalg.norm else "axis"
        if second in named:
            return None
        named[second] = operands[1]
    if "ddof" in named:
        if "correction" in named:
            return None
        named["correction"] = named.pop("ddof")
    try:
        return computed(function.__name__, library, operands[0], named)
    except TypeError:  # a keyword that the function lacks
        return None


def _nan_to_num(library: ArrayLibrary, array: Any) -> Any:
    """Return the elements with numbers for NaN and infinities."""
    dtype, settings, flags = _FLOATS.get(array.dtype), config.current(), array.flags
    if dtype is None or settings.fuse == "off" or settings.debug or not flags.aligned:
        return None
    order: Literal["C", "F"] = "C" if flags.c_contiguous else "F"
    launch = _launch(("nan_to_num", dtype, dtype, "k1"), array.size) if flags.forc else None
    if launch is None:
        return None
    memory = library.empty_array(array.shape, dtype, order)
    out = np.empty(array.shape, dtype, order) if memory is None else memory
    launch(array, out, array.size, 1, _threads(settings, array))
    return out


def _threads(settings: config.Settings, array: Any) -> int:
    return settings.threads if array.size >= _SHARED else 1


def _spread(name: str, array: Any, axis: Any = None, *, correction: float = 0, keepdims: Any = False) -> Any:
    return _reduced(name, array, axis, keepdims, _NUMBERS, correction)


def _total(name: str, array: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return _reduced(name, array, axis, keepdims, _THEMSELVES if name == "count_nonzero" else _FLOATS)


def _whole(
    name: str, dtypes: Mapping[DType, DType], array: Any, axis: Any = None, *, dtype: Any = None, keepdims: Any = False
) -> Any:
    """Return a reduction of whole numbers, which NumPy casts a few thousand at a time."""
    return None if dtype is not None else _reduced(name, array, axis, keepdims, dtypes)


def _vector_norm(array: Any, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    name = _NORMS.get(ord) if type(ord) in (int, float) else None
    return None if name is None else _reduced(name, array, axis, keepdims, _FLOATS)


def _norm(array: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    """Return the norm of vectors along an axis; that of all elements is a product of vectors, which BLAS computes."""
    return (
        _vector_norm(array, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord) if type(axis) is int else None
    )


_FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        **{name: partial(_spread, name) for name in ("nanstd", "nanvar", "std", "var")},
        **{name: partial(_total, name) for name in ("count_nonzero", "logsumexp", "nanmean", "nansum")},
        "mean": partial(_whole, "mean of integers", _MEANS),
        "norm": _norm,
        "prod": partial(_whole, "prod", _SUMS),
        "sum": partial(_whole, "sum", _SUMS),
        "vector_norm": _vector_norm,
    }
)

WHOLE = frozenset({"mean", "prod", "sum"})
"""The functions that are computed here for whole numbers alone."""

NUMPYS = frozenset(
    {np.linalg.norm, np.linalg.vector_norm, np.nan_to_num}
    | {getattr(np, name) for name in _FUNCTIONS if hasattr(np, name)}
)
"""The functions of NumPy's own that are computed here."""


def _reduced(
    name: str, array: Any, axis: Any, keepdims: Any, dtypes: Mapping[DType, DType], correction: float | None = None
) -> Any:
    """Return the result of one of `accel.fusion.statistics.STATISTICS`; None if NumPy should compute it."""
    dtype, settings = dtypes.get(array.dtype), config.current()
    if dtype is None or type(keepdims) is not bool or settings.fuse == "off" or settings.debug:
        return None
    layout = layout_of(array, axis)
    numbers = None if layout is None else _numbers(name, array.size // prod(layout.kept), correction)
    if layout is None or numbers is None:
        return None
    launch = _launch((name, array.dtype, dtype, layout.pattern), array.size)
    if launch is None:
        return None
    result = launch(array, *layout.extents, *layout.strides, *numbers, _threads(settings, array))
    counts = None
    if name in _EMPTY:
        result, counts = result
    if not _is_finite(result) and not _is_as_numpys(name, result, counts):
        return None
    return layout.shaped(result, keepdims=keepdims) if layout.kept or layout.shape or keepdims else result[()]


def _is_finite(result: Any) -> bool:
    if result.dtype.kind != "f":
        return True
    return bool(np.isfinite(result).all()) if result.ndim else isfinite(result)


def _is_as_numpys(name: str, result: Any, counts: Any) -> bool:
    """Tell whether NumPy's results are not finite either, and it warns of nothing but empty slices; warn of these."""
    if name.startswith("norm"):  # it is NaN only if an element is
        return not np.isinf(result).any()
    if counts is None or not (np.isfinite(result) | (np.isnan(result) & (counts.reshape(result.shape) == 0))).all():
        return False
    warnings.warn(_EMPTY[name], RuntimeWarning, stacklevel=stack_level())
    return True


def _numbers(name: str, count: int, correction: float | None) -> tuple[float, ...] | None:
    """Return the numbers that a function takes, for so many elements of a result; None if NumPy should compute it."""
    if correction is None:
        return (count,) if name == "mean of integers" else ()
    if type(correction) not in (int, float):
        return None
    if name.startswith("nan"):
        return (float(correction),)
    divisor = float(count - correction)
    return (float(count), divisor) if divisor > 0 else None


def _launch(form: _Form, size: int) -> Any:
    """Return what launches the loops of a form.

    None if there are none yet: then this notes that NumPy computes, and asks for them if it has done so often enough.
    """
    launch = BACKGROUND.results.get(form)
    if launch is None:
        elements = _work.get(form, 0)
        if elements < _WORTH:
            _work[form] = elements + size
        else:
            BACKGROUND.submit(form, partial(_loops, form))
    return launch


def _loops(form: _Form) -> Any:
    if host_compiler.missing():
        return None
    from accel.xp.compiled_launches import launch_of  # not before there is something to compile

    return launch_of(*form)
