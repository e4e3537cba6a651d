"""Functions that may return the address of a local variable: in checked code these are not inlined.

Their variables then end with them, and the checks find who uses one later. Inlined, a variable lives on in the caller.
"""

from collections.abc import Iterator, Sequence

from .scopes import ScopedToken, bodies, closing

__all__ = ["kept_apart"]

_NO_TYPES = frozenset(("return", "delete", "new", "case", "else", "goto", "sizeof", "throw"))
_ACCESS = frozenset(("public", "private", "protected"))


def kept_apart(code: Sequence[ScopedToken]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that keep them apart. An edit is where it begins and ends, and its text."""
    for opening, head in bodies(code):
        end = next((i for i in head if code[i].text == "("), opening)
        returned = {code[i].text for i in range(head.start, end)}
        if returned & {"*", "&"} and not returned & {"static_assert", "="} and _has_locals(code, opening):
            first = _after_template(code, head.start)
            yield code[first].start, code[first].start, "__attribute__((noinline)) "


def _has_locals(code: Sequence[ScopedToken], opening: int) -> bool:
    """Tell whether a body declares an array, or takes the address of a variable that it declares."""
    names: set[str] = set()
    for i in range(opening + 1, closing(code, opening) - 1):
        before, name, after = code[i - 1], code[i], code[i + 1].text
        if (
            name.kind == "name"
            and before.kind == "name"
            and before.text not in _NO_TYPES
            and "__shared__" not in _line(code, i)
        ):
            if after == "[":
                return True
            names.add(name.text)
        if name.text == "&" and before.kind != "name" and after in names:
            return True
    return False


def _line(code: Sequence[ScopedToken], place: int) -> set[str]:
    """Return the words of a statement before a token."""
    first = place
    while first and code[first - 1].text not in {";", "{", "}"}:
        first -= 1
    return {token.text for token in code[first:place]}


def _after_template(code: Sequence[ScopedToken], first: int) -> int:
    while code[first].text in _ACCESS or code[first].text == ":":
        first += 1
    while code[first].text == "template":
        depth = 0
        for i in range(first + 1, len(code)):
            depth += {"<": 1, ">": -1, ">>": -2}.get(code[i].text, 0)
            if depth <= 0:
                first = i + 1
                break
        else:
            return first
    return first
