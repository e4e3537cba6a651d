"""`Captured`: the globals and closure variables whose values became constants of a program."""

from collections.abc import Iterable
from typing import Any

from accel.kernels.frontend.function_source import FunctionSource

__all__ = ["ABSENT", "Captured"]

ABSENT = object()
"""The value of a global that does not exist: its name stands for one of Python's builtins."""


class Captured:
    """The values that a program was compiled with; another object under the same name makes it out of date.

    Attributes
    ----------
    names : tuple of (dict, str, object)
        The dictionaries of globals, the names in them, and their values then.
    cells : tuple of (FunctionSource, str, object)
        The same for variables of closures.
    """

    __slots__ = ("cells", "names")

    def __init__(self, captured: Iterable[tuple[FunctionSource, str, Any]]) -> None:
        found = [(source.function, source, name, value) for source, name, value in captured]
        self.names = tuple(
            [
                (function.__globals__, name, value if name in function.__globals__ else ABSENT)
                for function, _, name, value in found
                if name not in function.__code__.co_freevars
            ]
        )
        self.cells = tuple([each[1:] for each in found if each[2] in each[0].__code__.co_freevars])

    @property
    def unchanged(self) -> bool:
        """Whether each name still stands for the same object."""
        same = all(values.get(name, ABSENT) is value for values, name, value in self.names)
        return same and self.same_cells

    @property
    def same_cells(self) -> bool:
        """Whether this is so for the variables of closures."""
        return all(_value(source, name) is value for source, name, value in self.cells)


def _value(source: FunctionSource, name: str) -> Any:
    try:
        return source.resolve(name)
    except KeyError:  # the variable was deleted
        return ABSENT
