"""`renamed`: variables of host code that have the name of a variable of CUDA, such as ``dim3 gridDim(8);``."""

from collections.abc import Iterator
from itertools import pairwise

from ..text.tokens import Token, code_of, edited, matching

__all__ = ["renamed"]

_BUILTIN = {"gridDim", "blockDim", "threadIdx", "blockIdx"}
_NOT_TYPES = {"return", "else", "case", "throw", "do", "co_return", "new", "delete", "goto", "and", "or", "not"}
_PREFIX = "accel_sim_host_"


def renamed(source: str) -> str:
    """Return a source in which such variables have other names: the headers have macros of these names.

    Examples
    --------
    >>> renamed("void f() { dim3 gridDim(8); g(gridDim); } void k() { gridDim; }")
    'void f() { dim3 accel_sim_host_gridDim(8); g(accel_sim_host_gridDim); } void k() { gridDim; }'
    """
    if not any(name in source for name in _BUILTIN):
        return source
    code = code_of(source)
    places = {*_members(code)}
    for at in _declarations(code):
        end = _end_of_scope(code, at)
        places |= {token.start for token in code[at:end] if token.text == code[at].text}
    return edited(source, [(start, start, _PREFIX) for start in places])


def _members(code: list[Token]) -> Iterator[int]:
    for before, token in pairwise(code):
        if token.text in _BUILTIN and before.text in {".", "->"}:
            yield token.start


def _declarations(code: list[Token]) -> Iterator[int]:
    """Yield the indices of the names that are declared: a name of a type comes before, or another declarator."""
    for at, token in enumerate(code):
        if token.text in _BUILTIN and at and _is_type(code[at - 1]):
            yield at
            yield from _declarators(code, at)


def _is_type(token: Token) -> bool:
    return token.kind == "name" and token.text not in _NOT_TYPES


def _declarators(code: list[Token], at: int) -> Iterator[int]:
    """Yield the names after commas in the same declaration."""
    index = at + 1
    while index < len(code) and code[index].text not in {";", ")", "}", "{"}:
        if code[index].text in {"(", "["}:
            index = matching(code, index)
        elif code[index].text == "," and index + 1 < len(code) and code[index + 1].text in _BUILTIN:
            yield index + 1
        index += 1


def _end_of_scope(code: list[Token], at: int) -> int:
    """Return where the scope of a name ends: its block, or for a parameter, the body of its function."""
    index = at
    while index < len(code):
        text = code[index].text
        if text in {"(", "[", "{"}:
            index = matching(code, index)
        elif text == ")":
            body = next((i for i in range(index, min(index + 8, len(code))) if code[i].text in {"{", ";"}), index)
            return matching(code, body) if code[body].text == "{" else body
        elif text == "}":
            return index
        index += 1
    return len(code)
