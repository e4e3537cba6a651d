"""`kernel_heads`: the kernels in a source of CUDA or HIP that have the names of C."""

import re

__all__ = ["kernel_heads"]

_SPLICE = re.compile(r"\\\r?\n")
_TEXT = re.compile(
    r"""\b(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"
      | "(?:\\.|[^"\\\n])*" | (?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*' | (?P<comment>//[^\n]* | /\*.*?\*/)""",
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = r"\((?:[^()]|\([^()]*\))*\)"
_ATTRIBUTE = rf"(?:(?:__\w+__\s*{_BRACKETS}|\[\[[^\]]*\]\])\s*)*"
_HEAD = re.compile(
    rf'(?P<c>\bextern\s*"C"\s*)?{_ATTRIBUTE}'
    rf"(?:\b__global__\s+{_ATTRIBUTE}(?:void|auto)\b|\bvoid\s+{_ATTRIBUTE}__global__\b)\s*{_ATTRIBUTE}(?P<name>\w+)\s*\("
)
_BLOCK = re.compile(r'\bextern\s*"C"\s*\{')


def kernel_heads(source: str) -> list[tuple[str, str]]:
    """Return the name of each ``extern "C"`` kernel, and the text after its opening parenthesis.

    Comments are left out of the text, and so is what other strings than ``"C"`` hold.

    Examples
    --------
    >>> kernel_heads('extern "C" { __global__ void f(int n /* of x */) {} }')
    [('f', 'int n  ) {} }')]
    """
    plain = _TEXT.sub(_without_content, _SPLICE.sub("", source))
    blocks: list[tuple[int, int]] = []
    for block in _BLOCK.finditer(plain):
        if not blocks or block.start() >= blocks[-1][1]:
            blocks.append((block.end(), _end(plain, block.end())))
    heads = [
        head for head in _HEAD.finditer(plain) if head["c"] or any(begin <= head.start() < end for begin, end in blocks)
    ]
    return [(head["name"], plain[head.end() :]) for head in heads]


def _without_content(match: re.Match[str]) -> str:
    if match["comment"]:
        return " "
    return match[0] if match[0] == '"C"' else '""'


def _end(plain: str, begin: int) -> int:
    """Return where the braces end that begin before a place."""
    depth = 1
    for brace in re.finditer(r"[{}]", plain[begin:]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return begin + brace.start()
    return len(plain)
