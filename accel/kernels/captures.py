"""`Captured`: the globals and closure variables whose values became constants of a program."""

import builtins
from collections.abc import Iterable, Iterator
from types import CellType
from typing import Any

from accel.kernels.frontend.function_source import FunctionSource

__all__ = ["ABSENT", "Captured"]

ABSENT = object()
"""Instead of a value: the name is not in the dictionary."""


class Captured:
    """The values that a program was compiled with; another object under the same name makes it out of date.

    Attributes
    ----------
    names : tuple of (dict, str, object)
        The dictionaries of globals and of Python's builtins, the names in them, and their values then. A builtin is
        there twice: it is not among the globals.
    cells : tuple of (cell, object)
        The variables of closures, and their values then.
    """

    __slots__ = ("cells", "names")

    def __init__(self, captured: Iterable[tuple[FunctionSource, str, Any]]) -> None:
        captures = [*captured]
        cells = [(_cell(source, name), value) for source, name, value in captures]
        self.cells: tuple[tuple[CellType, Any], ...] = tuple(
            [(cell, value) for cell, value in cells if cell is not None]
        )
        self.names: tuple[tuple[dict[str, Any], str, Any], ...] = tuple(
            [each for capture in captures if _cell(*capture[:2]) is None for each in _names(*capture)]
        )

    @property
    def unchanged(self) -> bool:
        """Whether each name still stands for the same object."""
        same = all(values.get(name, ABSENT) is value for values, name, value in self.names)
        return same and all(_contents(cell) is value for cell, value in self.cells)


def _cell(source: FunctionSource, name: str) -> CellType | None:
    closure = source.function.__closure__ or ()
    return dict(zip(source.function.__code__.co_freevars, closure, strict=True)).get(name)


def _names(source: FunctionSource, name: str, value: Any) -> Iterator[tuple[dict[str, Any], str, Any]]:
    values = source.function.__globals__
    if name in values:
        yield values, name, value
    else:
        yield values, name, ABSENT
        yield vars(builtins), name, value


def _contents(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT
