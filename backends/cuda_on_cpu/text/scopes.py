"""Which tokens of a source are in bodies of functions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .tokens import Token

__all__ = ["ScopedToken", "bodies", "closing", "in_device_code", "scoped"]

_CLASSES = frozenset(("class", "struct", "union", "enum"))
_ALIGNED = frozenset(("alignas", "__align__", "__attribute__"))
_AFTER_PARAMETERS = frozenset(
    ("const", "volatile", "noexcept", "override", "final", "&", "&&", "try", "->", "requires")
)
_OF_DEVICE = frozenset(("__device__", "__global__"))
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_NOT_CODE = frozenset(("space", "comment", "directive"))


class ScopedToken(NamedTuple):
    """A token that the compiler sees.

    Attributes
    ----------
    kind, text, start
        As of the token.
    depth : int
        How many brackets are around it.
    scope : str
        What the innermost brackets around it are: ``namespace`` (or nothing), ``class``, ``block`` (the body of a
        function, a block in it, or an initialiser), or ``bracket``, for ``(`` and ``[``.
    """

    kind: str
    text: str
    start: int
    depth: int
    scope: str

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


class _Scope(NamedTuple):
    kind: str
    head: list[str]  # the tokens of its current statement, without what is in brackets


def scoped(everything: Sequence[Token]) -> list[ScopedToken]:
    """Return the tokens of code with their scopes.

    The branches of an ``#if`` begin in the same scope: it may have an opening bracket in each.
    """
    stack = [_Scope("namespace", [])]
    conditions: list[list[_Scope]] = []
    code = []
    for token in everything:
        if token.kind == "directive":
            stack = _after_directive(token.text, stack, conditions)
        if token.kind in _NOT_CODE:
            continue
        opens = token.kind == "mark" and token.text in _OPENING
        if token.kind == "mark" and token.text in _CLOSING and len(stack) > 1:
            stack.pop()
        top = stack[-1]
        code.append(ScopedToken(*token, len(stack) - 1, top.kind))
        kind = _kind(token.text, top) if opens else ""
        if token.kind == "mark" and token.text in {";", "}"}:
            top.head.clear()
        else:
            top.head.append(token.text)
        if opens:
            stack.append(_Scope(kind, []))
    return code


def closing(code: Sequence[ScopedToken], opening: int) -> int:
    """Return the index of the bracket that closes the one at an index; that of the last token if none does."""
    depth = code[opening].depth
    return next((i for i in range(opening + 1, len(code)) if code[i].depth <= depth), len(code) - 1)


def in_device_code(code: Sequence[ScopedToken], at: int) -> bool:
    """Tell whether a place in the source is in braces of a kernel, or of a function or lambda of the device."""
    heads: list[list[str]] = [[]]
    for token in code:
        if token.start >= at:
            break
        if token.text == "{":
            heads.append([])
        elif token.text == "}" and len(heads) > 1:
            heads.pop()
        if token.text in {";", "}"}:
            heads[-1] = []
        elif token.text != "{":
            heads[-1].append(token.text)
    return any(not _OF_DEVICE.isdisjoint(head) for head in heads[:-1])


def bodies(code: Sequence[ScopedToken]) -> Iterator[tuple[int, range]]:
    """Yield the opening bracket of the body of each function, and the range of the tokens of its head."""
    for opening, token in enumerate(code):
        if token.text == "{" and token.kind == "mark" and token.scope != "block" and opening + 1 < len(code):
            if code[opening + 1].scope != "block":
                continue
            first = opening
            while first and (code[first - 1].depth > token.depth or code[first - 1].text not in {";", "}", "{"}):
                first -= 1
            yield opening, range(first, opening)


def _kind(opening: str, around: _Scope) -> str:
    if opening != "{":
        return "bracket"
    head = _without_template(around.head)
    if around.kind == "namespace" and ("namespace" in head or head == ["extern", '"C"']):
        return "namespace"
    while "=" in head:  # `using T = struct {`; an initialiser has nothing after it
        head = head[head.index("=") + 1 :]
    at = next((i for i, word in enumerate(head) if word in _CLASSES), None)
    return "block" if at is None or "->" in head[:at] or _is_function(head[at + 1 :]) else "class"


def _is_function(rest: list[str]) -> bool:
    """Tell whether what comes after ``struct`` and the like is the head of a function that returns one.

    ``struct Pair f(int x) const {`` is one; ``struct alignas(8) Pair {``, ``struct ALIGNED(8) Pair {`` and
    ``struct Pair : Base<(N > 1)> {`` are not.
    """
    rest = rest[: rest.index(":")] if ":" in rest else rest
    calls = [i for i, word in enumerate(rest) if word == "(" and i and rest[i - 1] not in _ALIGNED]
    if not calls:
        return False
    end = len(rest) - rest[::-1].index(")") if ")" in rest else len(rest)
    return rest[end : end + 1] == [] or rest[end] in _AFTER_PARAMETERS


def _without_template(head: list[str]) -> list[str]:
    while head[:1] == ["template"]:
        depth = 0
        for index, word in enumerate(head):
            depth += {"<": 1, ">": -1, ">>": -2, ">>>": -3}.get(word, 0)
            if depth <= 0 and index > 1:
                break
        else:
            return head
        head = head[index + 1 :]
    return head


def _after_directive(text: str, stack: list[_Scope], conditions: list[list[_Scope]]) -> list[_Scope]:
    word = text[1:].lstrip()
    if word.startswith("if"):
        conditions.append([_Scope(kind, [*head]) for kind, head in stack])
    elif word.startswith(("else", "elif")) and conditions:
        return [_Scope(kind, [*head]) for kind, head in conditions[-1]]
    elif word.startswith("endif") and conditions:
        conditions.pop()
    return stack
