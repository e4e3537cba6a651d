"""Functions of NumPy that the array standard does not have, or has under another name.

The function of the same name in the library of the arrays' device computes, with the parameters that it has there. All
of these functions take ``out=``, an array on the same device.
"""

import builtins
from collections.abc import Callable
from functools import cache, partial
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from accel.device import DeviceLike
from accel.dtypes import DTypeLike
from accel.xp.array_library import library_on
from accel.xp.arrays import Array, wrap
from accel.xp.calls import Exchange, arrays_among, call, lacking, loop_call, member, simple_call
from accel.xp.creation import asarray
from accel.xp.generated_code import Made
from accel.xp.numpy_signatures import ANY, ARRAYS, CREATING, LINALG, LISTS, LOOPS, TRUTHS
from accel.xp.operands import array_of, library_of
from accel.xp.placement import MemoryOrder, device_like

__all__ = ["array", "copy", "core", "linalg", "ndim", "shape", "size"]

_WHERE = frozenset({"device", "like"})
_SEQUENCES = frozenset({list, tuple})
_PLAIN = frozenset({bool, int, float, str})


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

    Parameters
    ----------
    obj : array_like
        The elements, as `asarray` takes them.
    dtype : dtype_like, optional
        The dtype of the elements; by default that of ``obj``.
    copy : bool, default True
        True: always copy. False: never copy. None: copy if needed.
    order : str, optional
        The order of the elements in memory: by default any; C's; Fortran's; or Fortran's if ``obj`` is in it.
    subok : bool, default False
        Without effect: arrays have no subclasses.
    ndmin : int, default 0
        The least number of axes.
    ndmax : , optional
        Only None, as elements are numbers.
    device : Device or str, optional
        The device of the array; by default that of ``obj``, or the current one.
    like : Array, optional
        An array on the device of the new one, if there is no ``device``.

    Returns
    -------
    Array
        The array.

    Raises
    ------
    TypeError
        If ``ndmax`` is given.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.array([[1, 2], [3, 4]], dtype="float32")
    Array([[1., 2.],
           [3., 4.]], dtype=float32, device=cpu)
    """
    if ndmax is not None:
        raise TypeError(
            f"ndmax={ndmax} would leave sequences as elements, and elements are numbers; write xp.array(obj)"
        )
    result = asarray(obj, dtype, order, device=device, copy=copy, like=like)
    return result if not ndmin or result.ndim >= ndmin else result.reshape((1,) * (ndmin - result.ndim) + result.shape)


def copy(a: Array, order: MemoryOrder = "K", subok: bool = False) -> Array:  # noqa: ARG001 - as above
    """Return a copy of an array, by default with its elements in the library's order.

    Parameters
    ----------
    a : Array
        The array.
    order : str, default "K"
        The order of the elements in memory: the library's ("K"), C's, Fortran's, or Fortran's if the array is in it
        ("A").
    subok : bool, default False
        Without effect: arrays have no subclasses.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.copy(xp.asarray([1, 2]))
    Array([1, 2], dtype=int64, device=cpu)
    """
    return array_of(a).copy(order)


def core() -> Made:
    """Return the functions of the main namespace."""
    makers = {name: partial(_function, name) for name in f"{ARRAYS} {LISTS} {ANY}".split()}
    makers |= {name: partial(_truth, name) for name in TRUTHS.split()}
    return Made("accel.xp", makers | {name: partial(_creating, name) for name in CREATING.split()})


def linalg() -> Made:
    """Return the functions of linear algebra."""
    return Made("accel.xp.linalg", {name: partial(_function, f"linalg.{name}") for name in LINALG})


def ndim(a: Array) -> int:
    """Return the number of axes.

    Parameters
    ----------
    a : Array
        The array.

    Returns
    -------
    int
        The number.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.ndim(xp.ones((2, 3)))
    2
    """
    return a.ndim


def shape(a: Array) -> tuple[int, ...]:
    """Return the extent of each axis.

    Parameters
    ----------
    a : Array
        The array.

    Returns
    -------
    tuple of int
        The extents.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.shape(xp.ones((2, 3)))
    (2, 3)
    """
    return a.shape


def size(a: Array, axis: int | tuple[int, ...] | None = None) -> int:
    """Return the number of elements, or the product of the extents of some axes.

    Parameters
    ----------
    a : Array
        The array.
    axis : int or tuple of int, optional
        The axes whose extents are multiplied; all without.

    Returns
    -------
    int
        The number.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.size(xp.ones((2, 3))), xp.size(xp.ones((2, 3)), 1)
    (6, 3)
    """
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

    named = _named(function, path)
    named.__signature__ = _with_device(path, function)  # type: ignore[attr-defined]
    return named


def _with_device(path: str, function: Callable[..., Any]) -> Signature:
    """Return NumPy's signature of a function that creates an array, with the parameters for the device."""
    where = [each for each in signature(function, follow_wrapped=False).parameters.values() if each.name in _WHERE]
    return Signature([*(each for each in _parameters(path) if each.name not in _WHERE), *where])


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
    from accel.xp.documentation.rows import of_numpy  # the tables of texts are read when the first function is made

    section, _, name = path.rpartition(".")
    function.__name__ = function.__qualname__ = name
    function.__module__ = f"accel.xp.{section}" if section else "accel.xp"
    function.__doc__ = of_numpy(path)
    # `inspect.signature` follows this: the signature is NumPy's.
    function.__wrapped__ = _numpys(path)  # type: ignore[attr-defined]
    return function
