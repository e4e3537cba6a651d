"""Dynamic shared memory: ``extern __shared__ T s[];`` becomes a pointer to where the runtime puts it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .scopes import ScopedToken, closing

__all__ = ["in_functions", "pointers"]

_ALIGNED = frozenset(("alignas", "__align__", "__attribute__"))
_BEFORE_NAMES = frozenset(("return", "else", "do", "case", "throw", "delete", "sizeof", "goto", "new"))
_ADDRESS = "accel_sim::here()->dynamic_shared"


class _Declaration(NamedTuple):
    first: int
    end: int
    text: str
    names: list[str]


def pointers(source: str, code: Sequence[ScopedToken], *, within: bool = False) -> Iterator[tuple[int, int, str]]:
    """Yield the edits of the declarations in functions; with `within`, of all, and a semicolon is optional.

    An edit is where it begins and ends, and its text. Declarations outside of functions go: see `in_functions`.
    """
    for declaration in _declarations(source, code):
        text = declaration.text if within or code[declaration.first].scope == "block" else ""
        yield code[declaration.first].start, code[declaration.end - 1].end, text


def in_functions(source: str, code: Sequence[ScopedToken]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that declare, in each function that uses it, what is declared outside of functions."""
    outside = [declaration for declaration in _declarations(source, code) if code[declaration.first].scope != "block"]
    for opening, token in enumerate(code):
        if token.text == "{" and token.kind == "mark" and token.scope != "block" and outside:
            end = closing(code, opening)
            is_body = opening + 1 < len(code) and code[opening + 1].scope == "block"
            for declaration in outside if is_body else ():
                if any(_uses(code, opening, end, name) for name in declaration.names):
                    yield token.end, token.end, f" {declaration.text};"


def _uses(code: Sequence[ScopedToken], opening: int, end: int, name: str) -> bool:
    """Tell whether a body uses a name that neither it nor its function's parameters declare."""
    before = opening
    while before and code[before - 1].text not in {";", "}", "{"}:
        before -= 1
    if any(code[i].text == name for i in range(before, opening)):
        return False
    places = [i for i in range(opening, end) if code[i].text == name and code[i].kind == "name"]
    return bool(places) and not any(_declares(code, i) for i in places)


def _declares(code: Sequence[ScopedToken], at: int) -> bool:
    before = code[at - 1]
    return before.kind == "name" and before.text not in _BEFORE_NAMES


def _declarations(source: str, code: Sequence[ScopedToken]) -> Iterator[_Declaration]:
    at = 0
    while at < len(code):
        declaration = _declaration(source, code, at) if code[at].text in {"extern", "__shared__"} else None
        if declaration is not None:
            yield declaration
        at = declaration.end if declaration is not None else at + 1


def _declaration(source: str, code: Sequence[ScopedToken], first: int) -> _Declaration | None:
    """Return the declaration of dynamic shared memory that begins with a token."""
    words, at = [], first
    brackets = len(code)
    while at < len(code) and code[at].text not in {";", "{", "}", "=", "["}:
        if code[at].text in _ALIGNED and at + 1 < len(code):
            at = closing(code, at + 1)
        else:
            words.append(at)
        at += 1
        brackets = at
    texts = [code[i].text for i in words]
    if "extern" not in texts or "__shared__" not in texts or len(words) < 4:
        return None
    words = [i for i in words if code[i].text not in {"extern", "__shared__"}]
    base = "".join([f"{code[i].text} " for i in words[:-1]])
    return _with_declarators(source, code, first, words[-1], base, brackets)


def _with_declarators(
    source: str, code: Sequence[ScopedToken], first: int, name: int, base: str, at: int
) -> _Declaration:
    parts, names = [], []
    while name < len(code):
        text, at = code[name].text, name + 1
        rest = ""
        if at < len(code) and code[at].text == "[":
            at = closing(code, at) + 1  # the number of items is not known, or does not matter
            start = at
            while at < len(code) and code[at].text == "[":
                at = closing(code, at) + 1
            rest = source[code[start].start : code[at - 1].end] if at > start else ""
            parts.append(f"{base}(*const {text}){rest} = ({base}(*){rest}){_ADDRESS}")
        else:
            parts.append(f"{base}&{text} = *({base}*){_ADDRESS}")
        names.append(text)
        if at >= len(code) or code[at].text != ",":
            break
        name = at + 1
    return _Declaration(first, at, "; ".join(parts), names)
