"""Tokens of C++: enough to find declarations and calls in a source without compiling it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

__all__ = ["Token", "code_among", "code_of", "edited", "line_of", "matching", "numbered", "places_of", "tokens"]


class Token(NamedTuple):
    """A piece of a source.

    Attributes
    ----------
    kind : str
        ``name``, ``number``, ``string`` (also a character), ``mark``, ``space``, ``comment``, or ``directive``: a whole
        line of the preprocessor, also one that continues on other lines.
    text : str
        The piece.
    start : int
        Where it begins in the source.
    """

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)


_PREFIX = r"(?:u8|u|U|L)?"
_TOKEN = re.compile(
    rf"""
    (?P<space>      [^\S\n]+ | \n )
  | (?P<comment>    //(?:\\\r?\n|[^\n])* | /\*.*?(?:\*/|\Z) )
  | (?P<raw>        {_PREFIX}R"(?P<delimiter>[^()\\\s]{{0,16}})\(.*?(?:\)(?P=delimiter)"|\Z) )
  | (?P<string>     {_PREFIX}(?:"(?:\\(?:\r\n|.)|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?) )
  | (?P<number>     \.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[0-9A-Za-z_.])* )
  | (?P<name>       (?:[^\W\d]|\$)[\w$]* )
  | (?P<mark>       <<< | >>> | <<=? | >>=? | ->\*? | :: | \+\+ | -- | && | \|\| | \.\.\. | [-+*/%&|^!=<>]= | . )
    """,
    re.VERBOSE | re.DOTALL,
)
# To the end of the line; comments and strings in it may hold ends of lines, or what looks like a comment.
_DIRECTIVE = re.compile(
    r"""\#(?: \\\r?\n | /\*.*?(?:\*/|\Z) | //(?:\\\r?\n|[^\n])* | "(?:\\.|[^"\\\n])*"? | [^\n] )*""",
    re.VERBOSE | re.DOTALL,
)


def tokens(source: str) -> Iterator[Token]:
    """Yield all tokens of a source, in order; together they are the source.

    Examples
    --------
    >>> [token.text for token in tokens("x += 1; // one")]
    ['x', ' ', '+=', ' ', '1', ';', ' ', '// one']
    """
    at, first_of_line = 0, True
    while at < len(source):
        directive = _DIRECTIVE.match(source, at) if first_of_line and source[at] == "#" else None
        if directive:
            yield Token("directive", directive[0], at)
            at = directive.end()
            continue
        match = _TOKEN.match(source, at)
        assert match is not None, "any character is a mark"
        kind = match.lastgroup or ""
        kind = "string" if kind in {"raw", "delimiter"} else kind
        yield Token(kind, match[0], at)
        first_of_line = match[0] == "\n" or (first_of_line and kind in {"space", "comment"})
        at = match.end()


def code_of(source: str) -> list[Token]:
    """Return the tokens of a source that the compiler sees after the preprocessor's."""
    return code_among(tokens(source))


def code_among(everything: Iterable[Token]) -> list[Token]:
    """Return the tokens that are no space, comments or directives."""
    return [token for token in everything if token.kind not in {"space", "comment", "directive"}]


def edited(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return a source with the text between two places replaced, for each edit; lines keep their numbers.

    An edit that begins inside of another one is left out.

    Examples
    --------
    >>> edited("int x;", [(4, 5, "y")])
    'int y;'
    """
    parts, at = [], 0
    for start, end, text in sorted(edits):
        if start >= at:
            lines = source.count("\n", start, end) - text.count("\n")
            parts += [source[at:start], text, "\n" * lines]
            at = end
    return "".join([*parts, source[at:]])


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def matching(code: Sequence[Token], opening: int) -> int:
    """Return the index of the bracket that closes the one at an index; the number of tokens if none does."""
    depth = 0
    for index in range(opening, len(code)):
        if code[index].kind == "mark":
            depth += (code[index].text in _CLOSING) - (code[index].text in _CLOSING.values())
            if not depth:
                return index
    return len(code)


_LINE = re.compile(r'[^\S\n]*#[^\S\n]*line[^\S\n]+(?P<line>\d+)(?:[^\S\n]+"(?P<file>(?:\\.|[^"\\])*)")?')


def places_of(source: str) -> list[tuple[str, int]]:
    """Return the file and the number of each line of a source, as ``#line`` directives say; 0 for a directive's own."""
    file, number, places = "<source>", 1, []
    for text in source.split("\n"):
        directive = _LINE.match(text)
        if directive:
            file, number = directive["file"] or file, int(directive["line"])
            places.append((file, 0))
        else:
            places.append((file.replace('\\"', '"').replace("\\\\", "\\"), number))
            number += 1
    return places


def numbered(source: str) -> Iterator[tuple[tuple[str, int], str]]:
    r"""Yield the lines of a source, each after its file and number, as ``#line`` directives say.

    Examples
    --------
    >>> list(numbered('one\n#line 7 "two.cu"\nthree'))
    [(('<source>', 1), 'one'), (('two.cu', 7), 'three')]
    """
    for place, text in zip(places_of(source), source.split("\n"), strict=True):
        if place[1]:
            yield place, text.strip()


def line_of(source: str, at: int) -> tuple[str, int]:
    """Return the file and the line of a place in a source, as ``#line`` directives say."""
    # A directive is no line of its own: one more character makes a line of the last of them.
    return [place for place, _ in numbered(source[:at] + "?")][-1]
