"""`CaptureCheck`: whether what a function reads besides its arguments is as it was when the function was traced."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import CellType
from typing import Any

import numpy as np

from accel.tracing.captures import PLAIN, Captures, Read, items_of
from accel.tracing.generated_text import run
from accel.xp.array_base import live
from accel.xp.arrays import Array

__all__ = ["CaptureCheck", "form_of", "same"]


class CaptureCheck:
    """Compares what a function reads with what it has read.

    A list, dict or set that has changed since the captures were made is left out: the function itself has changed it.

    Parameters
    ----------
    captures : Captures
        What it has read.
    captured : list of Array
        Those arrays whose elements are read in each call. Another array of the same form takes its place there.
    masks : sequence of numpy.ndarray
        More that was read, with its elements.

    Attributes
    ----------
    unchanged : callable or None
        Tells whether all is as it was; None if nothing was read.
    """

    def __init__(self, captures: Captures, captured: list[Any], masks: Sequence[np.ndarray[Any, Any]]) -> None:
        self._rebound = _Rebound(captured, [*[each.value for each in captures.reads], *captures.within])
        self._scope: dict[str, Any] = {
            "captured": captured,
            "equal": np.array_equal,
            "rebound": self._rebound,
            "same": same,
        }
        self._names: dict[int, str] = {}
        self._conditions: dict[str, str] = {self._of_read(each): each.name for each in captures.reads}
        for name, group, items in captures.groups:
            ids = [*map(id, items)]
            self._name(items)  # so that each keeps its id
            if [*map(id, items_of(group))] == ids:
                values = f", *map(id, {self._name(group)}.values())" if isinstance(group, dict) else ""
                self._conditions[f"[*map(id, {self._name(group)}){values}] == {self._name(ids)}"] = name
        for each in masks:
            self._conditions[f"equal({self._name(each)}, {self._name(each.copy())})"] = "a mask"
        self.unchanged: Callable[[], bool] | None = (
            self._function(" and ".join(self._conditions)) if self._conditions else None
        )

    def changed(self) -> list[str]:
        """Return the names of what is not as it was."""
        return [name for condition, name in self._conditions.items() if not self._function(condition)()]

    def _of_read(self, read: Read) -> str:
        owner, name = self._name(read.owner), read.name
        attribute = "cell_contents" if type(read.owner) is CellType else name
        expression = f"{owner}[{name!r}]" if type(read.owner) is dict else f"{owner}.{attribute}"
        place = self._rebound.places.get(id(read.value))
        if place is not None:
            return f"({expression} is captured[{place}] or rebound({place}, {expression}))"
        known = self._name(read.value)
        if type(read.value) in PLAIN or type(read.value) is tuple:
            return f"({expression} is {known} or same({expression}, {known}))"
        return f"{expression} is {known}"

    def _name(self, value: Any) -> str:
        """Return a name for a value, which it keeps, so that no other one has its id."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"v{len(self._names)}"
            self._scope[name] = value
        return name

    def _function(self, condition: str) -> Callable[[], bool]:
        text = f"""def holds():
    try: return {condition}
    except (AttributeError, KeyError, ValueError): return False"""
        run(text, "what a fused function reads", self._scope)
        holds: Callable[[], bool] = self._scope["holds"]
        return holds


class _Rebound:
    """Takes another array of the same form in the place of a captured one that has one name.

    Attributes
    ----------
    places : dict of int to int
        The place of each such array, by its id.
    """

    def __init__(self, captured: list[Any], values: Iterable[Any]) -> None:
        names = Counter(map(id, values))
        arrays = [(place, each) for place, each in enumerate(captured) if type(each) is Array]
        self.places = {id(each): place for place, each in arrays if names[id(each)] == 1}
        self._captured = captured
        self._forms = {place: form_of(captured[place]) for place in self.places.values()}

    def __call__(self, place: int, array: Any) -> bool:
        if type(array) is not Array or form_of(array) != self._forms[place]:
            return False
        self._captured[place] = array
        return True


def form_of(array: Array) -> tuple[Any, ...]:
    """Return what a trace depends on of an array."""
    native = live(array)
    readonly = array._library.backend.is_readonly(native)
    return native.shape, native.strides, native.dtype.str, native.dtype.name, array._library, readonly


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are one, or numbers, texts or tuples of these that nothing tells apart."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is tuple:
        return len(one) == len(other) and all(map(same, one, other))
    return (kind in PLAIN or issubclass(kind, np.number | np.bool)) and repr(one) == repr(other)
