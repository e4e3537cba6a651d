"""`Captures`: the globals, variables of closures and attributes that a function reads, and whether they changed.

A function is searched with the functions of the user that it calls. Which attributes of an object or a module it reads
is not known, but all names of attributes in it are; so the attributes with these names are compared. Modules of Python,
of NumPy and of other installed packages are taken to stay as they are.
"""

import inspect
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, lru_cache, partial
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from accel.tracing.generated_text import run
from accel.xp.array_base import live
from accel.xp.arrays import Array

__all__ = ["Captures", "form_of", "is_of_user", "same"]

_LIBRARIES = frozenset({"accel", "numpy", *sys.stdlib_module_names})
_INSTALLED = tuple({sysconfig.get_path(kind) for kind in ("purelib", "platlib", "stdlib", "platstdlib")})
_PLAIN = frozenset({bool, int, float, complex, str, bytes})
_GROUPS = (list, dict, set)
_MOST_ITEMS = 100
_MOST_IN_ALL = 1000
_DEEPEST = 4
_NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
_OF_EXEC = (None, "builtins")
"""The modules of functions that `exec` makes, unless it is told another one."""


class Captures:
    """What a function reads besides its arguments, as it is now.

    Parameters
    ----------
    function : callable
        The function.
    objects : sequence
        Those of its arguments of which attributes may be read, such as ``self``.
    """

    def __init__(self, function: Callable[..., Any], objects: Sequence[Any] = ()) -> None:
        self._module = getattr(function, "__module__", None)
        self._title = ""
        self._titles: dict[str, str] = {}
        self._reads: dict[str, Any] = {}
        self._groups: dict[str, list[Any]] = {}
        self._within: list[Any] = []
        self._scope: dict[str, Any] = {"same": same, "equal": np.array_equal}
        self._names: dict[int, str] = {}
        self._seen: set[int] = set()
        self._functions: set[str] = set()
        self._attributes: set[str] = set()
        self._objects: list[tuple[Any, int, set[str]]] = []
        self._callable(function)
        for each in objects:
            self._value(each, 0)
        self._search()

    def unchanged(self, captured: list[Any], masks: Sequence[np.ndarray[Any, Any]] = ()) -> Callable[[], bool] | None:
        """Return a function that tells whether all is as it was; None if nothing is read.

        A list, dict or set that has changed meanwhile is left out: the function itself has changed it.

        Parameters
        ----------
        captured : list of Array
            Those whose elements are read in each call. Another array of the same form takes its place there.
        masks : sequence of numpy.ndarray
            More that was read, with its elements.
        """
        conditions = self._conditions(captured, masks)
        if not conditions:
            return None
        lines = [
            "def unchanged():",
            f"    try: return {' and '.join(conditions)}",
            "    except (AttributeError, KeyError, ValueError): return False",
        ]
        run("\n".join(lines), "what a fused function reads", self._scope)
        unchanged: Callable[[], bool] = self._scope["unchanged"]
        return unchanged

    def changed(self) -> list[str]:
        """Return the names of what is not as it was when `unchanged` was made."""
        return [title for condition, title in self._titles.items() if not self._holds(condition)]

    def _holds(self, condition: str) -> bool:
        run(f"def holds():\n    return {condition}", "what a fused function reads", self._scope)
        try:
            return bool(self._scope["holds"]())
        except (AttributeError, KeyError, ValueError):
            return False

    def _conditions(self, captured: list[Any], masks: Sequence[np.ndarray[Any, Any]]) -> list[str]:
        """Return the conditions, of which `_titles` gets names."""
        rebound = _Rebound(captured, [*self._reads.values(), *self._within])
        self._scope |= {"captured": captured, "rebound": rebound}
        titles, self._titles = self._titles, {}
        for expression, value in self._reads.items():
            place, known = rebound.places.get(id(value)), self._name(value)
            condition = f"{expression} is {known}"
            if place is not None:
                condition = f"({expression} is captured[{place}] or rebound({place}, {expression}))"
                self._scope.pop(known)
            elif type(value) in _PLAIN or type(value) is tuple:
                condition = f"({expression} is {known} or same({expression}, {known}))"
            self._titles[condition] = titles[expression]
        for name, items in self._groups.items():
            group = self._scope[name]
            if [*map(id, _items(group))] == [*map(id, items)]:
                more = f", *map(id, {name}.values())" if isinstance(group, dict) else ""
                self._titles[f"[*map(id, {name}){more}] == {self._name([*map(id, items)])}"] = titles[name]
        for each in masks:
            self._titles[f"equal({self._name(each)}, {self._name(each.copy())})"] = "a mask"
        self._reads.clear()  # or an array would be kept after another one has taken its place
        return [*self._titles]

    def _name(self, value: Any) -> str:
        """Return a name for a value; it keeps the value, so that no other one has its id."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"v{len(self._names)}"
            self._scope[name] = value
        return name

    def _read(self, expression: str, title: str, value: Any, depth: int) -> None:
        """Add a value that an expression has."""
        self._name(value)
        self._reads[expression], self._titles[expression], self._title = value, title, title
        self._value(value, depth)

    def _value(self, value: Any, depth: int) -> None:
        """Add what a value leads to."""
        kind = type(value)  # for proxies `isinstance` would ask the object that they stand for, which may fail
        if depth > _DEEPEST or kind in _PLAIN or not self._is_new(value):
            return
        if issubclass(kind, (*_GROUPS, tuple)):
            self._group(value, depth)
            return
        self._callable(value)
        module = (
            value.__name__ if kind is ModuleType else value.__module__ if issubclass(kind, type) else kind.__module__
        )
        has_attributes = self._follows(module) or f"{module}.{kind.__qualname__}" in _NAMESPACES
        if has_attributes and kind not in (FunctionType, MethodType):
            self._objects.append((value, depth, set()))

    def _group(self, group: Collection[Any], depth: int) -> None:
        if len(group) > _MOST_ITEMS or len(self._within) > _MOST_IN_ALL:
            return
        self._within += _items(group)  # which also keeps the ids of its items
        if isinstance(group, _GROUPS):
            name = self._name(group)
            self._groups[name], self._titles[name] = _items(group), self._title
        for each in group.values() if isinstance(group, dict) else group:
            self._value(each, depth + 1)

    def _search(self) -> None:
        """Add the attributes of all objects; they may lead to functions that read more attributes, and to objects."""
        before = -1
        while before != (before := len(self._attributes) + len(self._objects)):
            for value, depth, seen in self._objects:
                classes = (value if _is_class(value) else type(value)).__mro__
                known = set(getattr(value, "__dict__", ())).union(*[vars(each) for each in classes])
                for name in sorted((self._attributes & known) - seen):
                    seen.add(name)
                    self._attribute(value, name, depth)

    def _attribute(self, value: Any, name: str, depth: int) -> None:
        found = inspect.getattr_static(value, name)
        self._callable(_code_of(found))
        if type(found) is MemberDescriptorType:  # of __slots__
            found = getattr(value, name, found)
        elif hasattr(type(found), "__get__") and (_is_class(value) or name not in getattr(value, "__dict__", ())):
            return  # reading it makes a new object
        self._read(f"{self._name(value)}.{name}", name, found, depth + 1)

    def _callable(self, value: Any) -> None:
        """Add what a function reads."""
        function = _function_of(value)
        if function is None or not (self._follows(function.__module__) or function.__module__ in _OF_EXEC):
            return
        if function is not value:
            self._value(value.__self__ if type(value) is MethodType else value, 0)
        if self._name(function) in self._functions:
            return
        self._functions.add(self._name(function))
        names, values = _names_in(function.__code__), function.__globals__
        self._attributes |= names
        for name in sorted(names.intersection(values)):
            self._read(f"{self._name(values)}[{name!r}]", name, values[name], 0)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                contents = cell.cell_contents
            except ValueError:  # the variable has no value yet
                continue
            self._read(f"{self._name(cell)}.cell_contents", name, contents, 0)
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        self._title = f"a default of {function.__name__}"
        self._group(defaults, 0)

    def _is_new(self, value: Any) -> bool:
        self._name(value)  # it keeps its id
        new = id(value) not in self._seen
        self._seen.add(id(value))
        return new

    def _follows(self, module: str | None) -> bool:
        return _is_module_of_user(module) or (module not in _OF_EXEC and _is_near(module, self._module))


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
    return kind in _PLAIN and repr(one) == repr(other)


def is_of_user(kind: type) -> bool:
    """Tell whether a class is neither of Python nor of an installed package."""
    return _is_module_of_user(kind.__module__)


@lru_cache(1024)
def _is_module_of_user(name: str | None) -> bool:
    if _top(name) in _LIBRARIES:
        return False
    file = getattr(sys.modules.get(name or ""), "__file__", None) or ""
    return not file.startswith(_INSTALLED)


def _is_near(module: str | None, other: str | None) -> bool:
    """Tell whether two modules are one, or of one installed package."""
    return module == other or (_top(module) == _top(other) and _top(module) not in _LIBRARIES)


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]


def _function_of(value: Any) -> FunctionType | None:
    """Return the function of Python that a callable leads to."""
    for _ in range(_DEEPEST):
        kind = type(value)
        if kind is FunctionType:
            return value  # type: ignore[no-any-return]
        if not callable(value) or issubclass(kind, type):
            return None
        wrapped = inspect.getattr_static(value, "__wrapped__", None)
        if kind is MethodType:
            value = value.__func__
        elif kind is partial:
            value = value.func
        else:
            value = inspect.getattr_static(value, "__call__") if wrapped is None else wrapped
    return None


def _code_of(attribute: Any) -> Any:
    """Return the function of a method or property; None if an attribute is none."""
    kind = type(attribute)
    if issubclass(kind, property):
        return attribute.fget
    if issubclass(kind, cached_property):
        return attribute.func
    if issubclass(kind, staticmethod | classmethod):
        return attribute.__func__
    return _function_of(attribute)


def _items(group: Collection[Any]) -> list[Any]:
    return [*group, *(group.values() if isinstance(group, dict) else ())]


def _is_class(value: Any) -> bool:
    return issubclass(type(value), type)


@lru_cache(1024)
def _names_in(code: CodeType) -> frozenset[str]:
    """Return the names of globals and attributes in a function, and in functions within it."""
    within = [_names_in(each) for each in code.co_consts if isinstance(each, CodeType)]
    return frozenset(code.co_names).union(*within)
