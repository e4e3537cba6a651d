"""Where statements that choose or repeat begin and end."""

from collections.abc import Iterator, Sequence

from .scopes import ScopedToken, closing

__all__ = ["LOOPS", "end_of", "statements"]

LOOPS = frozenset(("for", "while", "do"))
_MARKED = LOOPS | {"if", "switch"}


def statements(code: Sequence[ScopedToken]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last token of each; what follows ``else`` is part of the ``if``."""
    conditions = {_condition_of(code, i) for i, token in enumerate(code) if token.text == "do"}
    for first, token in enumerate(code):
        if token.scope == "block" and token.kind == "name" and token.text in _MARKED and first:
            if code[first - 1].text == "else" or first in conditions:
                continue
            last = end_of(code, first)
            if last is not None:
                yield first, last


def end_of(code: Sequence[ScopedToken], first: int) -> int | None:
    """Return the last token of the statement that begins with a token; None if it cannot be told."""
    if first >= len(code):
        return None
    text = code[first].text
    if text == "do":
        condition = _condition_of(code, first)
        bracket = None if condition is None else _bracket(code, condition + 1)
        return None if bracket is None or _text(code, bracket + 1) != ";" else bracket + 1
    if text in _MARKED:
        return _after_head(code, first)
    if text == "{":
        last = closing(code, first)
        return last if code[last].text == "}" else None
    return _semicolon(code, first)


def _after_head(code: Sequence[ScopedToken], first: int) -> int | None:
    while True:
        bracket = _bracket(code, first + 1 + (_text(code, first + 1) == "constexpr"))
        end = None if bracket is None else end_of(code, bracket + 1)
        if end is None or code[first].text != "if" or _text(code, end + 1) != "else":
            return end
        first = end + 2
        if _text(code, first) != "if":
            return end_of(code, first)


def _condition_of(code: Sequence[ScopedToken], do: int) -> int | None:
    """Return the ``while`` of a ``do``."""
    end = end_of(code, do + 1)
    return end + 1 if end is not None and _text(code, end + 1) == "while" else None


def _bracket(code: Sequence[ScopedToken], opening: int) -> int | None:
    """Return the bracket that closes the one of a condition."""
    last = closing(code, opening) if _text(code, opening) == "(" else opening
    return last if _text(code, last) == ")" else None


def _semicolon(code: Sequence[ScopedToken], first: int) -> int | None:
    depth = code[first].depth
    for place in range(first, len(code)):
        if code[place].depth < depth:
            return None
        if code[place].text == ";" and code[place].depth == depth:
            return place
    return None


def _text(code: Sequence[ScopedToken], place: int) -> str:
    return code[place].text if place < len(code) else ""
