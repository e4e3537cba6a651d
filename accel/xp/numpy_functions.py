"""Functions of NumPy that the array standard does not have, or has under another name.

The function of the same name in the library of the arrays' device computes, with the parameters that it has there. All
of these functions take ``out=``, an array on the same device.
"""

import builtins
from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from typing import Any

import numpy as np

from accel.device import DeviceLike
from accel.dtypes import DTypeLike
from accel.xp.array_library import library_on
from accel.xp.arrays import Array, wrap
from accel.xp.calls import Exchange, arrays_among, call, lacking, loop_call, member, simple_call
from accel.xp.creation import asarray
from accel.xp.numpy_signatures import ANY, ARRAYS, CREATING, LINALG, LISTS, LOOPS, TRUTHS
from accel.xp.operands import array_of, library_of
from accel.xp.placement import MemoryOrder, device_like

__all__ = ["array", "copy", "core", "linalg", "ndim", "shape", "size"]

_SEQUENCES = frozenset({list, tuple})
_PLAIN = frozenset({bool, int, float, str})

_ABOUT = """Compute NumPy's `{path}` on the device of the arrays.

https://numpy.org/doc/stable/reference/generated/numpy.{path}.html

Raises
------
TypeError
    If no argument is an `Array`.
CapabilityError
    If the library that computes on the device has no such function.
DeviceMismatchError
    If the arrays are on different devices.
"""


def array(
    obj: Any,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: MemoryOrder | None = None,
    subok: bool = False,  # noqa: ARG001 - NumPy's; arrays have no subclasses
    ndmin: int = 0,
    ndmax: None = None,
    device: DeviceLike | None = None,
    like: Array | None = None,
) -> Array:
    """Convert an object to an array, by default to a copy: `asarray` with NumPy's default of ``copy``.

    With ``ndmin``, axes of one element come before those of the object, until there are so many.
    """
    if ndmax is not None:
        raise TypeError(
            f"ndmax={ndmax} would leave sequences as elements, and elements are numbers; write xp.array(obj)"
        )
    result = asarray(obj, dtype, order, device=device, copy=copy, like=like)
    return result if not ndmin or result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + result.shape)


def copy(a: Array, order: MemoryOrder = "K", subok: bool = False) -> Array:  # noqa: ARG001 - as above
    """Return a copy of an array, by default with its elements in the library's order."""
    return array_of(a).copy(order)


def core() -> dict[str, Callable[..., Any]]:
    """Make the functions of the main namespace."""
    functions = {name: _function(name) for name in f"{ARRAYS} {LISTS} {ANY}".split()}
    functions |= {name: _truth(name) for name in TRUTHS.split()}
    return functions | {name: _creating(name) for name in CREATING.split()}


def linalg() -> dict[str, Callable[..., Any]]:
    """Make the functions of linear algebra."""
    return {name: _function(f"linalg.{name}") for name in LINALG}


def ndim(a: Array) -> int:
    """Return the number of axes."""
    return a.ndim


def shape(a: Array) -> tuple[int, ...]:
    """Return the extent of each axis."""
    return a.shape


def size(a: Array, axis: int | tuple[int, ...] | None = None) -> int:
    """Return the number of elements, or the product of the extents of some axes."""
    return int(np.size(np.broadcast_to(0, a.shape), axis))


def _function(path: str) -> Callable[..., Any]:
    in_loops = path in LOOPS

    def function(*arguments: Any, **keywords: Any) -> Any:
        first = arguments[0] if arguments else None
        if type(first) in _SEQUENCES and first:
            first = first[0]
        if type(first) is Array and first._native.ndim:  # no number for arrays on other devices
            library = first._library
            if in_loops and first._native.nbytes >= library.looped:
                result = loop_call(library, _numpys(path), arguments, keywords)
                if result is not NotImplemented:
                    return result
            if keywords and library.of_numpy is None:
                arguments, keywords = _by_position(path, arguments, keywords)
            if "out" not in keywords:  # `call` is written out here, which saves two calls
                result = simple_call(library, member(library, path), arguments, keywords)
                if result is not NotImplemented:
                    return result
            return call(library, path, arguments, keywords)
        return _computed(path, arguments, keywords)

    return _named(function, path)


def _truth(path: str) -> Callable[..., builtins.bool]:
    def function(*arguments: Any, **keywords: Any) -> builtins.bool:
        return bool(_computed(path, arguments, keywords))

    return _named(function, path)


def _creating(path: str) -> Callable[..., Any]:
    def function(*arguments: Any, device: DeviceLike | None = None, like: Array | None = None, **keywords: Any) -> Any:
        library = library_on(device_like(like, device))
        create = member(library, path)
        try:
            array = create(*arguments, **keywords)
        except TypeError as error:
            raise lacking(library, error) from None
        return tuple(wrap(library, each) for each in array) if isinstance(array, tuple) else wrap(library, array)

    return _named(function, path)


def _computed(path: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    values = (*arguments, *keywords.values())
    arrays = [*arrays_among(values)]
    if arrays:
        library = library_of(*arrays)
        if library.of_numpy is None:
            arguments, keywords = _by_position(path, arguments, keywords)
        return call(library, path, arguments, keywords)
    library = library_of(*values)
    exchange = Exchange(library, [wrap(library, library.namespace.empty(0))])  # of numbers alone
    return exchange.ours(member(library, path)(*exchange.native(arguments), **exchange.native(keywords)))


def _by_position(
    path: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return a call with operands by position and without NumPy's defaults.

    Libraries of devices give operands other names, and lack keywords.
    """
    parameters, options = _parameters(path), dict(keywords)
    operands = list(arguments)
    for each in parameters[len(arguments) :]:
        if each.kind is not each.POSITIONAL_OR_KEYWORD or each.default is not each.empty or each.name not in options:
            break
        operands.append(options.pop(each.name))
    defaults = {each.name: each.default for each in parameters}
    return tuple(operands), {name: value for name, value in options.items() if not _is(value, defaults.get(name, ...))}


def _is(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and type(value) in _PLAIN and value == default)


@cache
def _parameters(path: str) -> tuple[Parameter, ...]:
    try:
        return tuple(signature(_numpys(path)).parameters.values())
    except ValueError:  # functions of C may have no signature
        return ()


def _numpys(path: str) -> Any:
    section, _, name = path.rpartition(".")
    return getattr(np.linalg if section else np, name)


def _named(function: Callable[..., Any], path: str) -> Callable[..., Any]:
    section, _, name = path.rpartition(".")
    function.__name__ = function.__qualname__ = name
    function.__module__ = f"accel.xp.{section}" if section else "accel.xp"
    function.__doc__ = _ABOUT.format(path=path)
    # `inspect.signature` follows this: the signature is NumPy's.
    function.__wrapped__ = _numpys(path)  # type: ignore[attr-defined]
    return function
