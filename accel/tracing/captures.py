"""`Captures`: the globals, variables of closures and attributes that a function reads.

A function is searched with the functions of the user that it calls. Which attributes of an object or a module it reads
is not known, but all names of attributes in it are; so the attributes with these names are compared. Modules of Python,
of NumPy and of other installed packages are taken to stay as they are.
"""

import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from types import CellType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, NamedTuple

from accel.tracing.symbols import Symbol
from accel.tracing.user_code import function_of, function_of_attribute, is_class, is_near, is_of_user, names_in
from accel.xp.arrays import Array

__all__ = ["PLAIN", "Captures", "Group", "Read", "items_of"]

PLAIN = frozenset({bool, int, float, complex, str, bytes})
_GROUPS = (list, dict, set)
_MOST_ITEMS = 100
_MOST_IN_ALL = 1000
_DEEPEST = 4
_NAMESPACES = frozenset({"types.SimpleNamespace", "argparse.Namespace"})
_OF_EXEC = (None, "builtins")
"""The modules of functions that `exec` makes, unless it is told another one."""


class Read(NamedTuple):
    """A name that a function reads.

    Attributes
    ----------
    owner : object
        The dictionary of globals, the cell of a closure, or the object with the attribute.
    name : str
        The name in it.
    value : object
        What it stood for.
    """

    owner: Any
    name: str
    value: Any

    def now(self) -> Any:
        """Return what it stands for now; None if that is nothing."""
        if type(self.owner) is dict:
            return self.owner.get(self.name)
        return getattr(self.owner, "cell_contents" if type(self.owner) is CellType else self.name, None)

    def put_back(self) -> None:
        """Let it stand for its value again."""
        if type(self.owner) is dict:
            self.owner[self.name] = self.value
        else:
            setattr(self.owner, "cell_contents" if type(self.owner) is CellType else self.name, self.value)


class Group(NamedTuple):
    """A list, dict or set that a function reads.

    Attributes
    ----------
    name : str
        The name that leads to it.
    value : list, dict or set
        The group.
    items : list
        What was in it: its items, or its keys and then its values.
    """

    name: str
    value: Any
    items: list[Any]

    def put_back(self) -> None:
        """Let it have its items again."""
        if isinstance(self.value, dict):
            half = len(self.items) // 2
            self.value.clear()
            self.value.update(zip(self.items[:half], self.items[half:], strict=True))
        elif isinstance(self.value, list):
            self.value[:] = self.items


class Captures:
    """What a function reads besides its arguments, as it is now.

    Parameters
    ----------
    function : callable
        The function.
    objects : sequence
        Those of its arguments of which attributes may be read, such as ``self``.

    Attributes
    ----------
    reads : list of Read
        The names.
    groups : list of Group
        The lists, dicts and sets.
    within : list
        What is in these, in tuples, and in defaults of functions.
    """

    def __init__(self, function: Callable[..., Any], objects: Sequence[Any] = ()) -> None:
        self.reads: list[Read] = []
        self.groups: list[Group] = []
        self.within: list[Any] = []
        self._module = getattr(function, "__module__", None)
        self._name = ""
        self._seen: dict[int, Any] = {}  # by their ids, which they so keep
        self._functions: set[FunctionType] = set()
        self._attributes: set[str] = set()
        self._objects: list[tuple[Any, int, set[str]]] = []
        self._callable(function)
        for each in objects:
            self._value(each, 0)
        self._search()

    def put_back(self, trace: Any) -> list[str]:
        """Undo what has bound names, or items of lists and dicts, to arrays of a trace; return the names."""
        reads = [each for each in self.reads if (now := each.now()) is not each.value and _has_traced(now, trace)]
        groups = [each for each in self.groups if _has_traced(items_of(each.value), trace)]
        names = [*[each.name for each in reads], *[each.name for each in groups]]
        for read in reads:
            read.put_back()
        for group in groups:
            group.put_back()
        for value, _, _ in self._objects:
            for name in [name for name, each in getattr(value, "__dict__", {}).items() if _has_traced(each, trace)]:
                delattr(value, name)
                names.append(name)
        return names

    def _read(self, owner: Any, name: str, value: Any, depth: int) -> None:
        self.reads.append(Read(owner, name, value))
        self._name = name
        self._value(value, depth)

    def _value(self, value: Any, depth: int) -> None:
        """Add what a value leads to."""
        kind = type(value)
        if depth > _DEEPEST or kind in PLAIN or id(value) in self._seen:
            return
        self._seen[id(value)] = value
        if issubclass(kind, (*_GROUPS, tuple)):
            self._group(value, depth)
            return
        self._callable(value)
        module = value.__name__ if kind is ModuleType else value.__module__ if is_class(value) else kind.__module__
        has_attributes = self._follows(module) or f"{module}.{kind.__qualname__}" in _NAMESPACES
        if has_attributes and kind not in (FunctionType, MethodType):
            self._objects.append((value, depth, set()))

    def _group(self, group: Collection[Any], depth: int) -> None:
        if len(group) > _MOST_ITEMS or len(self.within) > _MOST_IN_ALL:
            return
        items = items_of(group)
        self.within += items
        if isinstance(group, _GROUPS):
            self.groups.append(Group(self._name, group, items))
        for each in group.values() if isinstance(group, dict) else group:
            self._value(each, depth + 1)

    def _search(self) -> None:
        """Add the attributes of all objects; they may lead to functions that read more attributes, and to objects."""
        before = -1
        while before != (before := len(self._attributes) + len(self._objects)):
            for value, depth, seen in self._objects:
                classes = (value if is_class(value) else type(value)).__mro__
                known = set(getattr(value, "__dict__", ())).union(*[vars(each) for each in classes])
                for name in sorted((self._attributes & known) - seen):
                    seen.add(name)
                    self._attribute(value, name, depth)

    def _attribute(self, value: Any, name: str, depth: int) -> None:
        found = inspect.getattr_static(value, name)
        self._callable(function_of_attribute(found))
        if type(found) is MemberDescriptorType:  # of __slots__
            found = getattr(value, name, found)
        elif hasattr(type(found), "__get__") and (is_class(value) or name not in getattr(value, "__dict__", ())):
            return  # reading it makes a new object
        self._read(value, name, found, depth + 1)

    def _callable(self, value: Any) -> None:
        """Add what a function reads."""
        function = function_of(value)
        if function is None or not (self._follows(function.__module__) or function.__module__ in _OF_EXEC):
            return
        if function is not value:
            self._value(value.__self__ if type(value) is MethodType else value, 0)
        if function in self._functions:
            return
        self._functions.add(function)
        names, values = names_in(function.__code__), function.__globals__
        self._attributes |= names
        for name in sorted(names.intersection(values)):
            self._read(values, name, values[name], 0)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                contents = cell.cell_contents
            except ValueError:  # the variable has no value yet
                continue
            self._read(cell, name, contents, 0)
        self._name = f"a default of {function.__name__}"
        self._group((*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()), 0)

    def _follows(self, module: str | None) -> bool:
        return is_of_user(module) or (module not in _OF_EXEC and is_near(module, self._module))


def items_of(group: Collection[Any]) -> list[Any]:
    """Return the items of a list, tuple or set, or the keys and then the values of a dict."""
    return [*group, *(group.values() if isinstance(group, dict) else ())]


def _parts(value: Any, depth: int = 0) -> Iterator[Any]:
    if depth < _DEEPEST and type(value) in (tuple, list, dict):
        for each in items_of(value):
            yield from _parts(each, depth + 1)
    else:
        yield value


def _has_traced(value: Any, trace: Any) -> bool:
    arrays = [each for each in _parts(value) if type(each) is Array]
    return any(type(each._native) is Symbol and each._native.tracer is trace for each in arrays)
