"""`accel.xp` as the array standard's own tests see it with ``ci/array_api --fused``: each function is fused.

So are the operators, methods and properties of arrays. A call is traced anew, with its arrays as arguments; everything
else is a value of the trace. What hypothesis and the tests' helpers call is not fused: it makes operands, and compares
results element by element.
"""

import sys
from collections.abc import Callable
from functools import update_wrapper
from types import ModuleType
from typing import Any

import accel
from accel.xp import Array

__all__ = ["FusedNamespace", "fused", "xp"]

TESTS = "array_api_tests.test_"
"""How the names of the modules begin whose calls are fused."""

UNFUSED = {
    "the shapes of the results depend on elements": "nonzero unique_all unique_counts unique_inverse unique_values",
    "the memory of a device is passed": "from_dlpack",
    "the result is about types, or about the namespace": (
        "__array_namespace_info__ can_cast finfo iinfo isdtype result_type"
    ),
}
"""Functions that are called as they are, by the reason. Members of arrays that return numbers of Python are too."""

_UNFUSED = frozenset(" ".join(UNFUSED.values()).split())


def fused(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is fused in each call by a test."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        if not sys._getframe(1).f_globals.get("__name__", "").startswith(TESTS) or _needs_elements(function, arguments):
            return function(*arguments, **keywords)
        arrays: list[Array] = []
        places, named = _places(arguments, arrays), _places(keywords, arrays)

        @accel.fuse
        def traced(*operands: Array) -> Any:
            return function(*_filled(places, operands), **_filled(named, operands))

        return traced(*arrays)

    return update_wrapper(call, function)


class _Place(int):
    """The place of an array among the operands of a fused function."""


def _mapped(value: Any, of_leaf: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind in (tuple, list):
        return kind([_mapped(each, of_leaf) for each in value])
    return {name: _mapped(each, of_leaf) for name, each in value.items()} if kind is dict else of_leaf(value)


def _places(value: Any, arrays: list[Array]) -> Any:
    """Return arguments with places instead of arrays, which are appended to a list."""

    def place(leaf: Any) -> Any:
        if type(leaf) is not Array:
            return leaf
        arrays.append(leaf)
        return _Place(len(arrays) - 1)

    return _mapped(value, place)


def _filled(value: Any, operands: tuple[Array, ...]) -> Any:
    return _mapped(value, lambda leaf: operands[leaf] if type(leaf) is _Place else leaf)


def _needs_elements(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """Tell whether elements decide the shape: with a mask as an index, or arrays as ends of slices or as counts."""
    if function.__name__ == "repeat":
        return type(arguments[1]) is Array
    if function is not _GETITEM:
        return False
    parts = arguments[1] if type(arguments[1]) is tuple else (arguments[1],)
    ends = [end for part in parts if isinstance(part, slice) for end in (part.start, part.stop, part.step)]
    return any(type(end) is Array for end in ends) or any(getattr(part, "dtype", None) == xp.bool for part in parts)


class FusedNamespace(ModuleType):
    """A namespace whose functions are fused, and those of the namespaces within it."""

    def __init__(self, namespace: Any) -> None:
        super().__init__(namespace.__name__)
        self._namespace = namespace

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._namespace, name)
        if isinstance(value, ModuleType):
            value = FusedNamespace(value)
        elif callable(value) and not isinstance(value, type) and name not in _UNFUSED:
            value = fused(value)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return dir(self._namespace)


def _fuse_members() -> None:
    """Fuse the operators and properties of arrays."""
    for operator in (*UNARY, *OTHERS, *[f"{prefix}{name}" for name in BINARY for prefix in ("", "r", "i")]):
        setattr(Array, f"__{operator}__", fused(getattr(Array, f"__{operator}__")))
    for name in PROPERTIES:
        getter = getattr(Array, name).fget
        setattr(Array, name, property(fused(getter)))


_GETITEM = Array.__getitem__
UNARY = ("abs", "invert", "neg", "pos")
BINARY = ("add", "and", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow", "rshift", "sub", "truediv", "xor")
OTHERS = ("eq", "ge", "getitem", "gt", "le", "lt", "ne", "setitem")
PROPERTIES = ("T", "mT")

xp = FusedNamespace(accel.xp)
_fuse_members()
