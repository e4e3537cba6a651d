"""Functions of large arrays on the host: their results have memory of earlier arrays, and threads share them.

Ufuncs take the memory as ``out=``. Of other functions this file knows the dtype and the shape of the result, and how
parts are computed.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any

import numpy as np

from accel.xp import large_choices, large_results, large_selections, parts
from accel.xp.array_library import ArrayLibrary

__all__ = ["NUMPYS", "called", "computed", "computed_for_numpy", "elementwise", "is_known"]

NUMPYS: Mapping[Any, tuple[int, ...]] = MappingProxyType({np.clip: (3,), np.take: (2, 3), np.where: (3,)})
"""The functions of NumPy's own that are computed here, with the numbers of their operands."""


def computed(function: Any, library: ArrayLibrary, operands: Sequence[Any], options: Mapping[str, Any]) -> Any:
    """Return the result of a function of the host's library; None, with nothing computed, if it should be called."""
    special = _SPECIAL.get(function.__name__)
    if special is not None:
        return special(function, library, *operands, **options)
    return elementwise(function, library, operands, large_results.memory_for(function, library, operands))


def is_known(function: Any, options: AbstractSet[str]) -> bool:
    """Tell whether `called` knows a function with such options."""
    name = getattr(function, "__name__", "")
    return options <= _OPTIONS[name] if name in _OPTIONS else type(function) is np.ufunc and not options


def called(function: Any, library: ArrayLibrary, *operands: Any, **options: Any) -> Any:
    """Return the result of a function that is known; a large one has memory of earlier arrays where possible."""
    result = computed(function, library, operands, options)
    return function(*operands, **options) if result is None else result


def computed_for_numpy(
    function: Any, library: ArrayLibrary, operands: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return the result of one of NumPy's own functions; None, with nothing computed, if it should be called."""
    if len(operands) not in NUMPYS[function] or (options and (function is not np.take or options.keys() != {"axis"})):
        return None
    if function is np.clip:
        return _clip(np.ndarray.clip, library, *operands) if _keep_dtype(*operands) else None
    return computed(function, library, operands, options)


def _keep_dtype(x: Any, *limits: Any) -> bool:
    """Tell whether NumPy's `clip` keeps the dtype of an array: the standard's does so whatever the limits are."""
    given = [each for each in limits if each is not None]
    if type(x) is not np.ndarray or not given or not large_results.are_operands(given):
        return False
    return bool(np.result_type(x, *given) == x.dtype)


def elementwise(function: Any, library: ArrayLibrary, operands: Sequence[Any], out: Any, name: str = "") -> Any:
    """Compute an elementwise function into an array, and return it; None, with nothing computed, if there is none."""
    if out is not None and not parts.compute(function, library, operands, out, name):
        function(*operands, out=out)
    return out


def _power(function: Any, library: ArrayLibrary, base: Any, exponent: Any) -> Any:
    name, kind = "power", type(exponent)
    if kind is int or kind is float:
        shortcut = _shortcut(base, exponent)
        if shortcut is not None:
            return computed(shortcut, library, (base,), {})
        if exponent in (-1, 0, 1) or base.dtype == bool:  # NumPy has other ways for these, depending on its version
            return None
        name = "sqrt" if exponent == 0.5 else name
    elif _have_axes(base, exponent) and base.shape != exponent.shape:
        return None  # NumPy computes powers with a repeated exponent in another way, and parts repeat it elsewhere
    out = large_results.memory_for(np.power, library, (base, exponent))
    return elementwise(function, library, (base, exponent), out, name)


def _shortcut(base: Any, exponent: float) -> Any:
    """Return the function that NumPy's ``**`` calls for an exponent, and for integers one of the same results."""
    kind = base.dtype.kind
    if exponent == 2 and (kind == "f" or (kind in "iuc" and type(exponent) is int)):
        return np.square
    if exponent == 0.5 and kind == "c":
        return np.sqrt
    return np.reciprocal if exponent == -1 and type(exponent) is int and kind in "fc" else None


def _have_axes(*operands: Any) -> bool:
    return all(type(each) is np.ndarray and each.ndim for each in operands)


def _floor_divide(function: Any, library: ArrayLibrary, x1: Any, x2: Any) -> Any:
    return elementwise(function, library, (x1, x2), large_results.memory_for(np.floor_divide, library, (x1, x2)))


def _clip(function: Any, library: ArrayLibrary, x: Any, low: Any, high: Any) -> Any:
    out = large_results.broadcast(library, x.dtype, (x, low, high)) if x.ndim else None
    return elementwise(function, library, (x, low, high), out)


def _take(function: Any, library: ArrayLibrary, array: Any, indices: Any, axis: Any = None) -> Any:  # noqa: ARG001 - see `_SPECIAL`
    return large_selections.taken(library, array, indices, axis)


def _getitem(_: Any, library: ArrayLibrary, array: Any, key: Any) -> Any:
    return large_selections.selected(library, array, key)


def _product(function: Any, library: ArrayLibrary, x1: Any, x2: Any) -> Any:
    """Return the product of two matrices, or of stacks; BLAS computes it in threads of its own."""
    if not _have_axes(x1, x2) or min(x1.ndim, x2.ndim) < 2 or x1.dtype != x2.dtype or x1.shape[-1] != x2.shape[-2]:
        return None
    stack: tuple[int, ...] = ()
    if x1.ndim > 2 or x2.ndim > 2:
        in_order = x1.flags.c_contiguous and x2.flags.c_contiguous  # else NumPy chooses the order of the result
        if function.__name__ == "dot" or not in_order or not _fit(x1.shape[:-2], x2.shape[:-2]):
            return None
        stack = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    out = library.empty_array((*stack, x1.shape[-2], x2.shape[-1]), x1.dtype, "C")
    if out is not None:
        function(x1, x2, out)
    return out


def _fit(one: Sequence[int], other: Sequence[int]) -> bool:
    """Tell whether shapes broadcast; if not, the function refuses them in its own words."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(extent == another or 1 in (extent, another) for extent, another in pairs)


_OPTIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"dot": frozenset(), "getitem": frozenset(), "matmul": frozenset(), "take": frozenset({"axis"})}
)
"""The functions that fused functions call for large arrays, with the options that are known here."""

_SPECIAL: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "clip": _clip,
        "dot": _product,
        "floor_divide": _floor_divide,
        "getitem": _getitem,
        "matmul": _product,
        "pow": _power,
        "take": _take,
        "where": large_choices.chosen,
    }
)
