"""`with_launches`: the launches ``kernel<<<grid, block>>>(...)`` of host code as C++."""

import re
from contextlib import suppress

from accel.errors import KernelSyntaxError

from ..text.tokens import Token, code_of, edited, tokens

__all__ = ["with_launches"]

_OPENING, _CLOSING = "([{", ")]}"
# What comes before the name of a kernel, but does not belong to it.
_WITH_CONDITIONS = {"if", "while", "for", "switch", "constexpr"}
_KEYWORDS = {"return", "else", "do", "throw", "case", "co_return"}
_MACRO = re.compile(r"#\s*define\s+\w+(?:\([^)]*\))?")
# Casts of a function to the type that CUDA's runtime API has for it.
_CAST = re.compile(
    r"\b((?:cuda|hip)(?:LaunchKernel|LaunchCooperativeKernel)\s*\(\s*)(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|"
    r"reinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>)"
)


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
    return _CAST.sub(r"\1", _translated(source))


def _translated(source: str) -> str:
    if "<<<" not in source:
        return source
    code = [token for token in code_of(source) if token.text != "\\"]  # which continues a line of a macro
    changes = [_launch(source, code, at) for at, token in enumerate(code) if token.text == "<<<"]
    changes += [_in_directive(token) for token in tokens(source) if token.kind == "directive" and "<<<" in token.text]
    return edited(source, changes)


def _in_directive(token: Token) -> tuple[int, int, str]:
    """Translate the body of a macro; one that is not a whole launch stays, and is an error where it is used."""
    head = _MACRO.match(token.text)
    begin = head.end() if head else 1
    with suppress(KernelSyntaxError):
        return token.start, token.end, token.text[:begin] + _translated(token.text[begin:])
    return token.start, token.start, ""


def _launch(source: str, code: list[Token], at: int) -> tuple[int, int, str]:
    """Return the begin and end of a launch up to its arguments, and what it becomes."""
    first, last = _kernel(code, at), _end(code, at)
    if first == at or last is None:
        line = source.count("\n", 0, code[at].start) + 1
        what = "its kernel" if first == at else ">>>"
        raise KernelSyntaxError(
            f"<source>:{line}: a launch <<<...>>> without {what}; write kernel<<<grid, block>>>(...)"
        )
    kernel = source[code[first].start : code[at - 1].end]
    configuration = source[code[at].end : code[last].start]
    begin, end = code[first].start, code[last].end
    text = f"ACCEL_SIM_LAUNCH(({configuration}), {_one_line(kernel)})"
    return begin, end, text + _line_ends(source[begin:end], text)


def _one_line(text: str) -> str:
    return re.sub(r"\s*\\?\n\s*", " ", text)


def _line_ends(before: str, after: str) -> str:
    """Return the line ends that were lost; in a macro, those that continue it."""
    count = before.count("\n") - after.count("\n")
    return ("\\\n" if "\\\n" in before else "\n") * count


def _end(code: list[Token], at: int) -> int | None:
    depth = 0
    for index in range(at + 1, len(code)):
        text = code[index].text
        if text == ">>>" and depth == 0:
            return index
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth < 0 or (text == ";" and depth == 0):
            return None
    return None


def _kernel(code: list[Token], at: int) -> int:
    """Return the index of the first token of the expression before ``<<<``."""
    first = at
    while (begin := _primary(code, first)) < first:
        first = begin
        before = code[first - 1].text if first else ""
        if before == "template" and first > 1 and code[first - 2].text == "::":
            first, before = first - 1, "::"
        if before not in {"::", ".", "->"}:
            break
        first -= 1
        if before == "::" and not _qualifies(code, first):
            break
    return first


def _qualifies(code: list[Token], at: int) -> bool:
    """Whether a name comes before ``::``, which otherwise names the global namespace."""
    before = code[at - 1].text if at else ""
    return before == ">" or (_is_name(before) and before not in _KEYWORDS)


def _is_name(text: str) -> bool:
    return re.match(r"[A-Za-z_$]\w*$", text) is not None


def _primary(code: list[Token], end: int) -> int:
    """Return where a name, a template, an element or an expression in parentheses before `end` begins; or `end`."""
    if end == 0:
        return end
    text = code[end - 1].text
    if text in {">", ">>", ">>>"}:
        begin = _angle(code, end - 1)
        return begin - 1 if begin and _is_name(code[begin - 1].text) else end
    if text == "]":
        return _primary(code, _bracket(code, end - 1))
    if text == ")":
        begin = _bracket(code, end - 1)
        before = code[begin - 1].text if begin else ""
        called = before in {">", ">>"} or (_is_name(before) and before not in _WITH_CONDITIONS)
        return _primary(code, begin) if called else begin
    return end - 1 if _is_name(text) and text not in _KEYWORDS else end


def _bracket(code: list[Token], at: int) -> int:
    depth = 0
    for index in range(at, -1, -1):
        text = code[index].text
        depth += (text in _CLOSING) - (text in _OPENING)
        if depth == 0:
            return index
    return at


def _angle(code: list[Token], at: int) -> int:
    depth, index = 0, at
    while index >= 0:
        text = code[index].text
        if text in _CLOSING:
            index = _bracket(code, index)
        elif text in {">", ">>", ">>>"}:
            depth += len(text)
        elif text == "<":
            depth -= 1
            if depth <= 0:
                return index
        elif text in {";", "{"}:
            break
        index -= 1
    return 0
