"""Statements and functions with barriers: the checks are told that a thread enters and leaves them.

A thread that has left such a statement has gone past its barriers, and must not have, if others wait at one. A thread
that ends by ``return`` of a kernel has not gone past: barriers do not wait for it.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from .scopes import ScopedToken, bodies, closing
from .statements import LOOPS, end_of, statements
from .tokens import Token, code_among, tokens

__all__ = ["marks"]

# Of blocks, of warps, of groups; those of a group are methods, of which some have names that others have too.
_BARRIER = re.compile(r"__syncthreads(?:_count|_and|_or)?|__syncwarp|__\w+_sync|sync|shfl(?:_\w+)?|ballot|match_a\w+")
_BEFORE_BRACKETS = frozenset(("__launch_bounds__", "__attribute__", "alignas", "__align__", "decltype"))
_DEFINITION = re.compile(r"#\s*define\s+([^\W\d].*)", re.DOTALL)


class _Span(NamedTuple):
    """A statement, or the body of a function: its first token and its last, and the name of the object in it."""

    first: int
    last: int
    name: str


def marks(source: str, everything: Sequence[Token], code: Sequence[ScopedToken]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that put an object into each statement and function that has a barrier.

    An edit is where it begins and ends, and its text.
    """
    names = _with_barriers(everything, code) if "sync" in source or "shfl" in source else set()
    calls = [place for place in range(len(code) - 1) if _calls(code, place, names)]
    if not calls:
        return
    conditions = [token for token in everything if token.kind == "directive" and _condition(token.text)]
    base = zlib.crc32(source.encode(errors="surrogateescape"))
    name = "accel_sim_inside_{}".format
    spans = [
        _Span(first, last, name(first))
        for first, last in statements(code)
        if any(first <= call <= last for call in calls) and _is_whole(code, conditions, first, last)
    ]
    yield from _objects(code, spans, base)
    yield from _ways_out(code, spans)
    yield from _functions(code, calls, base)


def _objects(code: Sequence[ScopedToken], spans: Sequence[_Span], base: int) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that make a block, with an object in it, of each statement."""
    ends: dict[int, str] = {}
    for span in spans:
        # After the token before it: a #pragma may stand between, and is about the statement.
        at = code[span.first - 1].end
        yield at, at, f" {{ accel_sim::Inside {span.name}({_number(base, span.first)}u);"
        ends[span.last] = f" {span.name}.passed(); }}" + ends.get(span.last, "")
    for last, text in ends.items():
        yield code[last].end, code[last].end, text


def _number(base: int, place: int) -> int:
    return (base + place) & 0xFFFFFFFF


def _ways_out(code: Sequence[ScopedToken], spans: Sequence[_Span]) -> Iterator[tuple[int, int, str]]:
    """Yield the edits of what leaves statements otherwise than at their end, but not by ``return``."""
    for place, token in enumerate(code):
        if token.kind != "name" or token.text not in {"break", "continue", "goto"}:
            continue
        around = [span for span in spans if span.first < place <= span.last]
        left = [span.name for span in around if _leaves(code, span, place)]
        if left:
            end = next((i for i in range(place, len(code)) if code[i].text == ";"), place)
            yield token.start, token.start, "{ " + "".join([f"{name}.passed(); " for name in reversed(left)])
            yield code[end].end, code[end].end, "  }"  # comes before what follows at this place, in the order of texts


def _leaves(code: Sequence[ScopedToken], span: _Span, place: int) -> bool:
    word = code[place].text
    if word == "goto":
        return True  # a statement with a label has no object
    targets = LOOPS if word == "continue" else LOOPS | {"switch"}
    return not any(code[i].text in targets and place <= (end_of(code, i) or -1) for i in range(span.first, place))


def _functions(code: Sequence[ScopedToken], calls: Sequence[int], base: int) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that put an object into each function with a barrier that is no kernel: `return` leaves it."""
    for opening, head in bodies(code):
        words = {code[i].text for i in head}
        last = closing(code, opening)
        if not words & {"__global__", "constexpr", "consteval"} and any(opening < call < last for call in calls):
            number = _number(base, opening)
            yield code[opening].end, code[opening].end, f" accel_sim::Function accel_sim_function({number}u);"


def _with_barriers(everything: Sequence[Token], code: Sequence[ScopedToken]) -> AbstractSet[str]:
    """Return the names of the barriers, and of the functions and macros that have one."""
    found: dict[str, set[str]] = {}
    for opening, head in bodies(code):
        function = _name_of(code, head)
        if function:
            body = code[opening : closing(code, opening)]
            found.setdefault(function, set()).update(
                a.text for a, b in pairwise(body) if a.kind == "name" and b.text in {"(", "<"}
            )
    for place in range(len(code) - 2):  # functions without a name, in variables
        if code[place].kind == "name" and code[place + 1].text == "=" and code[place + 2].text == "[":
            last = end_of(code, place)
            found.setdefault(code[place].text, set()).update(each.text for each in code[place : last or place])
    for token in everything:
        if token.kind == "directive" and (macro := _DEFINITION.match(token.text)):
            name, *words = [each.text for each in code_among(tokens(macro[1])) if each.kind == "name"]
            found.setdefault(name, set()).update(words)
    called = {name for body in found.values() for name in body}
    names = {name for name in called | {token.text for token in code} if _BARRIER.fullmatch(name)}
    while more := {name for name, body in found.items() if name not in names and body & names}:
        names |= more
    return names


def _calls(code: Sequence[ScopedToken], place: int, names: AbstractSet[str]) -> bool:
    token = code[place]
    if token.kind != "name" or token.text not in names or token.scope not in {"block", "bracket"}:
        return False
    return not _BARRIER.fullmatch(token.text) or code[place + 1].text in {"(", "<"}


def _name_of(code: Sequence[ScopedToken], head: range) -> str:
    """Return the name before the first list of parameters of a head."""
    depth = min((code[i].depth for i in head), default=0)
    lists = (i for i in head[1:] if code[i].text == "(" and code[i].depth == depth)
    return next((code[i - 1].text for i in lists if code[i - 1].text not in _BEFORE_BRACKETS), "")


def _is_whole(code: Sequence[ScopedToken], conditions: Iterable[Token], first: int, last: int) -> bool:
    """Tell whether nothing jumps into a statement, and whether each ``#if`` begins and ends on the same side of it."""
    words = {code[i].text for i in range(first, last)}
    if words & {"case", "default"} and "switch" not in words:
        return False
    if any(_is_label(code, i) for i in range(first + 2, last)):
        return False
    depth = 0
    for token in conditions:
        if code[first - 1].end <= token.start < code[last].end:
            opens, closes = _condition(token.text) == "if", _condition(token.text) == "endif"
            depth += opens - closes
            if depth < 0 or (not depth and not closes):
                return False
    return not depth


def _is_label(code: Sequence[ScopedToken], colon: int) -> bool:
    name, before = code[colon - 1], code[colon - 2]
    return code[colon].text == ":" and name.kind == "name" and name.text != "default" and before.text in {";", "{", "}"}


def _condition(text: str) -> str:
    word = text[1:].lstrip()
    return next((kind for kind in ("if", "else", "elif", "endif") if word.startswith(kind)), "")
