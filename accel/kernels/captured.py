"""`Captured`: the globals and closure variables whose values became constants of a program."""

from collections.abc import Iterable
from typing import Any

from accel.kernels.frontend.function_source import FunctionSource

__all__ = ["Captured"]


class Captured:
    """The values that a program was compiled with; another object under the same name makes it out of date.

    Attributes
    ----------
    names : tuple of (dict, str, object)
        The dictionaries of globals, the names in them, and their values then.
    others : tuple of (FunctionSource, str, object)
        The same for closures and for Python's builtins.
    """

    __slots__ = ("names", "others")

    def __init__(self, captured: Iterable[tuple[FunctionSource, str, Any]]) -> None:
        found = [*captured]
        in_globals = [_is_global(source, name) for source, name, _ in found]
        pairs = [*zip(found, in_globals, strict=True)]
        names = [each for each, there in pairs if there]
        self.names = tuple([(source.function.__globals__, name, value) for source, name, value in names])
        self.others = tuple([each for each, there in pairs if not there])

    @property
    def unchanged(self) -> bool:
        """Whether each name still stands for the same object."""
        same = all(values.get(name, self) is value for values, name, value in self.names)
        return same and all(_value(source, name, self) is value for source, name, value in self.others)


def _is_global(source: FunctionSource, name: str) -> bool:
    return name in source.function.__globals__ and name not in source.function.__code__.co_freevars


def _value(source: FunctionSource, name: str, otherwise: object) -> Any:
    try:
        return source.resolve(name)
    except KeyError:
        return otherwise
