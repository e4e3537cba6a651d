"""Declarations of local variables that are given no value."""

from collections.abc import Iterator, Sequence

from .scopes import ScopedToken, closing

__all__ = ["declared_names", "uninitialised"]

# A statement that begins with one of these, or a declaration that has one, declares no variable on the stack.
_WORDS = """
    return goto break continue case default if else for while do switch try catch throw delete new using
    typedef  static extern thread_local constexpr constinit template class struct union enum friend namespace
    operator asm  static_assert sizeof co_return co_await co_yield public private protected __shared__
    __constant__ __device__  __managed__ this
"""
_OTHER = frozenset(_WORDS.split())
_WITH_BRACKETS = frozenset(("alignas", "decltype", "__align__", "__attribute__", "typeof", "__typeof__"))
_POINTS = frozenset(("*", "&", "const", "volatile", "__restrict__", "__restrict", "restrict"))


def uninitialised(code: Sequence[ScopedToken]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that tell the checks of each variable that a function declares without a value.

    An edit is where it begins and ends, and its text.
    """
    for first in _statements(code):
        names, end = declared_names(code, first)
        if names:
            calls = "".join([f" accel_sim::declared({name});" for name in names])
            yield code[end].end, code[end].end, calls


def _statements(code: Sequence[ScopedToken]) -> Iterator[int]:
    """Yield the index of the first token of each statement in a block."""
    for index, token in enumerate(code):
        if token.scope == "block" and token.kind == "name" and token.text not in _OTHER:
            before = code[index - 1]
            if before.text in {"{", "}", ";"} or (before.text == ":" and _is_label(code, index - 1)):
                yield index


def _is_label(code: Sequence[ScopedToken], colon: int) -> bool:
    """Tell whether a colon ends ``case x:``, ``default:`` or a label."""
    for index in range(colon - 1, -1, -1):
        if code[index].text in {"case", "default"}:
            return True
        if code[index].text in {"{", "}", ";"}:
            return index == colon - 2
        if code[index].text == "?":
            return False
    return False


def declared_names(code: Sequence[ScopedToken], first: int) -> tuple[list[str], int]:
    """Return the names that a statement declares without values, and the index of its semicolon."""
    at = _after_type(code, first)
    names: list[str] = []
    while at < len(code):
        while at < len(code) and code[at].text in _POINTS:
            at += 1
        if at + 1 >= len(code) or code[at].kind != "name":
            break
        name, at = code[at].text, at + 1
        while at < len(code) and code[at].text == "[":
            at = closing(code, at) + 1
        if at < len(code) and code[at].text in {"=", "(", "{"}:
            at = _separator(code, at)
        else:
            names.append(name)
        if at >= len(code) or code[at].text != ",":
            break
        at += 1
    return (names, at) if at < len(code) and code[at].text == ";" else ([], at)


def _after_type(code: Sequence[ScopedToken], at: int) -> int:
    """Return the index after the words of a type: that of the first declarator. The number of tokens if it is none."""
    words = 0
    while at < len(code):
        token = code[at]
        if token.kind == "name" and token.text in _OTHER:
            return len(code)
        follows = code[at + 1].text if at + 1 < len(code) else ""
        if token.kind == "name" and token.text in _WITH_BRACKETS and follows == "(":
            at, words = (
                closing(code, at + 1) + 1,
                words + (token.text not in {"alignas", "__align__", "__attribute__"}),
            )
        elif token.kind == "name" and follows == "<":
            at, words = _after_arguments(code, at + 1), words + 1
        elif token.kind == "name" and words and follows in {";", ",", "=", "[", "(", "{"}:
            return at
        elif token.kind == "name":
            at, words = at + 1, words + 1
        elif token.text == "::":
            at += 1
        elif token.text in {"*", "&"} and words:
            return at
        else:
            return len(code)
    return at


def _after_arguments(code: Sequence[ScopedToken], at: int) -> int:
    """Return the index after the ``<...>`` that begins at an index."""
    depth = 0
    while at < len(code):
        text = code[at].text
        if text in {";", "{", "}"}:
            break
        if text in {"(", "["}:
            at = closing(code, at)
        depth += {"<": 1, ">": -1, ">>": -2, ">>>": -3}.get(text, 0)
        at += 1
        if depth <= 0:
            return at
    return len(code)


def _separator(code: Sequence[ScopedToken], at: int) -> int:
    """Return the index of the comma or semicolon that ends the initialiser at an index."""
    depth = code[at].depth
    ends = (
        i
        for i in range(at, len(code))
        if code[i].depth < depth or (code[i].text in {",", ";"} and code[i].depth == depth)
    )
    return next(ends, len(code))
