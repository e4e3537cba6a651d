"""`cupy.ndarray` as a base class: which results of methods and functions have the class of an operand, as in CuPy.

Methods and functions compute with plain arrays on the memory of the operands. A view of an operand has its class, and a
result of an elementwise function that of the first operand with one; other results are plain.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from math import prod
from types import EllipsisType, FunctionType
from typing import Any

import numpy as np

from accel import xp
from accel.errors import CapabilityError
from accel.testing.cupy_simulation.arrays import MemoryPointer
from accel.testing.cupy_simulation.places import visible
from accel.xp.array_base import shared_of
from accel.xp.arrays import Array
from accel.xp.functions import FunctionAsMethod
from accel.xp.methods import Methods

__all__ = ["for_subclasses", "is_elementwise", "ndarray", "plain", "view"]

_LIKE_UFUNCS = ("where", "clip", "round", "around", "fix", "sinc", "angle", "i0", "real", "imag", "isclose", "diff")
_PRODUCTS = ("matmul", "vecdot", "matvec", "vecmat")


def is_elementwise(name: str) -> bool:
    """Tell whether the results of a function have the class of its operands, as those of CuPy's ufuncs."""
    native = getattr(np, name, None)
    return name in _LIKE_UFUNCS or (isinstance(native, np.ufunc) and name not in _PRODUCTS)


class _Arrays(type):
    """The class of `ndarray`: arrays of `accel.xp` are its instances, and their class is a subclass of it."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, Array) if cls is ndarray else super().__instancecheck__(value)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, Array) if cls is ndarray else super().__subclasscheck__(other)


class ndarray(Array, metaclass=_Arrays):  # type: ignore[misc]  # noqa: N801 - CuPy's name
    """Stands for `cupy.ndarray`: ``ndarray(shape, dtype)`` makes an array, and programs derive classes from it."""

    __slots__ = ()
    __module__ = "cupy"
    __array_priority__ = 100

    def __new__(
        cls, shape: Any, dtype: Any = float, memptr: MemoryPointer | None = None, strides: Any = None, order: str = "C"
    ) -> Any:
        """Return an uninitialised array, or one on given memory."""
        visible()
        if strides is not None or order != "C":
            raise CapabilityError("an array with given strides is not simulated; slice or reshape the array")
        extents = tuple(shape) if isinstance(shape, tuple | list) else (int(shape),)
        if memptr is None:
            array = xp.empty(extents, dtype=np.dtype(dtype))
        else:
            array = xp.reshape(memptr.part(prod(extents) * np.dtype(dtype).itemsize).view(np.dtype(dtype)), extents)
        return array if cls is ndarray else _of_class(cls, array, None)

    def __array_finalize__(self, obj: Any) -> None:
        """Do nothing; subclasses set their attributes here."""

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        call = _Call()
        result = Array.__array_ufunc__(call.plain(self), function, method, *call.plain(inputs), **call.plain(keywords))
        return call.typed(result, inputs, elementwise=method == "__call__" and is_elementwise(function.__name__))

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        call = _Call()
        result = Array.__array_function__(
            call.plain(self), function, types, call.plain(arguments), call.plain(keywords)
        )
        return call.typed(result, arguments, elementwise=is_elementwise(function.__name__))


def _of_class(cls: Any, array: Array, source: Any) -> Any:
    """Return an instance of a subclass on the memory of an array; ``source`` is what it was made of."""
    made: Any = object.__new__(cls)
    made._native, made._library, made._shared = array._native, array._library, shared_of(array)
    made.__array_finalize__(source)
    return made


def view(self: Array, dtype: Any = None, type: Any = None) -> Any:
    """Return a view with another dtype, of another class, or both; of `cupy.ndarray`."""
    if type is None and isinstance(dtype, _Arrays):
        dtype, type = None, dtype
    cls = self.__class__ if type is None else type
    array = Methods.view(plain(self), dtype)
    return array if cls in (ndarray, Array) else _of_class(cls, array, self)


def plain(value: Any) -> Any:
    """Return a value with plain arrays on the same memory in the place of those of subclasses."""
    return _Call().plain(value)


class _Call:
    """A call with arrays of subclasses: the plain arrays that take part for them."""

    def __init__(self) -> None:
        self._twins: list[tuple[Array, ndarray]] = []

    def plain(self, value: Any) -> Any:
        """Return a value with plain arrays in the place of those of subclasses."""
        kind = value.__class__
        if isinstance(kind, _Arrays):
            twin = Array()
            twin._shared = shared_of(value)
            twin._native, twin._library = value._native, value._library
            self._twins.append((twin, value))
            return twin
        if kind is tuple or kind is list:
            return kind([self.plain(each) for each in value])
        return {key: self.plain(each) for key, each in value.items()} if kind is dict else value

    def typed(self, result: Any, operands: Sequence[Any], *, elementwise: bool) -> Any:
        """Return a result of the call with the class that it has in CuPy."""
        if not self._twins:
            return result
        if result.__class__ in (tuple, list):
            return result.__class__([self.typed(each, operands, elementwise=elementwise) for each in result])
        if result.__class__ is not Array or any(result is each for each in operands):
            return result
        for twin, original in self._twins:
            if result is twin:
                return original
        source = _first(operands) if elementwise else self._viewed(result)
        return result if source is None else _of_class(source.__class__, result, source)

    def _viewed(self, result: Array) -> Any:
        shared = result._shared
        return next((source for twin, source in self._twins if shared is not None and twin._shared is shared), None)


def _first(operands: Iterable[Any]) -> Any:
    return next((each for each in operands if isinstance(each.__class__, _Arrays)), None)


_BY_NUMPY: Mapping[str, Any] = {
    f"__{name}__": getattr(np, function)
    for name, function in {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "truediv": "divide",
        "floordiv": "floor_divide",
        "mod": "remainder",
        "divmod": "divmod",
        "pow": "power",
        "lshift": "left_shift",
        "rshift": "right_shift",
        "and": "bitwise_and",
        "or": "bitwise_or",
        "xor": "bitwise_xor",
        "eq": "equal",
        "ne": "not_equal",
        "lt": "less",
        "le": "less_equal",
        "gt": "greater",
        "ge": "greater_equal",
    }.items()
}
"""What CuPy's operators call for another operand than an array: so ``__array_ufunc__`` of a subclass is asked."""

_PLAIN = ("matmul", "contains", "round", "setitem", "copy")
_OPERATORS = [
    name
    for name, member in vars(Methods).items()
    if name.startswith("__") and isinstance(member, FunctionType) and name not in ("__hash__", "__delitem__")
]
_METHODS = [
    name
    for name, member in vars(Methods).items()
    if not name.startswith("_") and isinstance(member, FunctionType | FunctionAsMethod) and name != "view"
]
_PROPERTIES = ("T", "mT", "real", "imag")


def _computes(name: str) -> bool:
    """Tell whether an operator or method is elementwise."""
    if name.startswith("__"):
        return not any(part in name for part in _PLAIN)
    return is_elementwise(name)


def _has_own_ufuncs(array: Any) -> bool:
    return array.__class__.__array_ufunc__ is not ndarray.__array_ufunc__


def _method(name: str) -> Callable[..., Any]:
    """Return a method of `ndarray` that calls the one of plain arrays."""
    elementwise, by_numpy = _computes(name), _BY_NUMPY.get(name)

    def run(self: Any, *arguments: Any, **keywords: Any) -> Any:
        if by_numpy is not None and not isinstance(arguments[0], Array) and _has_own_ufuncs(self):
            return by_numpy(self, *arguments)
        call = _Call()
        target = call.plain(self)
        result = getattr(Array, name)(target, *call.plain(arguments), **call.plain(keywords))
        keeps = elementwise and (name != "__getitem__" or _is_basic(arguments[0]))
        return call.typed(result, (self, *arguments, *keywords.values()), elementwise=keeps)

    run.__name__, run.__qualname__ = name, f"ndarray.{name}"
    return run


def _is_basic(key: Any) -> bool:
    """Tell whether an index selects a view in CuPy, also where it is one element."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(isinstance(part, int | np.integer | slice | EllipsisType | None) for part in parts)


def _property(name: str) -> Any:
    elementwise = is_elementwise(name)

    def read(self: Any) -> Any:
        call = _Call()
        return call.typed(getattr(call.plain(self), name), (self,), elementwise=elementwise)

    return property(read)


for _name in (*_OPERATORS, *_METHODS, "__getitem__", "__setitem__", "__copy__", "__deepcopy__", "to_device"):
    setattr(ndarray, _name, _method(_name))
for _name in _PROPERTIES:
    setattr(ndarray, _name, _property(_name))


def for_subclasses(function: Any, *, elementwise: bool = False) -> Any:
    """Return a function that takes arrays of subclasses too; what is no function is returned as it is."""
    if not isinstance(function, FunctionType):
        return function

    @wraps(function)
    def run(*arguments: Any, **keywords: Any) -> Any:
        call = _Call()
        result = function(*call.plain(arguments), **call.plain(keywords))
        return call.typed(result, (*arguments, *keywords.values()), elementwise=elementwise)

    return run
