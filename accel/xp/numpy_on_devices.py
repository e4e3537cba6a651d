"""NumPy's functions with arrays of a device: functions of `accel.xp` with the same names, which compute there."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from inspect import Signature, signature
from types import MappingProxyType
from typing import Any

import numpy as np

from accel.xp.array_base import ArrayBase

__all__ = ["CREATING", "LIKE", "created_like", "function_there", "ufunc_there"]

_CREATING = "arange array asanyarray asarray ascontiguousarray empty eye full identity ones tri zeros"
CREATING = frozenset(getattr(np, name) for name in _CREATING.split())
"""The functions that create arrays, and that NumPy passes on for ``like=`` only."""

_REDUCTIONS: Mapping[object, str] = MappingProxyType(
    {
        np.add: "sum",
        np.multiply: "prod",
        np.maximum: "max",
        np.minimum: "min",
        np.logical_and: "all",
        np.logical_or: "any",
    }
)
"""The reductions that the method ``reduce`` of a ufunc is, over the first axis by default."""

_MODULES = MappingProxyType({"numpy": "accel.xp", "numpy.fft": "accel.xp.fft", "numpy.linalg": "accel.xp.linalg"})
# Where NumPy's third parameter is one of these, the third of the standard's function is another one.
_NUMPYS_THIRD = frozenset({"dtype", "kind", "out"})


def ufunc_there(function: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Compute a ufunc, or a reduction by one, on the device of the arrays; NotImplemented if nothing there fits."""
    if method == "reduce" and function in _REDUCTIONS:
        return function_there(getattr(np, _REDUCTIONS[function]), inputs, {"axis": 0, **keywords})
    if method != "__call__":
        return NotImplemented
    dtype = keywords.get("dtype")
    if dtype is not None:
        convert = import_module("accel.xp.creation").astype
        inputs = tuple(convert(each, dtype, copy=False) if isinstance(each, ArrayBase) else each for each in inputs)
    return function_there(function, inputs, {name: value for name, value in keywords.items() if name != "dtype"})


def function_there(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Compute a function of NumPy on the device of the arrays; NotImplemented if nothing there fits."""
    options = {name: value for name, value in keywords.items() if name not in {"dtype", "out"} or value is not None}
    out = options.pop("out", None)
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(target, tuple) or _has_host_arrays((*arguments, *options.values(), target)):
        return NotImplemented
    ours = _fitting(function, arguments, options)
    return NotImplemented if ours is None else _written(ours(*arguments, **options), target)


def _has_host_arrays(values: Iterable[Any]) -> bool:
    return any(
        isinstance(each, np.ndarray) or (isinstance(each, list | tuple) and _has_host_arrays(each)) for each in values
    )


def _written(result: Any, target: Any) -> Any:
    if target is None:
        return result
    if target.shape != result.shape:
        raise ValueError(f"out has shape {target.shape}, and the result has {result.shape}; write out=xp.empty(shape)")
    target[...] = result
    return target


def _fitting(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Return the function of `accel.xp` for a call of a function of NumPy, or None if there is none that fits it."""
    found, parameters, third = _counterpart(function)
    if found is None or (len(arguments) > 2 and third in _NUMPYS_THIRD):
        return None
    try:
        parameters.bind(*arguments, **keywords)
    except TypeError:
        return None
    return found


@cache
def _counterpart(function: Callable[..., Any]) -> tuple[Any, Signature, str]:
    """Return the function of `accel.xp` of the same name, its signature, and the third parameter of NumPy's."""
    module = "numpy" if isinstance(function, np.ufunc) else function.__module__
    found = getattr(import_module(_MODULES[module]), function.__name__, None) if module in _MODULES else None
    if found is None:
        return None, Signature(), ""
    try:
        names = list(signature(function).parameters)
    except ValueError:  # functions of C may have none
        names = []
    return found, signature(found), "".join(names[2:3])


def _empty_like(
    x: Any,
    /,
    dtype: Any = None,
    order: Any = None,  # noqa: ARG001 - a parameter of NumPy's that says nothing about the values
    subok: Any = True,  # noqa: ARG001 - as above
    shape: Any = None,
) -> Any:
    empty = import_module("accel.xp.creation").empty
    return empty(x.shape if shape is None else shape, dtype=x.dtype if dtype is None else dtype, device=x.device)


def _filled(value: Any) -> Callable[..., Any]:
    def like(x: Any, /, *arguments: Any, **keywords: Any) -> Any:
        made = _empty_like(x, *arguments, **keywords)
        made[...] = value
        return made

    return like


def _full_like(x: Any, fill_value: Any, *arguments: Any, **keywords: Any) -> Any:
    return _filled(fill_value)(x, *arguments, **keywords)


LIKE: Mapping[object, Callable[..., Any]] = MappingProxyType(
    {np.empty_like: _empty_like, np.full_like: _full_like, np.ones_like: _filled(1), np.zeros_like: _filled(0)}
)
"""The functions that create an array like another one, which may have another shape."""


def created_like(like: Any, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Create an array by a function of NumPy that was called with ``like=``, on the device of that array."""
    xp = import_module("accel.xp")
    given = arguments[0] if arguments else None
    if type(given) in {list, tuple} and given and all(type(each) is type(like) for each in given):
        made = xp.stack(given)
    elif type(given) is type(like):
        made = xp.asarray(given, copy=True if function is np.array else None)
    else:
        made = function(*arguments, **keywords)
    return xp.asarray(made, dtype=keywords.get("dtype"), device=like.device)
