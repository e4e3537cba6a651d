"""Functions of large arrays on the host that compiled loops compute faster than NumPy, which passes over them often.

The loops are compiled in the background, once NumPy has done so much of the same work that they will pay; until then,
and where there is no compiler, NumPy computes. Where a result is not finite it does so again, for its warnings.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, isfinite, prod
from types import MappingProxyType
from typing import Any

import numpy as np

from accel import config
from accel.dtypes import DType
from accel.support.background import BACKGROUND
from accel.xp.compiled_layouts import layout_of

__all__ = ["NUMPYS", "SMALLEST", "computed", "computed_for_numpy"]

SMALLEST = 1 << 16
"""Bytes of an array from which on the loops are faster than NumPy, with the call that launches them."""

_WORTH = 1 << 26
"""Elements that NumPy has computed with, from which on the loops of a form are asked for.

NumPy takes about as long for these as the imports of the compiler and of what it needs, which slow down the program.
"""

_FLOAT64 = np.dtype(np.float64)
_FLOATS = MappingProxyType({np.dtype(name): np.dtype(name) for name in ("float32", "float64")})
_INTEGERS = tuple([np.dtype(f"{kind}{bits}") for kind in ("int", "uint") for bits in (8, 16, 32, 64)])
_NUMBERS = MappingProxyType({**_FLOATS, **dict.fromkeys(_INTEGERS, _FLOAT64)})
"""The dtypes in which a function computes that makes floats of integers."""

_THEMSELVES = MappingProxyType({**_FLOATS, **{each: each for each in _INTEGERS}})
_NORMS = MappingProxyType({0: "norm of 0", 1: "norm of 1", 2: "norm of 2", inf: "norm of inf", -inf: "norm of -inf"})

_Form = tuple[str, DType, DType, str]
_work: dict[_Form, int] = {}
"""How many elements NumPy has computed with, for each form that has no loops yet."""


def computed(name: str, array: Any, options: Mapping[str, Any]) -> Any:
    """Return the result of a function of one array of NumPy; None if NumPy should compute it."""
    return _FUNCTIONS[name](array, **options) if type(array) is np.ndarray else None


def computed_for_numpy(function: Any, operands: Sequence[Any], options: Mapping[str, Any]) -> Any:
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
        return computed(function.__name__, operands[0], named)
    except TypeError:  # a keyword that the function lacks
        return None


def _spread(name: str, array: Any, axis: Any = None, *, correction: float = 0, keepdims: Any = False) -> Any:
    return _reduced(name, array, axis, keepdims, _NUMBERS, correction)


def _total(name: str, array: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return _reduced(name, array, axis, keepdims, _THEMSELVES if name == "count_nonzero" else _FLOATS)


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
        "norm": _norm,
        "vector_norm": _vector_norm,
    }
)

NUMPYS = frozenset(
    {np.linalg.norm, np.linalg.vector_norm} | {getattr(np, name) for name in _FUNCTIONS if hasattr(np, name)}
)
"""The functions of NumPy's own that are computed here."""


def _reduced(
    name: str, array: Any, axis: Any, keepdims: Any, dtypes: Mapping[DType, DType], correction: float | None = None
) -> Any:
    """Return the result of one of `accel.xp.compiled_graphs.GRAPHS`; None if NumPy should compute it."""
    dtype, settings = dtypes.get(array.dtype), config.current()
    if dtype is None or type(keepdims) is not bool or settings.fuse == "off" or settings.debug:
        return None
    layout = layout_of(array, axis)
    if layout is None or type(correction) not in (int, float, type(None)):
        return None
    numbers: tuple[float, ...] = ()
    if correction is not None:
        count = array.size // prod(layout.kept)
        numbers = (float(correction),) if name.startswith("nan") else (float(count), float(count - correction))
        if numbers[-1] <= 0 and not name.startswith("nan"):
            return None
    form = name, array.dtype, dtype, layout.pattern
    launch = BACKGROUND.results.get(form)
    if launch is None:
        _note(form, array.size)
        return None
    result = launch(array, *layout.extents, *layout.strides, *numbers, settings.threads)
    if layout.kept:
        is_finite = result.dtype.kind != "f" or np.isfinite(result).all()
    else:
        result = result[()]
        is_finite = isfinite(result)
    if not is_finite:
        return None
    return layout.shaped(result, keepdims=keepdims) if layout.kept or layout.shape or keepdims else result


def _note(form: _Form, size: int) -> None:
    """Note that NumPy computes, and ask for the loops if it has done so often enough."""
    elements = _work.get(form, 0)
    if elements < _WORTH:
        _work[form] = elements + size
    else:
        BACKGROUND.submit(form, partial(_loops, form))


def _loops(form: _Form) -> Any:
    from accel.xp.compiled_launches import launch_of  # not before there is something to compile

    return launch_of(*form)
