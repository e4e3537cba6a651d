"""`with_launches`: the launches ``kernel<<<grid, block>>>(...)`` of host code as C++."""

import re
from typing import NamedTuple

from accel.errors import KernelSyntaxError

__all__ = ["with_launches"]

_TOKEN = re.compile(
    r"""(?P<skipped>\s+|\\\n|//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<raw>(?:u8|[LuU])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
    |(?P<text>(?:u8|[LuU])?"(?:\\.|[^"\\\n])*"|(?:u8|[LuU])?'(?:\\.|[^'\\\n])+')
    |(?P<name>[A-Za-z_$]\w*)
    |(?P<number>\.?\d(?:'?[\w.]|[eEpP][+-])*)
    |<<<|>>>|::|->|.""",
    re.DOTALL | re.VERBOSE,
)
_OPENING, _CLOSING = "([{", ")]}"
# What comes before the name of a kernel, but does not belong to it.
_KEYWORDS = {"return", "else", "do", "throw", "case", "co_return"}
# Casts of a function to the type that CUDA's runtime API has for it.
_CAST = re.compile(
    r"\b((?:cuda|hip)(?:LaunchKernel|LaunchCooperativeKernel)\s*\(\s*)(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|"
    r"reinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>)"
)


class _Token(NamedTuple):
    text: str
    begin: int
    end: int


def with_launches(source: str) -> str:
    """Return a source with its launches translated; the numbers of lines stay the same.

    Raises
    ------
    KernelSyntaxError
        If a launch has no end, or no kernel.

    Examples
    --------
    >>> with_launches("scale<float><<<4, 256>>>(x, 2);")
    'ACCEL_SIM_LAUNCH((4, 256), scale<float>)(x, 2);'
    """
    if "<<<" in source:
        tokens = _tokens(source)
        for begin, end, text in reversed([_launch(source, tokens, at) for at in _launches(tokens)]):
            source = source[:begin] + text + source[end:]
    return _CAST.sub(r"\1", source)


def _tokens(source: str) -> list[_Token]:
    return [
        _Token(match[0], match.start(), match.end())
        for match in _TOKEN.finditer(source)
        if match.lastgroup != "skipped"
    ]


def _launches(tokens: list[_Token]) -> list[int]:
    return [at for at, token in enumerate(tokens) if token.text == "<<<"]


def _launch(source: str, tokens: list[_Token], at: int) -> tuple[int, int, str]:
    """Return the begin and end of a launch up to its arguments, and what it becomes."""
    first, last = _kernel(tokens, at), _end(tokens, at)
    if first == at or last is None:
        line = source.count("\n", 0, tokens[at].begin) + 1
        what = "its kernel" if first == at else ">>>"
        raise KernelSyntaxError(f"<source>:{line}: a launch <<<...>>> without {what}; write kernel<<<grid, block>>>(...)")
    kernel = source[tokens[first].begin : tokens[at - 1].end]
    configuration = source[tokens[at].end : tokens[last].begin]
    begin, end = tokens[first].begin, tokens[last].end
    text = f"ACCEL_SIM_LAUNCH(({configuration}), {_one_line(kernel)})"
    return begin, end, text + _line_ends(source[begin:end], text)


def _one_line(text: str) -> str:
    return re.sub(r"\s*\\?\n\s*", " ", text)


def _line_ends(before: str, after: str) -> str:
    """Return the line ends that were lost; in a macro, those that continue it."""
    count = before.count("\n") - after.count("\n")
    return ("\\\n" if "\\\n" in before else "\n") * count


def _end(tokens: list[_Token], at: int) -> int | None:
    depth = 0
    for index in range(at + 1, len(tokens)):
        text = tokens[index].text
        if text == ">>>" and depth == 0:
            return index
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth < 0 or text == ";":
            return None
    return None


def _kernel(tokens: list[_Token], at: int) -> int:
    """Return the index of the first token of the expression before ``<<<``."""
    first = at
    while (begin := _primary(tokens, first)) < first:
        first = begin
        before = tokens[first - 1].text if first else ""
        if before == "template" and first > 1 and tokens[first - 2].text == "::":
            first, before = first - 1, "::"
        if before not in {"::", ".", "->"}:
            break
        first -= 1
        if before == "::" and not _qualifies(tokens, first):
            break
    return first


def _qualifies(tokens: list[_Token], at: int) -> bool:
    """Whether a name comes before ``::``, which otherwise names the global namespace."""
    before = tokens[at - 1].text if at else ""
    return before == ">" or (_is_name(before) and before not in _KEYWORDS)


def _is_name(text: str) -> bool:
    return re.match(r"[A-Za-z_$]\w*$", text) is not None


def _primary(tokens: list[_Token], end: int) -> int:
    """Return where a name, a template, an element or an expression in parentheses before `end` begins; or `end`."""
    if end == 0:
        return end
    text = tokens[end - 1].text
    if text in {">", ">>>"}:
        begin = _angle(tokens, end - 1)
        return begin - 1 if begin and _is_name(tokens[begin - 1].text) else end
    if text == "]":
        return _primary(tokens, _bracket(tokens, end - 1))
    if text == ")":
        return _bracket(tokens, end - 1)
    return end - 1 if _is_name(text) and text not in _KEYWORDS else end


def _bracket(tokens: list[_Token], at: int) -> int:
    depth = 0
    for index in range(at, -1, -1):
        text = tokens[index].text
        depth += (text in _CLOSING) - (text in _OPENING)
        if depth == 0:
            return index
    return at


def _angle(tokens: list[_Token], at: int) -> int:
    depth, index = 0, at
    while index >= 0:
        text = tokens[index].text
        if text in _CLOSING:
            index = _bracket(tokens, index)
        elif text in {">", ">>>"}:
            depth += len(text)
        elif text == "<":
            depth -= 1
            if depth <= 0:
                return index
        elif text in {";", "{"}:
            break
        index -= 1
    return 0
