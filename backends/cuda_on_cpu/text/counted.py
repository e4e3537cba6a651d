"""Sources with counters: of each statement, and of both outcomes of each condition, for coverage.

Counters in the text are exact, whatever the compiler makes of it, and the same for all compilers. The compiler leaves a
list of those that it has made code of: not of what the preprocessor takes out, or of templates without an instance.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from accel.support.kernel_coverage import Point

from .declarations import declared_names
from .scopes import ScopedToken, bodies, closing, scoped
from .statements import end_of
from .tokens import Token, places_of, tokens

__all__ = ["Counted", "counted"]

_NOTHING_RUNS = frozenset(
    (
        "using", "typedef", "static_assert", "extern", "struct", "class", "union", "enum", "constexpr", "template",
        "namespace", "static", "__shared__",
    )
)  # fmt: skip
_BEFORE_BODIES = frozenset((")", "const", "noexcept", "override", "final"))
_ACCESS = frozenset(("public", "private", "protected"))
_OURS = "view.cuh"  # what comes before each source


class Counted(NamedTuple):
    """A source with counters, and what each of them counts."""

    text: str
    points: tuple[Point, ...]


@lru_cache(maxsize=8)  # for the compiler, and for those who read the counters
def counted(source: str) -> Counted:
    """Return a source with counters; lines keep their numbers.

    Examples
    --------
    >>> counted("__device__ void f(int* x) { if (*x) *x = 0; }").text.partition("{ ")[2]
    'ACCEL_SIM_COUNT(0); if (accel_sim::counted<1>(static_cast<bool>(*x))) { ACCEL_SIM_COUNT(3); *x = 0; } }'
    """
    source = source.replace("\r\n", "\n")
    everything = list(tokens(source))
    writer = _Writer(source, scoped(everything), [each for each in everything if each.kind == "directive"])
    for opening, head in bodies(writer.code):
        if _is_body(writer.code, opening, head) and writer.place(opening)[0] != _OURS:
            writer.block(opening)
    return Counted(writer.written(), tuple(writer.points))


def _is_body(code: Sequence[ScopedToken], opening: int, head: range) -> bool:
    """Tell whether braces are the body of a function in which counters can be: constant expressions have none."""
    outer = [code[i].text for i in head if code[i].depth == code[opening].depth]
    while len(outer) > 1 and outer[0] in _ACCESS and outer[1] == ":":
        outer = outer[2:]
    words = {*outer}
    if (
        "(" not in words
        or words & {"constexpr", "consteval", ":"}
        or words & {"__host__", "__device__"} == {"__host__"}
    ):
        return False
    return ("=" not in words or "operator" in words) and (outer[-1] in _BEFORE_BODIES or "->" in words)


class _Writer:
    """Puts counters into the bodies of functions. What it cannot follow it leaves as it is."""

    def __init__(self, source: str, code: Sequence[ScopedToken], directives: Sequence[Token]) -> None:
        self.code, self.points = code, list[Point]()
        self._source, self._directives = source, directives
        self._before: dict[int, list[str]] = defaultdict(list)
        self._after: dict[int, list[str]] = defaultdict(list)
        self._ends = [at for at, character in enumerate(source) if character == "\n"]
        self._places = places_of(source)
        self._conditions = 0

    def written(self) -> str:
        """Return the source with the counters."""
        parts, at = [], 0
        for place in sorted({*self._before, *self._after}):
            parts += [self._source[at:place], *self._after[place], *self._before[place]]
            at = place
        return "".join([*parts, self._source[at:]])

    def place(self, token: int) -> tuple[str, int]:
        """Return the file and the line of a token."""
        return self._places[bisect_left(self._ends, self.code[token].start)]

    def block(self, opening: int) -> None:
        """Count the statements between braces."""
        last = closing(self.code, opening)
        if self._text(last) != "}":
            return
        place: int | None = opening + 1
        while place is not None and place < last:
            place = self._statement(place)

    def _statement(self, first: int) -> int | None:
        """Count a statement; return the token after it, or None if that cannot be told."""
        text = self._text(first)
        if text == ";":
            return first + 1
        if text == "{":
            self.block(first)
            return closing(self.code, first) + 1
        if text in {"case", "default"} or (self.code[first].kind == "name" and self._text(first + 1) == ":"):
            return self._after_label(first)
        if text in _HEADS:
            return _HEADS[text](self, first)
        bracket = closing(self.code, first + 1) if self._text(first + 1) == "(" else first
        if self.code[first].kind == "name" and bracket > first and self._text(bracket + 1) == "{":
            self._count(first)  # a macro that makes a loop
            return self._statement(bracket + 1)
        return self._simple(first)

    def _simple(self, first: int) -> int | None:
        end = end_of(self.code, first)
        if end is None:
            return None
        if self._runs(first, end):
            self._count(first)
        for place in range(first, end):
            if self._text(place) == "{" and self._begins_lambda(place):
                self.block(place)
        return end + 1

    def _runs(self, first: int, end: int) -> bool:
        words = {self._text(i) for i in range(first, end) if self.code[i].depth == self.code[first].depth}
        if words & _NOTHING_RUNS:
            return False
        return not declared_names(self.code, first)[0] or bool(words & {"=", "(", "{"})

    def _begins_lambda(self, brace: int) -> bool:
        place = brace - 1 - (self._text(brace - 1) == "mutable")
        if self._text(place) == "]":
            return True
        if self._text(place) != ")":
            return False
        depth = self.code[place].depth
        opening = next((i for i in range(place - 1, -1, -1) if self.code[i].depth == depth), 0)
        while opening and self._text(opening) != "(":
            opening -= 1
        return self._text(opening - 1) == "]" or self._text(opening - 1) == "__device__"

    def _if(self, first: int) -> int | None:
        constant = self._text(first + 1) == "constexpr"
        self._count(first)
        end = self._body(self._head(first + 1 + constant, condition=not constant))
        if end is None or self._text(end) != "else":
            return end
        return self._body(end)

    def _while(self, first: int) -> int | None:
        self._count(first)
        return self._body(self._head(first + 1, condition=True))

    def _switch(self, first: int) -> int | None:
        self._count(first)
        return self._body(self._head(first + 1, condition=False))

    def _for(self, first: int) -> int | None:
        bracket = self._head(first + 1, condition=False)
        if bracket is None or any(self._text(i) != ";" for i in range(first + 2, bracket)):
            self._count(first)
        if bracket is not None:
            depth = self.code[first].depth + 1
            parts = [i for i in range(first + 2, bracket) if self._text(i) == ";" and self.code[i].depth == depth]
            if len(parts) == 2:
                self._condition(parts[0] + 1, parts[1])
        return self._body(bracket)

    def _do(self, first: int) -> int | None:
        end = self._body(first)
        if end is None or self._text(end) != "while":
            return None
        bracket = self._head(end + 1, condition=True)
        return None if bracket is None else bracket + 2

    def _head(self, opening: int, *, condition: bool) -> int | None:
        """Return the bracket that closes the one at a token."""
        bracket = closing(self.code, opening) if self._text(opening) == "(" else opening
        if self._text(bracket) != ")":
            return None
        if condition:
            self._condition(opening + 1, bracket)
        return bracket

    def _condition(self, first: int, end: int) -> None:
        """Count the outcomes of an expression; not of a declaration."""
        texts = {self._text(i) for i in range(first, end) if self.code[i].depth == self.code[first].depth}
        if first == end or texts & {"=", ";"} or self._divided(self.code[first].start, self.code[end - 1].end):
            return
        self._conditions += 1
        self._before[self.code[first].start].append(f"accel_sim::counted<{len(self.points)}>(static_cast<bool>(")
        self._after[self.code[end - 1].end].insert(0, "))")
        self.points += [Point(*self.place(first), self._conditions, outcome) for outcome in (True, False)]

    def _body(self, before: int | None) -> int | None:
        """Count the statement after a token, which is part of another; return the token after it."""
        if before is None or before + 1 >= len(self.code):
            return None
        first = before + 1
        if self._text(first) in {"{", ";"}:
            return self._statement(first)
        end = end_of(self.code, first)
        if end is None:
            return None
        begin, close = self.code[before].end, self.code[end].end
        if self._divided(begin, close):
            return end + 1
        self._before[begin].append(" {")
        result = self._statement(first)
        self._after[close].append(" }")
        return end + 1 if result is not None else None

    def _after_label(self, first: int) -> int | None:
        depth = self.code[first].depth
        for place in range(first, len(self.code)):
            if self.code[place].depth < depth or self._text(place) in {";", "{"}:
                return None
            if self._text(place) == ":" and self.code[place].depth == depth:
                return place + 1
        return None

    def _count(self, first: int) -> None:
        """Count how often a statement begins."""
        before, at = self.code[first - 1].end, self.code[first].start
        words = [_word(each) for each in self._directives if before <= each.start < at]
        if words[-1:] == ["pragma"]:  # it is about the statement
            if {*words} != {"pragma"}:
                return
            at = before
        self._before[at].append(f"{' ' * (at == before)}ACCEL_SIM_COUNT({len(self.points)}); ")
        self.points.append(Point(*self.place(first)))

    def _divided(self, begin: int, end: int) -> bool:
        """Tell whether an ``#if`` begins or ends on another side of a part of the source."""
        depth = 0
        for each in self._directives:
            if begin <= each.start < end:
                word = _word(each)
                depth += word.startswith("if") - (word == "endif")
                if depth < 0 or (not depth and word in {"else", "elif", "elifdef", "elifndef"}):
                    return True
        return depth != 0

    def _text(self, place: int) -> str:
        return self.code[place].text if 0 <= place < len(self.code) else ""


_HEADS = {
    "if": _Writer._if,
    "for": _Writer._for,
    "while": _Writer._while,
    "do": _Writer._do,
    "switch": _Writer._switch,
}


def _word(directive: Token) -> str:
    return directive.text[1:].split(maxsplit=1)[0] if directive.text[1:].strip() else ""
