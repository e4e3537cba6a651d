"""`Leaves`: the arrays and numbers among the arguments of a call, and what a trace depends on besides them."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from accel.containers import AcceleratorDataContainer
from accel.tracing.capture_checks import form_of
from accel.tracing.symbols import Symbol
from accel.tracing.user_code import is_of_user
from accel.xp.array_base import live
from accel.xp.arrays import Array
from accel.xp.creation import asarray

__all__ = ["NUMBERS", "Leaves", "Part", "is_named_tuple", "mapped", "role_of"]

NUMBERS = (bool, int, float, complex)
_ARRAYS = (Array, np.ndarray, np.memmap, AcceleratorDataContainer)


class Part(NamedTuple):
    """An argument, or a part of one.

    Attributes
    ----------
    role : str
        That of `role_of`; also ``constant`` if it is static.
    value : object
        What it is.
    parent : int or None
        The number of the group that it is in; None for an argument.
    name : str
        An expression for it, of the names of the arguments.
    """

    role: str
    value: Any
    parent: int | None
    name: str


class Leaves:
    """The arrays and numbers of the arguments of a call.

    Attributes
    ----------
    parts : list of Part
        The arguments, each before its own parts.
    arrays : list of Array
        Each once.
    places : list of int
        For each part that is an array its place among these.
    numbers : list
        The numbers.
    key : list
        What else decides how the function is traced.
    names : list of str
        Those of the arrays.
    is_traced : bool
        Whether another thread traces a function, of which these are arrays.
    """

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.arrays: list[Array] = []
        self.places: list[int] = []
        self.numbers: list[Any] = []
        self.key: list[Any] = []
        self.names: list[str] = []
        self.is_traced: bool = False

    def add(self, value: Any, name: str, *, static: bool = False, parent: int | None = None) -> None:
        """Add an argument, or a part of one, by its name."""
        role = "constant" if static else role_of(value)
        self.parts.append(Part(role, value, parent, name))
        number, kind = len(self.parts) - 1, type(value)
        if role == "array":
            self._add_array(value if kind is Array else asarray(value), name)
        elif role == "number":
            self.numbers.append(value)
            self.key.append(kind)
        elif role == "constant":
            mutable = not static and not isinstance(value, Hashable) and is_of_user(kind.__module__)
            self.key.append((role, kind, _Identity(value) if mutable else value, _text_of(value)))
        elif kind is dict:
            self.key.append((kind, *value))
            for key, each in value.items():
                self.add(each, f"{name}[{key!r}]", parent=number)
        else:
            self.key.append((kind, len(value)))
            for place, each in enumerate(value):
                self.add(each, f"{name}[{place}]", parent=number)

    def _add_array(self, array: Array, name: str) -> None:
        place = next((place for place, each in enumerate(self.arrays) if each is array), len(self.arrays))
        self.places.append(place)
        if place < len(self.arrays):
            self.key.append(place)
            return
        native = live(array)
        if isinstance(native, Symbol):
            if native.tracer.finished:
                raise native.tracer.needs_value("an argument")
            self.is_traced = True
        self.key.append(form_of(array))
        self.arrays.append(array)
        self.names.append(name)


class _Identity:
    """Stands in a key for an object without a hash, whose attributes a trace may depend on."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other._value is self._value

    def __hash__(self) -> int:
        return id(self._value)


def _text_of(value: Any) -> str:
    """Return what tells values apart that are equal: 0.0 and -0.0, and those within tuples."""
    return repr(value) if isinstance(value, float | complex | tuple) else ""


def role_of(value: Any) -> str:
    """Return what a value is in a trace: ``array``, ``number``, ``group`` of parts, or ``constant``."""
    kind = type(value)
    if kind in _ARRAYS:
        return "array"
    if kind in NUMBERS or isinstance(value, np.number | np.bool):
        return "number"
    return "group" if kind in (tuple, list, dict) or is_named_tuple(value) else "constant"


def is_named_tuple(value: Any) -> bool:
    """Tell whether a value is a named tuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def mapped(value: Any, function: Callable[[Any], Any], groups: list[Any] | None = None) -> Any:
    """Apply a function to the leaves of tuples, named tuples, lists and dicts; ``groups`` gets new lists and dicts."""
    kind = type(value)
    if kind is dict:
        result: Any = {name: mapped(each, function, groups) for name, each in value.items()}
    elif kind is tuple or kind is list:
        result = kind([mapped(each, function, groups) for each in value])
    elif is_named_tuple(value):
        result = kind(*[mapped(each, function, groups) for each in value])
    else:
        return function(value)
    if groups is not None and kind in (list, dict):
        groups.append(result)
    return result
