"""The notation: ``(4,(2,2)):(1,(8,4))``, read and written."""

import re
from collections.abc import Callable
from typing import TypeVar

from accel.errors import LayoutError
from accel.layout.int_tuple import DEEPEST, IntTuple

__all__ = ["Reader", "written"]

_TOKEN = re.compile(r"\s*(-?\d+|\S)")

Part = TypeVar("Part")

_LONGEST = 1000  # digits, which is more than anybody writes


def written(value: IntTuple) -> str:
    """Return nested tuples in the notation, in which ``(4)`` is a tuple of one.

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
        What is read next; empty at the end.
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
        """What is read next; empty at the end."""
        return self._tokens[self._next][0]

    def expect(self, token: str, wanted: str = "") -> None:
        """Go past a token.

        Raises
        ------
        LayoutError
            If it is not the next.
        """
        if self.token != token:
            raise self.refusal(wanted or repr(token))
        self._next += bool(token)

    def goes_on(self, token: str) -> bool:
        """Go past a token if it is the next, and tell whether it was."""
        found = self.token == token
        self._next += found
        return found

    def integer(self) -> int:
        """Read an integer."""
        token = self.token
        if not token.lstrip("-").isdecimal():
            raise self.refusal("an integer")
        if len(token) > _LONGEST:
            raise self.refusal(f"an integer of at most {_LONGEST} digits")
        self._next += 1
        return int(token)

    def integers(self) -> IntTuple:
        """Read an integer or a tuple."""
        return self.parts(self.integers, "(", ")") if self.token.startswith("(") else self.integer()

    def parts(self, part: Callable[[], Part], first: str, last: str) -> tuple[Part, ...]:
        """Read parts with commas between them, and the brackets around them."""
        if self._depth == DEEPEST:
            raise self.refusal(f"text with at most {DEEPEST} brackets in one another")
        self.expect(first)
        self._depth += 1
        found: list[Part] = []
        while not self.goes_on(last):
            found.append(part())
            if self.token != last:
                self.expect(",", f"',' or {last!r}")
        self._depth -= 1
        return tuple(found)

    def refusal(self, wanted: str) -> LayoutError:
        """Return the error that points at what is read next."""
        token, place = self._tokens[self._next]
        found = repr(token) if token else "the end"
        return LayoutError(f"{wanted} is needed at position {place} of {self._text!r}; found {found}")
