"""Calls of a library's functions with arrays of ours anywhere among the arguments and results."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import KNOWN
from accel.errors import CapabilityError
from accel.xp import compiled_functions, large_functions
from accel.xp.array_base import ArrayBase, live, moved, new_array, view_of
from accel.xp.array_library import HOST_SCALARS, ArrayLibrary
from accel.xp.refusals import failure, no_operand

__all__ = [
    "Exchange",
    "arrays_among",
    "assign_out",
    "call",
    "is_operand_of_objects",
    "lacking",
    "large_call",
    "loop_call",
    "member",
    "method",
    "simple_call",
]

_UNEXPECTED = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_OF_NUMPY = (np.ndarray, np.generic)
_VALUES = frozenset({bool, int, float, complex, str, type, type(None)})
"""Types whose values hold no array."""


class Exchange:
    """The arrays of one call: ours become the library's in the arguments, and the library's ours in the results.

    Tuples, named tuples, lists, dicts and slices are searched for arrays. Other objects stay as they are.
    """

    __slots__ = ("_library", "_natives")

    def __init__(self, library: ArrayLibrary, arrays: Iterable[ArrayBase] = ()) -> None:
        self._library = library
        # Our arrays by the id of the library's, which are kept too: an id is used again after the object is gone.
        self._natives: dict[int, tuple[Any, ArrayBase]] = {id(x._native): (x._native, x) for x in arrays}

    def native(self, value: Any) -> Any:
        """Return an argument with each array of ours replaced by the library's."""
        if isinstance(value, ArrayBase):
            array = self._array(value)
            self._natives.setdefault(id(array), (array, value))
            return array
        if isinstance(value, _OF_NUMPY):
            return self._of_numpy(value)
        if isinstance(value, slice):
            return slice(*map(self.native, (value.start, value.stop, value.step)))
        return _mapped(self.native, value)

    def ours(self, result: Any) -> Any:
        """Return a result with each array of the library replaced by one of ours."""
        if type(result) in self._library.native_types or isinstance(result, np.generic):
            pair = self._natives.get(id(result))
            return self._wrapped(result) if pair is None else pair[1]
        return _mapped(self.ours, result)

    def _array(self, x: ArrayBase) -> Any:
        return live(x if x._library is self._library else moved(self._library, x))

    def _of_numpy(self, value: Any) -> Any:
        accepted = self._library.accept(value) if self._library.device is not Device.CPU else value
        if accepted is NotImplemented:
            raise no_operand(self._library, value)
        return accepted

    def _wrapped(self, result: Any) -> Any:
        if is_operand_of_objects(result):
            return result
        sources = self._arrays()
        return sources[0]._wrap(self._library, result, *sources)

    def _arrays(self) -> list[ArrayBase]:
        return [ours for _, ours in self._natives.values()]


def is_operand_of_objects(result: Any) -> bool:
    """Tell whether a result is a view of an operand that is no array of ours, as from `numpy.broadcast_arrays`."""
    return result.dtype.hasobject and isinstance(result, np.ndarray) and result.base is not None


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Apply a function to the parts of a tuple, named tuple, list or dict; return any other object as it is."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([function(part) for part in value])
    if kind is dict:
        return {name: function(part) for name, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return kind(*[function(part) for part in value])
    return value


def simple_call(
    library: ArrayLibrary, function: Callable[..., Any], arguments: Iterable[Any], keywords: Mapping[str, Any]
) -> Any:
    """Call a function that only reads arrays, without an `Exchange`; NotImplemented if one is needed.

    The arguments can be arrays on the library's device, numbers, None, and lists and tuples of these; the keywords
    have no arrays.
    """
    for value in keywords.values():
        if type(value) not in _VALUES:
            return NotImplemented
    arrays: list[ArrayBase] = []
    natives = simple_values(library, arguments, arrays)
    if natives is None or not arrays:
        return NotImplemented
    try:
        result = function(*natives, **keywords) if keywords else function(*natives)
    except (IndexError, MemoryError) as error:
        raise failure(error) from None
    except TypeError as error:
        raise lacking(library, error) from None
    for x in arrays:
        if x._native is result:
            return x
    return _ours(arrays, result)


def large_call(
    library: ArrayLibrary, function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """Call a function of `large_functions.NUMPYS` with large arrays on the host; NotImplemented if NumPy should."""
    if not any(getattr(each, "nbytes", 0) >= library.large for each in arguments):
        return NotImplemented
    arrays: list[ArrayBase] = []
    operands = simple_values(library, arguments, arrays)
    if operands is None:
        return NotImplemented
    try:
        result = large_functions.computed_for_numpy(function, library, operands, keywords)
    except (IndexError, MemoryError) as error:
        raise failure(error) from None
    return NotImplemented if result is None else new_array(arrays[0], result)


def loop_call(
    library: ArrayLibrary, function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """Call a function of `compiled_functions.NUMPYS` with a large array on the host; NotImplemented if NumPy should."""
    arrays: list[ArrayBase] = []
    operands = simple_values(library, arguments, arrays)
    if operands is None or not arrays:
        return NotImplemented
    try:
        result = compiled_functions.computed_for_numpy(function, library, operands, keywords)
    except MemoryError as error:
        raise failure(error) from None
    return NotImplemented if result is None else new_array(arrays[0], result)


def _ours(arrays: list[ArrayBase], result: Any) -> Any:
    """Return a result of a library that is none of the operands, as arrays of ours."""
    x, kind = arrays[0], type(result)
    if kind in HOST_SCALARS:
        return new_array(x, result)
    if kind is np.ndarray and result.dtype in KNOWN:
        base = result.base
        if base is None:
            return new_array(x, result)
        if base is x._native or base is x._native.base:
            return view_of(x, result)
    if kind is not x._library.array_type and not isinstance(result, np.generic):
        return Exchange(x._library, arrays).ours(result)
    return x._wrap(x._library, result, *arrays)


def simple_values(library: ArrayLibrary, values: Iterable[Any], arrays: list[ArrayBase]) -> list[Any] | None:
    """Return values as the library takes them, and append the arrays of ours to a list; None if one is not simple."""
    natives: list[Any] = []
    for value in values:
        kind = type(value)
        if kind in _VALUES:
            natives.append(value)
        elif isinstance(value, ArrayBase) and value._library is library:
            arrays.append(value)
            native = value._native
            natives.append(native if value._shared is None and type(native) is library.array_type else live(value))
        elif isinstance(value, np.dtype) or (library.device is Device.CPU and isinstance(value, _OF_NUMPY)):
            natives.append(value)
        elif kind is list or kind is tuple:
            parts = simple_values(library, value, arrays)
            if parts is None:
                return None
            natives.append(kind(parts))
        else:
            return None
    return natives


def arrays_among(values: Iterable[Any]) -> Iterator[ArrayBase]:
    """Yield the arrays of ours among values, and inside of tuples, lists and dicts."""
    for value in values:
        if isinstance(value, ArrayBase):
            yield value
        elif isinstance(value, tuple | list):
            yield from arrays_among(value)
        elif type(value) is dict:
            yield from arrays_among(value.values())


def member(library: ArrayLibrary, path: str) -> Callable[..., Any]:
    """Return a function of a device's library, such as ``"linalg.norm"``.

    Raises
    ------
    CapabilityError
        If the library has no such function.
    """
    value: Any = library.members.get(path)
    if value is None:
        value = library.namespace
        try:
            for name in path.split("."):
                value = getattr(value, name)
        except AttributeError:
            raise _missing(library, f"function {path}") from None
        library.members[path] = value
    return value  # type: ignore[no-any-return]


def _missing(library: ArrayLibrary, what: str) -> CapabilityError:
    return CapabilityError(
        f"the library that computes on {library.device} has no {what}; compute it on the host, with x.to_device('cpu')"
    )


def lacking(library: ArrayLibrary, error: TypeError) -> Exception:
    """Return the error for a keyword that NumPy has and the library of a device has not; any other error as it is."""
    found = None if library.device is Device.CPU else _UNEXPECTED.search(str(error))
    return error if found is None else _missing(library, f"{found[1]} with {found[2]}=")


def call(library: ArrayLibrary, path: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a function of a device's library; ``out=`` is written as an assignment is, and returned."""
    return _called(library, member(library, path), arguments, keywords)


def call_with(x: ArrayBase, path: str, *arguments: Any, **keywords: Any) -> Any:
    """Call a function of the library of an array with the array; ``out=`` as for `call`."""
    library = x._library
    return _called(library, member(library, path), (x, *arguments), keywords)


def method(x: ArrayBase, name: str, *arguments: Any, **keywords: Any) -> Any:
    """Call a method of the library's array; ``out=`` is written as an assignment is, and returned.

    Raises
    ------
    CapabilityError
        If the library's arrays have no such method.
    """
    library = x._library
    function = getattr(library.array_type, name, None)
    if function is None:
        raise _missing(library, f"method {name}")
    if library.within is None:
        return _called(library, function, (x, *arguments), keywords)

    def compute(*natives: Any, **options: Any) -> Any:
        return library.compute(function, *natives, **options)

    return _called(library, compute, (x, *arguments), keywords)


def _called(
    library: ArrayLibrary, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    target = keywords.pop("out", None) if keywords else None
    if target is None:
        result = simple_call(library, function, arguments, keywords)
        if result is not NotImplemented:
            return result
    exchange = Exchange(library)
    try:
        result = exchange.ours(function(*exchange.native(arguments), **exchange.native(keywords)))
    except (IndexError, MemoryError) as error:
        raise failure(error) from None
    except TypeError as error:
        raise lacking(library, error) from None
    return result if target is None else assign_out(target, result)


def assign_out(target: Any, result: Any, where: Any = True) -> Any:
    """Write a result to ``out=``, or the elements of it for which a condition is true, and return ``out``.

    Raises
    ------
    TypeError
        If ``out`` is no array.
    ValueError
        If the shapes differ.
    """
    if not isinstance(target, ArrayBase | np.ndarray):
        raise TypeError(f"out must be an array; found {type(target).__name__}: write out=xp.empty({result.shape})")
    if target.shape != result.shape:
        raise ValueError(f"out has shape {target.shape}, and the result has {result.shape}; write out=xp.empty(shape)")
    target[...] = result if where is True else call(result._library, "where", (where, result, target), {})
    return target
