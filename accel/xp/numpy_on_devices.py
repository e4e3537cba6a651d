"""NumPy's functions with arrays of a device: functions of `accel.xp` and methods of the same names compute there.

One of these is used only if it has the parameters that were given, and NumPy's result.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from inspect import Signature, signature
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.errors import DTypeError
from accel.xp.array_base import ArrayBase
from accel.xp.calls import written
from accel.xp.methods import Methods

__all__ = ["CREATING", "LIKE", "created_like", "function_there", "name_there", "ufunc_there"]

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
_OPTIONS = frozenset({"casting", "dtype", "order", "subok", "where"})  # handled here, or of no effect on values
# Where NumPy's third parameter is one of these, the third of the standard's function is another one.
_NUMPYS_THIRD = frozenset({"dtype", "kind", "order", "out"})
# The standard's return complex numbers always, NumPy's only where the imaginary parts are not zero.
_OTHERS = frozenset({np.linalg.eig, np.linalg.eigvals})
_OF_REDUCTIONS = frozenset({"initial", "where"})
# These change the array, or have its condition as their first parameter.
_OTHER_METHODS = frozenset({"compress", "partition", "sort"})


def ufunc_there(function: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Compute a ufunc, or a reduction by one, on the device of the arrays; NotImplemented if nothing there fits."""
    if method == "reduce" and function in _REDUCTIONS:
        return function_there(getattr(np, _REDUCTIONS[function]), inputs, {"axis": 0, **keywords})
    if method != "__call__":
        return NotImplemented
    dtype = keywords.get("dtype")
    if dtype is not None or "casting" in keywords:
        wanted = None if dtype is None else as_dtype(dtype)
        inputs = _cast(function, inputs, wanted, keywords.get("casting", "same_kind"))
    options = {name: value for name, value in keywords.items() if name not in _OPTIONS}
    return function_there(function, inputs, options, where=keywords.get("where", True))


def _cast(function: np.ufunc, inputs: tuple[Any, ...], dtype: DType | None, casting: Any) -> tuple[Any, ...]:
    """Cast arrays to the dtypes in which a ufunc computes results of a dtype; TypeError if there are none."""
    astype = import_module("accel.xp.creation").astype
    given = (*map(_type_of, inputs), *[None] * function.nout)
    signature = (*[None] * function.nin, *[dtype] * function.nout)
    loop = function.resolve_dtypes(given, signature=signature, casting=casting)
    return tuple(
        astype(each, wanted, copy=False) if isinstance(each, ArrayBase) else each
        for each, wanted in zip(inputs, loop, strict=False)
    )


def _type_of(operand: Any) -> Any:
    """Return what decides about the dtype of a result: the dtype of an array, the type of a number."""
    if isinstance(operand, np.generic):
        operand = operand.item()
    kind = type(operand)
    return kind if kind in {int, float, complex} else np.dtype(getattr(operand, "dtype", kind))


def function_there(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any], *, where: Any = True
) -> Any:
    """Compute a function of NumPy on the device of the arrays; NotImplemented if nothing there fits.

    With ``where``, only the elements of ``out=`` for which it is true are written.
    """
    options = {name: value for name, value in keywords.items() if name not in {"dtype", "out"} or value is not None}
    out = options.pop("out", None)
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(target, ArrayBase | None) or _has_host_arrays((*arguments, *options.values(), where)):
        return NotImplemented
    ours = _fitting(function, arguments, options)
    if ours is None:
        return NotImplemented
    result = ours(*arguments, **options)
    if target is None:
        return result
    if isinstance(function, np.ufunc):
        _refuse_cast(result.dtype, target.dtype)
    elif result.dtype != target.dtype:  # NumPy would compute in the dtype of ``out=``
        return NotImplemented
    return written(target, result, where)


def _has_host_arrays(values: Iterable[Any]) -> bool:
    return any(
        isinstance(each, np.ndarray) or (isinstance(each, list | tuple) and _has_host_arrays(each)) for each in values
    )


def _refuse_cast(dtype: DType, wanted: DType) -> None:
    if not np.can_cast(dtype, wanted, "same_kind"):
        raise DTypeError(
            f"out has dtype {wanted.name}, which cannot hold results of {dtype.name}; write "
            f"out=xp.empty(shape, dtype='{dtype.name}')"
        )


def _fitting(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Return what computes a call of a function of NumPy on a device, or None if nothing has its parameters."""
    for found, parameters, most in _counterparts(function):
        with suppress(TypeError):
            parameters.bind(*arguments, **keywords)
            if len(arguments) <= most and _known(keywords, parameters):
                return found
    return None


def _known(keywords: Mapping[str, Any], parameters: Signature) -> bool:
    """Tell whether a method that passes options on to the library's reduction was given options of reductions."""
    names = parameters.parameters.keys()
    return "options" not in names or keywords.keys() <= names | _OF_REDUCTIONS


@cache
def _counterparts(function: Callable[..., Any]) -> Sequence[tuple[Any, Signature, float]]:
    """Return the function of `accel.xp` and the method of a name, their signatures, and how many arguments fit."""
    if function in _OTHERS:
        return ()
    name, (module, ours) = function.__name__, _function_there(function)
    method = getattr(Methods, name, None) if module == "accel.xp" and name not in _OTHER_METHODS else None
    third = _third_parameter(function)
    most = {ours: 2 if third in _NUMPYS_THIRD else inf, method: 2 if third == "order" else inf}
    return tuple((each, signature(each), count) for each, count in most.items() if callable(each))


def _function_there(function: Callable[..., Any]) -> tuple[str, Any]:
    """Return the module of `accel.xp` for a function of NumPy, and the function of the same name there, or None."""
    module = _MODULES.get("numpy" if isinstance(function, np.ufunc) else function.__module__, "")
    return module, getattr(import_module(module), function.__name__, None) if module else None


def name_there(function: Callable[..., Any]) -> str:
    """Return the name of the function of `accel.xp` that computes a function of NumPy, or "" if there is none."""
    module, ours = _function_there(function)
    return "" if ours is None else f"{module.removeprefix('accel.')}.{function.__name__}"


def _third_parameter(function: Callable[..., Any]) -> str:
    try:
        return "".join(list(signature(function).parameters)[2:3])
    except ValueError:  # functions of C may have no signature
        return ""


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
    made = xp.asarray(made, dtype=keywords.get("dtype"), device=like.device)
    return made[(None,) * (keywords.get("ndmin", 0) - made.ndim)]
