"""Read and write the notation ``(4,(2,2)):(1,(8,4))``."""

import re
from collections.abc import Callable
from typing import TypeVar

from accel.errors import LayoutError
from accel.layout.int_tuple import DEEPEST, IntTuple

__all__ = ["Reader", "written"]

_TOKEN = re.compile(r"\s*(-?\d+|\S)")

Part = TypeVar("Part")

_LONGEST = 1000  # digits of an integer, far more than any layout needs

_MOST_SHOWN = 200  # characters of text in an error


def written(value: IntTuple) -> str:
    """Return nested tuples in the notation; ``(4)`` is a tuple of one part.

    Examples
    --------
    >>> written((4, (2, 2))), written((4,)), written(4)
    ('(4,(2,2))', '(4)', '4')
    """
    return f"{value}" if isinstance(value, int) else f"({','.join(map(written, value))})"


class Reader:
    """Reads text in the notation from left to right.

    Attributes
    ----------
    token : str
        The next token; empty at the end.
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"the notation is text, as in '(4,8):(1,4)'; found {text!r}")
        self._text = text
        self._tokens = [(match[1], match.start(1)) for match in _TOKEN.finditer(text)]
        self._tokens.append(("", len(text)))
        self._next = self._depth = 0

    @property
    def token(self) -> str:
        """The next token; empty at the end."""
        return self._tokens[self._next][0]

    def expect(self, token: str, expected: str = "") -> None:
        """Consume a token.

        Raises
        ------
        LayoutError
            If it is not the next token.
        """
        if self.token != token:
            raise self.error(expected or repr(token))
        self._next += bool(token)

    def accept(self, token: str) -> bool:
        """Consume a token if it is the next one, and tell whether it was."""
        matches = self.token == token
        self._next += matches
        return matches

    def integer(self) -> int:
        """Read an integer."""
        token = self.token
        if not token.lstrip("-").isdecimal():
            raise self.error("an integer")
        if len(token) > _LONGEST:
            raise self.error(f"an integer of at most {_LONGEST} digits")
        self._next += 1
        return int(token)

    def integers(self) -> IntTuple:
        """Read an integer or a nested tuple."""
        return self.parts(self.integers, "(", ")") if self.token.startswith("(") else self.integer()

    def parts(self, part: Callable[[], Part], first: str, last: str) -> tuple[Part, ...]:
        """Read comma-separated parts between two brackets."""
        if self._depth == DEEPEST:
            raise self.error(f"text with brackets nested at most {DEEPEST} deep")
        self.expect(first)
        self._depth += 1
        parts: list[Part] = []
        while not self.accept(last):
            parts.append(part())
            if self.token != last:
                self.expect(",", f"',' or {last!r}")
        self._depth -= 1
        return tuple(parts)

    def error(self, expected: str) -> LayoutError:
        """Return the error that points at the next token."""
        token, place = self._tokens[self._next]
        shown = _shown(token) if token else "the end"
        return LayoutError(f"expected {expected} at position {place} of {_shown(self._text)}; found {shown}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}...")
