"""NumPy's functions with arrays of a device: functions of `accel.xp` with the same names, which compute there.

So do the ufuncs of SciPy that `accel.xp.special` has.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import BoundArguments, Parameter, Signature, signature
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin

import numpy as np

from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.errors import CapabilityError, DTypeError
from accel.xp.array_base import ArrayBase
from accel.xp.calls import arrays_among, assign_out
from accel.xp.numpy_signatures import CREATING as CREATING_NAMES
from accel.xp.numpy_writers import WRITERS
from accel.xp.ufunc_methods import along_axis, has_host_arrays, update_at

__all__ = ["CREATING", "LIKE", "created_like", "function_there", "ufunc_there"]

_CREATING = "arange array asanyarray asarray ascontiguousarray empty eye full identity ones tri zeros"
CREATING = frozenset(getattr(np, name) for name in _CREATING.split())
"""The functions that create arrays, and that NumPy passes on for ``like=`` only."""

_OF_METHODS: Mapping[tuple[object, str], Callable[..., Any]] = MappingProxyType(
    {
        (np.add, "reduce"): np.sum,
        (np.multiply, "reduce"): np.prod,
        (np.maximum, "reduce"): np.max,
        (np.minimum, "reduce"): np.min,
        (np.logical_and, "reduce"): np.all,
        (np.logical_or, "reduce"): np.any,
    }
)
"""The functions that methods of ufuncs are, along the first axis by default."""

_AS_METHODS = (
    "all any argmax argmin argsort clip cumprod cumsum max mean min prod repeat round searchsorted std sum take var"
)
_METHODS = frozenset(getattr(np, name) for name in _AS_METHODS.split())
"""The functions that are methods of our arrays, with NumPy's signatures; the standard's functions differ from them."""

_SCIPYS = "scipy.special._ufuncs"
_SECTIONS = MappingProxyType({"numpy": "", "numpy.fft": "fft", "numpy.linalg": "linalg", _SCIPYS: "special"})
_OPTIONS = frozenset({"casting", "dtype", "order", "subok", "where"})  # handled here, or of no effect on values
# Where NumPy's third parameter is one of these, the third of the standard's function is another one.
_NUMPYS_THIRD = frozenset({"dtype", "kind", "out"})
_OPERANDS = (ArrayBase, np.generic, int, float, complex)
_OTHER_NAMES = MappingProxyType({"a_min": "min", "a_max": "max", "correction": "ddof"})
_DEFAULTS = MappingProxyType({"dtype": None, "out": None, "where": True})


def ufunc_there(
    x: ArrayBase, function: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """Compute a ufunc, or a method of one, on the device of an array; NotImplemented if nothing there fits."""
    if (function, method) in _OF_METHODS:
        return function_there(x, _OF_METHODS[function, method], inputs, {"axis": 0, **keywords})
    if method == "at":
        return update_at(function, inputs)
    if method in {"accumulate", "reduce", "reduceat"}:
        return along_axis(function, method, inputs, keywords)
    if method == "outer" and all(isinstance(each, _OPERANDS) for each in inputs):
        inputs = _along_axes_of_their_own(*inputs)
    elif method != "__call__":
        return NotImplemented
    options = {name: value for name, value in keywords.items() if name not in _OPTIONS}
    if keywords.get("dtype") is not None or "casting" in keywords:
        if not all(isinstance(each, _OPERANDS) for each in inputs):
            return NotImplemented
        target = None if keywords.get("dtype") is None else as_dtype(keywords["dtype"])
        inputs = _cast(x, function, inputs, target, keywords.get("casting", "same_kind"))
    return function_there(x, function, inputs, options, where=keywords.get("where", True))


def _along_axes_of_their_own(first: Any, second: Any) -> tuple[Any, Any]:
    """Return the operands of ``outer`` such that the ufunc itself combines each element with each."""
    if getattr(first, "ndim", 0):  # else a number, maybe of the host
        first = first[(..., *[None] * getattr(second, "ndim", 0))]
    return first, second


def _cast(
    x: ArrayBase, function: np.ufunc, inputs: tuple[Any, ...], dtype: DType | None, casting: Any
) -> tuple[Any, ...]:
    """Cast the operands of a ufunc to the dtypes with which it computes results of a dtype; TypeError if none."""
    convert = x.__array_namespace__().astype
    dtypes = [each.dtype if isinstance(each, ArrayBase) else _number_type(each) for each in inputs]
    signature = (*[None] * function.nin, *[dtype] * function.nout)
    resolved = function.resolve_dtypes((*dtypes, *[None] * function.nout), signature=signature, casting=casting)
    return tuple(
        convert(each, target, copy=False) if isinstance(each, ArrayBase) else each
        for each, target in zip(inputs, resolved, strict=False)
    )


def _number_type(number: Any) -> Any:
    plain = number.item() if isinstance(number, np.generic) else number
    return np.dtype(bool) if isinstance(plain, bool) else type(plain)


def function_there(
    x: ArrayBase,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    *,
    where: Any = True,
) -> Any:
    """Compute a function of NumPy on the device of an array; NotImplemented if nothing there fits.

    With ``where``, only the elements of ``out=`` for which it is true are written.
    """
    given = {name: value for name, value in keywords.items() if _is_given(name, value)}
    options = {_OTHER_NAMES.get(name, name): value for name, value in given.items()}
    by_two_names = len(options) < len(given)  # which NumPy refuses
    out = options.pop("out", None)
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    operands = (*arguments, *options.values())
    # On the CPU arrays of a trace come here, which take those of NumPy as operands.
    has_foreign = x.device is not Device.CPU and has_host_arrays((*operands, where))
    if by_two_names or has_foreign or not isinstance(target, ArrayBase | None):
        return NotImplemented
    if x.device is not Device.CPU and next(arrays_among(operands), None) is None:  # only ``out=`` is an array
        return NotImplemented
    result = _computed(x, function, arguments, options)
    if result is NotImplemented or target is None:
        return result
    if isinstance(function, np.ufunc):
        _refuse_cast(result.dtype, target.dtype)
        if result.shape != target.shape:
            result = x.__array_namespace__().broadcast_to(result, target.shape)
    elif result.dtype != target.dtype:  # NumPy would compute in the dtype of ``out=``
        return NotImplemented
    return assign_out(target, result, where)


def _computed(x: ArrayBase, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    ours, bound = _fitting(x, function, arguments, keywords)
    if bound is None:
        return NotImplemented
    try:
        return ours(*bound.args, **bound.kwargs)
    except CapabilityError:  # the library that computes there lacks the function, or a keyword
        return NotImplemented


def _is_given(name: str, value: object) -> bool:
    """Tell whether an option is more than the default, which a function that calls another one may pass on."""
    return value is not np._NoValue and (name not in _DEFAULTS or value is not _DEFAULTS[name])


def _refuse_cast(dtype: DType, target: DType) -> None:
    if not np.can_cast(dtype, target, "same_kind"):
        raise DTypeError(
            f"out has dtype {target.name}, which cannot hold results of {dtype.name}; write "
            f"out=xp.empty(shape, dtype='{dtype.name}')"
        )


def _fitting(
    x: ArrayBase, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, BoundArguments | None]:
    """Return the function of `accel.xp` for a call of a function of NumPy, and its arguments; None if it has others."""
    if function in _METHODS and arguments and isinstance(arguments[0], ArrayBase):
        counterpart, parameters, third = _method(type(arguments[0]), function.__name__)  # type: ignore[arg-type]
    else:
        counterpart, parameters, third = _counterpart(x.__array_namespace__(), function)
    if counterpart is None or (len(arguments) > 2 and third in _NUMPYS_THIRD):
        return counterpart, None
    try:
        bound = parameters.bind(*arguments, **keywords)
    except TypeError:
        return counterpart, None
    return counterpart, bound if _with_arrays(bound, x) else None


def _with_arrays(bound: BoundArguments, x: ArrayBase) -> bool:
    """Make arrays of the lists among arguments that must be arrays, on the device of an array.

    Return False if a value is not one of those that the parameter can have.
    """
    parameters = bound.signature.parameters
    for name, value in bound.arguments.items():
        annotation, kind = parameters[name].annotation, parameters[name].kind
        if get_origin(annotation) is Literal and value is not None and value not in get_args(annotation):
            return False
        several = kind is Parameter.VAR_POSITIONAL or get_origin(annotation) is Sequence
        if not several and type(value) in {list, tuple} and type(x) in (annotation, *get_args(annotation)):
            bound.arguments[name] = x.__array_namespace__().asarray(value, device=x.device)
    if "device" in parameters:
        bound.arguments.setdefault("device", x.device)
    return True


@cache
def _method(kind: Any, name: str) -> tuple[Any, Signature, str]:
    """Return a method of our arrays, and its signature."""
    member = getattr(kind, name)
    return member, signature(member), ""


@cache
def _counterpart(namespace: Any, function: Callable[..., Any]) -> tuple[Any, Signature, str]:
    """Return the function of `accel.xp` of the same name, its signature, and the third parameter of NumPy's."""
    if function in _DIFFERENT:
        return _DIFFERENT[function], signature(_DIFFERENT[function]), ""
    module = _module_of_ufunc(function) if isinstance(function, np.ufunc) else function.__module__
    if module not in _SECTIONS or function.__name__ in CREATING_NAMES.split():
        return None, Signature(), ""
    section = _SECTIONS[module]
    counterpart = getattr(getattr(namespace, section) if section else namespace, function.__name__, None)
    if counterpart is None and module == _SCIPYS:  # such as `round`, which is NumPy's too
        counterpart = getattr(namespace, function.__name__, None)
    if counterpart is None:
        return None, Signature(), ""
    try:
        names = list(signature(function).parameters)
    except ValueError:  # functions of C may have none
        names = []
    return counterpart, _without(counterpart, "out", "options"), "".join(names[2:3])


def _module_of_ufunc(function: np.ufunc) -> str:
    is_scipys = getattr(sys.modules.get(_SCIPYS), function.__name__, None) is function
    return _SCIPYS if is_scipys else "numpy"


def _without(function: Callable[..., Any], *names: str) -> Signature:
    """Return a signature without some parameters, such as ``**options``, which not every library has.

    The parameters after one that is left out are passed by keyword.
    """
    full, parameters, after = signature(function), [], False
    for each in full.parameters.values():
        if each.name in names:
            after = True
        elif after and each.kind is Parameter.POSITIONAL_OR_KEYWORD:
            parameters.append(each.replace(kind=Parameter.KEYWORD_ONLY))
        else:
            parameters.append(each)
    return full.replace(parameters=parameters)


def _eig(a: Any) -> Any:
    result = a.__array_namespace__().linalg.eig(a)
    return result._make(_real_if_all_are(result.eigenvalues, a, each) for each in result)


def _eigvals(a: Any) -> Any:
    values = a.__array_namespace__().linalg.eigvals(a)
    return _real_if_all_are(values, a, values)


def _real_if_all_are(eigenvalues: Any, a: Any, result: Any) -> Any:
    is_real = _numpy_narrows() and a.dtype.kind != "c" and bool((eigenvalues.imag == 0).all())
    return result.real if is_real else result


@cache
def _numpy_narrows() -> bool:
    """Tell whether NumPy's results are real where all eigenvalues are, as before NumPy 2.5."""
    return bool(np.linalg.eigvals(np.eye(1)).dtype.kind == "f")


def _pinv(a: Any, rcond: Any = None, *, rtol: Any = 1e-15) -> Any:
    return a.__array_namespace__().linalg.pinv(a, rtol=rtol if rcond is None else rcond)


_DIFFERENT: Mapping[object, Callable[..., Any]] = MappingProxyType(
    {np.linalg.eig: _eig, np.linalg.eigvals: _eigvals, np.linalg.pinv: _pinv, **WRITERS}
)
"""The functions of which NumPy's has another default, another dtype of the result, or other names of parameters; and
those that `accel.xp` lacks."""


def _empty_like(
    x: Any,
    /,
    dtype: Any = None,
    order: Any = None,  # noqa: ARG001 - a parameter of NumPy's that says nothing about the values
    subok: Any = True,  # noqa: ARG001 - as above
    shape: Any = None,
) -> Any:
    empty = x.__array_namespace__().empty
    return empty(x.shape if shape is None else shape, dtype=x.dtype if dtype is None else dtype, device=x.device)


def _filled(value: Any) -> Callable[..., Any]:
    def like(x: Any, /, *arguments: Any, **keywords: Any) -> Any:
        array = _empty_like(x, *arguments, **keywords)
        array[...] = value
        return array

    return like


def _full_like(x: Any, fill_value: Any, *arguments: Any, **keywords: Any) -> Any:
    return _filled(fill_value)(x, *arguments, **keywords)


LIKE: Mapping[object, Callable[..., Any]] = MappingProxyType(
    {np.empty_like: _empty_like, np.full_like: _full_like, np.ones_like: _filled(1), np.zeros_like: _filled(0)}
)
"""The functions that create an array like another one, which may have another shape."""


def created_like(like: Any, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Create an array by a function of NumPy that was called with ``like=``, on the device of that array."""
    xp = like.__array_namespace__()
    values = arguments[0] if arguments else None
    if type(values) in {list, tuple} and values and all(type(each) is type(like) for each in values):
        array = xp.stack(values)
    elif type(values) is type(like):
        array = xp.asarray(values, copy=True if function is np.array else None)
    else:
        array = function(*arguments, **keywords)
    array = xp.asarray(array, dtype=keywords.get("dtype"), device=like.device)
    return array[(None,) * (keywords.get("ndmin", 0) - array.ndim)]
