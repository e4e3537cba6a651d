"""Docstrings composed of what a function says itself and of sections that it shares with others."""

import re
from collections.abc import Callable
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from types import FunctionType

__all__ = ["with_sections"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_ORDER = ("Parameters", "Returns", "Raises", "Notes", "Examples")


def with_sections(shared: str) -> Callable[[_Function], _Function]:
    """Return a decorator that adds sections to the docstring of a function.

    What the function says itself comes before what is shared. Of the shared parameters it gets its own, which
    are all named: it takes no ``*arguments``.

    Parameters
    ----------
    shared : str
        Sections in NumPy's style.

    Examples
    --------
    >>> @with_sections('''
    ...     Parameters
    ...     ----------
    ...     x : float
    ...         Another number.
    ...     z : float
    ...         A number.
    ... ''')
    ... def opposite(z):
    ...     '''Return the opposite.'''
    >>> opposite.__doc__.splitlines()[2:]
    ['Parameters', '----------', 'z : float', '    A number.']
    """
    common = _sections(f"\n{cleandoc(shared)}")

    def compose(function: _Function) -> _Function:
        if function.__doc__:  # with -OO there is none
            own = _sections(cleandoc(function.__doc__))
            described = {text.partition(" : ")[0]: text for text in _entries(common) + _entries(own)}
            code = cast("FunctionType", function).__code__  # `inspect.signature` takes ten times as long
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            parameters = "\n".join(described[name] for name in names)
            sections = common | own | {"Parameters": parameters}
            assert sections.keys() <= {"", *_ORDER}, f"a section of {function.__name__} has no place"
            titled = [f"{title}\n{'-' * len(title)}\n{sections[title]}" for title in _ORDER if title in sections]
            function.__doc__ = "\n\n".join([own[""], *titled])
        return function

    return compose


def _sections(text: str) -> dict[str, str]:
    """Return the sections of a docstring by title; what is before them has none."""
    before, *parts = re.split(r"^(\w+)\n-+\n", text, flags=re.MULTILINE)
    return {"": before.strip()} | dict(zip(parts[::2], map(str.rstrip, parts[1::2]), strict=True))


def _entries(sections: dict[str, str]) -> list[str]:
    """Return the texts of single parameters."""
    return re.split(r"\n(?=\S)", sections.get("Parameters", ""))
