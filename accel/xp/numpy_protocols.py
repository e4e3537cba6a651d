"""NumPy's protocols: its functions and ufuncs with arrays of ours, for which NumPy computes on the host.

For arrays on another device a function of `accel.xp` of the same name computes there. If there is none, they are copied
to the host if the setting ``host_copies`` allows that, and results back.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from accel.device import Device
from accel.errors import DeviceMismatchError
from accel.xp.array_base import ArrayBase, is_number, live, moved
from accel.xp.array_library import HOST_SCALARS, library_on
from accel.xp.calls import Exchange, arrays_among, is_operand_of_objects, large_call, loop_call, simple_call
from accel.xp.compiled_functions import NUMPYS as LOOPS
from accel.xp.host_access import on_host
from accel.xp.in_place import into
from accel.xp.large_functions import NUMPYS
from accel.xp.numpy_on_devices import CREATING, LIKE, created_like, function_there, ufunc_there
from accel.xp.refusals import failure, refuse_read_only

__all__ = ["array_function", "array_ufunc"]

_ARRAYS = (ArrayBase, np.ndarray)

_WIDEST = 8
"""Bytes of the largest usual elements: `where` selects some by a condition that has one for each."""

_WRITERS = frozenset({np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis})
"""The functions that write to their first argument."""

_FACTS: Mapping[object, Callable[..., Any]] = {
    np.ndim: lambda a: a.ndim,
    np.shape: lambda a: a.shape,
    np.size: lambda a, axis=None: np.size(np.broadcast_to(0, a.shape), axis),
    np.result_type: lambda *values: np.result_type(*map(_dtype_of, values)),
    np.iscomplexobj: lambda x: x.dtype.kind == "c",
    np.isrealobj: lambda x: x.dtype.kind != "c",
}
"""The functions that read no elements: a device array needs no copy."""


def _dtype_of(value: Any) -> Any:
    return value.dtype if isinstance(value, ArrayBase) else value


_NAMES: Mapping[str, str] = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "left_shift": "lshift",
    "right_shift": "rshift",
}
"""The ufuncs that a scalar of NumPy calls for its operators, with the names of the operators."""

_OPERATORS: Mapping[object, Callable[..., Any]] = {
    getattr(np, name): getattr(operator, short) for name, short in _NAMES.items()
}

_REFLECTED: Mapping[object, str] = {
    getattr(np, name): f"__r{_NAMES[name]}__" for name in ("add", "subtract", "multiply", "divide")
}
"""Operators of the array on the right of such a scalar, which take a third of the time of the ufunc."""


def array_ufunc(x: ArrayBase, function: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
    """Compute a ufunc: ``__array_ufunc__`` of arrays."""
    if _calls_an_operator(x, function, method, inputs, keywords):
        return getattr(x, _REFLECTED[function])(inputs[0])
    x = _leading(x, inputs)
    if method == "__call__" and x._library.of_numpy is not None:
        result = _simple_call(x, function, inputs, keywords)
        if result is not NotImplemented:
            return result
    targets = inputs[:1] if method == "at" else keywords.get("out", ())
    if any(map(_is_foreign, (*inputs, *targets))):
        return NotImplemented
    if x._library.of_numpy is None and function in _OPERATORS and _of_scalar_and_array(method, inputs, keywords):
        return _OPERATORS[function](x._wrap(x._library, x._library.accept(inputs[0])), x)
    if x._library.of_numpy is None:
        result = ufunc_there(x, function, method, inputs, keywords)
        if result is not NotImplemented:
            return result
    if "where" in keywords:
        keywords.setdefault("out", None)  # NumPy leaves out a None, and would warn that there is none
    called = function if method == "__call__" else getattr(function, method)
    return _on_host(x, called, function.__name__, inputs, keywords, targets)


def _simple_call(x: ArrayBase, function: np.ufunc, inputs: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Call a ufunc with no keyword but ``out=`` on the host; NotImplemented if an `Exchange` is needed."""
    if not keywords:
        return simple_call(x._library, function, inputs, keywords)
    if keywords.keys() == {"out"} and len(keywords["out"]) == 1:
        return into(function, inputs, keywords["out"][0])
    return NotImplemented


def _calls_an_operator(
    x: ArrayBase, function: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: Mapping[str, Any]
) -> bool:
    """Tell whether a scalar of NumPy calls an operator with an array on the host."""
    simple = type(inputs[0]) in HOST_SCALARS and method == "__call__" and not keywords
    return simple and function in _REFLECTED and x._library.of_numpy is not None


def array_function(
    x: ArrayBase,
    function: Callable[..., Any],
    types: Iterable[type],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> Any:
    """Compute a function of NumPy: ``__array_function__`` of arrays."""
    for kind in types:
        if not issubclass(kind, _ARRAYS):
            return NotImplemented
    x = _leading(x, (*arguments, *keywords.values()))
    if function in _FACTS:
        return _FACTS[function](*arguments, **keywords)
    if function in CREATING:
        return created_like(x, function, arguments, keywords)
    result: Any = NotImplemented
    if x._library.of_numpy is None:
        result = _there(x, function, arguments, keywords)
    elif x.nbytes >= x._library.large // _WIDEST and function in NUMPYS:  # the size is known in less time
        result = large_call(x._library, function, arguments, keywords)
    elif x.nbytes >= x._library.looped and function in LOOPS:
        result = loop_call(x._library, function, arguments, keywords)
    if result is not NotImplemented:
        return result
    out = keywords.get("out")
    targets = arguments[:1] if function in _WRITERS else () if out is None else (out,)
    return _on_host(x, function, function.__name__, arguments, keywords, targets)


def _there(x: ArrayBase, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Compute a function on another device; NotImplemented if none of its functions does."""
    if function in LIKE:
        return LIKE[function](*arguments, **keywords)
    return function_there(x, function, arguments, keywords)


def _leading(x: ArrayBase, operands: Iterable[Any]) -> ArrayBase:
    """Return the array whose device computes: of the first operand that is more than a number of the host."""
    if not is_number(x):
        return x
    return next((each for each in arrays_among(operands) if not is_number(each)), x)


def _is_foreign(value: Any) -> bool:
    """Tell whether an operand has a rule of its own for NumPy's ufuncs."""
    kind = type(value)
    return (
        hasattr(kind, "__array_ufunc__")
        and not issubclass(kind, (ArrayBase, np.ndarray, np.generic))
        and kind.__array_ufunc__ is not np.ndarray.__array_ufunc__
    )


def _of_scalar_and_array(method: str, inputs: tuple[Any, ...], keywords: Mapping[str, Any]) -> bool:
    """Tell whether a scalar of NumPy is the first operand and an array of ours the other, and there are no options."""
    if method != "__call__" or keywords or len(inputs) != 2:
        return False
    # NumPy compares a scalar as an array of no axes.
    return isinstance(inputs[0], np.generic | np.ndarray) and inputs[0].ndim == 0


class _HostExchange(Exchange):
    """The arrays of a call that NumPy computes: those of another device are copied to the host, and results back.

    Parameters
    ----------
    first : Array
        The array whose device has the results.
    what : str
        The function, for messages.
    targets : iterable
        Arguments, and tuples of arguments, that the function writes to.
    """

    __slots__ = ("_first", "_targets", "_what")

    def __init__(self, first: ArrayBase, what: str, targets: Iterable[Any]) -> None:
        super().__init__(library_on(Device.CPU))
        self._first, self._what = first, what
        self._targets = {id(each) for target in targets for each in _several(target)}

    def write_back(self) -> None:
        """Copy results that the function wrote to copies on the host into the arrays on the device."""
        for array, ours in self._natives.values():
            if id(ours) in self._targets:
                ours[...] = self._moved(array)

    def _array(self, x: ArrayBase) -> Any:
        if x._library is not self._first._library:
            return live(moved(self._library, x))
        writing = id(x) in self._targets
        if x._library.of_numpy is None:
            return self._copied(x, writing)
        array = live(x, writing=writing)
        if writing:
            # NumPy's own check is not enough: `ufunc.at` writes into read-only arrays.
            refuse_read_only(self._library, array)
        return array

    def _copied(self, x: ArrayBase, writing: bool) -> Any:
        for array, ours in self._natives.values():
            if ours is x:  # two copies would be written back one after the other
                return array
        try:
            return on_host(x, f"NumPy's {self._what}", writable=writing)
        except DeviceMismatchError as error:
            raise DeviceMismatchError(
                f"{error}; to compute on {x.device}, write xp.asarray(values, device='{x.device}') for arrays of "
                f"NumPy, and use functions of accel.xp"
            ) from None

    def _wrapped(self, result: Any) -> Any:
        if id(result) in self._targets:  # ``out=`` of NumPy
            return result
        return super()._wrapped(result) if self._first.device is Device.CPU else self._moved(result)

    def _moved(self, result: Any) -> Any:
        if is_operand_of_objects(result):
            return result
        return self._first._wrap(self._library, result).to_device(self._first.device)


def _several(target: Any) -> tuple[Any, ...]:
    return target if isinstance(target, tuple) else (target,)


def _on_host(
    first: ArrayBase,
    function: Callable[..., Any],
    what: str,
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    targets: Iterable[Any],
) -> Any:
    """Call a function of NumPy with the elements of our arrays, and return its results as arrays of ours."""
    if not targets and first._library.of_numpy is not None:
        result = simple_call(first._library, function, arguments, keywords)
        if result is not NotImplemented:
            return result
    exchange = _HostExchange(first, what, targets)
    try:
        natives, options = exchange.native(arguments), exchange.native(dict(keywords))
        result = exchange.ours(function(*natives, **options))
    except (IndexError, MemoryError) as error:
        raise failure(error) from None
    if first.device is not Device.CPU:
        exchange.write_back()
    return result
