"""Types of LLVM's language, as texts: how many bytes they take, and where they end in a line."""

import re
from functools import cache

__all__ = ["parts", "size_and_alignment", "split_kind"]

_OPEN, _CLOSE = "([{<", ")]}>"
_SIMPLE = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8, "i1": 1}


def parts(text: str) -> list[str]:
    """Return what stands between the commas of a text that are in no brackets."""
    result, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == "," and not depth:
            result.append(text[begin:at].strip())
            begin = at + 1
    return [*result, text[begin:].strip()]


def split_kind(text: str) -> tuple[str, str]:
    """Return the type that a text begins with, and the rest."""
    depth = 0
    for at, character in enumerate(text):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == " " and not depth:
            return text[:at], text[at + 1 :]
    return text, ""


@cache
def size_and_alignment(kind: str) -> tuple[int, int]:
    """Return the bytes that a value takes in memory, and what its address is a multiple of."""
    if kind.endswith("*"):
        return _SIMPLE["ptr"], _SIMPLE["ptr"]
    if kind in _SIMPLE:
        return _SIMPLE[kind], _SIMPLE[kind]
    if kind[0] == "i":
        size = 1 << max((int(kind[1:]) + 7) // 8 - 1, 0).bit_length()
        return size, min(size, 16)
    repeated = re.fullmatch(r"[\[<](\d+) x (.*)[\]>]", kind)
    if repeated and not kind.startswith("<{"):
        size, alignment = size_and_alignment(repeated[2])
        total = int(repeated[1]) * size
        return total, alignment if kind[0] == "[" else total
    return _size_of_structure(kind)


def _size_of_structure(kind: str) -> tuple[int, int]:
    packed = kind.startswith("<{")
    size, most = 0, 1
    inside = kind.strip("<>").strip()[1:-1].strip()
    for member in parts(inside) if inside else []:
        nbytes, alignment = size_and_alignment(member)
        alignment = 1 if packed else alignment
        size += -size % alignment + nbytes
        most = max(most, alignment)
    return size + -size % most, most
