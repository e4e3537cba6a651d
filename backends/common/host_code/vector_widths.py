"""From a function of vectors to functions of single numbers and of half a vector, in LLVM's language.

These are repeated to a whole vector, so that one function computes all values.
"""

from collections.abc import Sequence
from functools import cache

from .text import Text

__all__ = ["of_numbers"]

_PURE = "nounwind willreturn memory(none)"


def of_numbers(text: Text, symbol: str, kind: str, lanes: int, arguments: Sequence[str]) -> str:
    """Print the call of a function of single numbers, which LLVM may replace by one of vectors; return its value.

    Parameters
    ----------
    text : Text
        Where it is printed; the functions are defined beside it.
    symbol : str
        The function of vectors, which is declared.
    kind : str
        The LLVM type of a number.
    lanes : int
        How many numbers a vector has.
    arguments : sequence of str
        The numbers.
    """
    definitions, variants = _family(symbol, kind, lanes, len(arguments))
    for name, definition in definitions.items():
        text.helper(name, definition)
    return _called(text, f"{symbol}.one", kind, arguments, f' "vector-function-abi-variant"="{variants}"')


@cache
def _family(symbol: str, kind: str, lanes: int, count: int) -> tuple[dict[str, str], str]:
    """Return the definitions by name, and what tells LLVM which of them are for vectors of which length."""
    names = {lanes: symbol, lanes // 2: f"{symbol}.half"}
    definitions = {
        symbol: f"declare {_head(symbol, _vector(kind, lanes), count)} {_PURE}\n",
        f"{symbol}.half": _half(symbol, kind, lanes, count),
        f"{symbol}.one": _one(symbol, kind, lanes, count),
    }
    variants = (f"_ZGV_LLVM_N{width}{'v' * count}_{symbol}.one({name})" for width, name in names.items() if width > 1)
    return definitions, ",".join(variants)


def _half(symbol: str, kind: str, lanes: int, count: int) -> str:
    """Return a function of vectors of half the length, which loops have where there are numbers of twice the bytes."""
    text, vector, half = Text({}), _vector(kind, lanes), _vector(kind, lanes // 2)
    twice = [*range(lanes // 2)] * 2
    value = _called(text, symbol, vector, [_shuffled(text, half, f"%{number}", twice) for number in range(count)])
    text.leave(f"{half} {_shuffled(text, vector, value, twice[: lanes // 2])}")
    return text.function(f"{_head(f'{symbol}.half', half, count)} {_PURE}")


def _one(symbol: str, kind: str, lanes: int, count: int) -> str:
    """Return a function of single numbers.

    LLVM finds it in a loop because it is not inlined, and keeps its arguments because it is not internal.
    """
    text, vector = Text({}), _vector(kind, lanes)
    firsts = [text.value(f"insertelement {vector} poison, {kind} %{number}, i64 0") for number in range(count)]
    value = _called(text, symbol, vector, [_shuffled(text, vector, first, [0] * lanes) for first in firsts])
    text.leave(f"{kind} {text.value(f'extractelement {vector} {value}, i64 0')}")
    return text.function(f"{_head(f'{symbol}.one', kind, count)} noinline {_PURE}")


def _vector(kind: str, width: int) -> str:
    return f"<{width} x {kind}>"


def _head(name: str, kind: str, count: int) -> str:
    return f"{kind} @{name}({', '.join([kind] * count)})"


def _called(text: Text, name: str, kind: str, operands: Sequence[str], hints: str = "") -> str:
    return text.value(f"call {kind} @{name}({', '.join(f'{kind} {each}' for each in operands)}){hints}")


def _shuffled(text: Text, kind: str, vector: str, places: Sequence[int]) -> str:
    """Return a vector of numbers at places of another."""
    mask = ", ".join(f"i32 {place}" for place in places)
    return text.value(f"shufflevector {kind} {vector}, {kind} poison, <{len(places)} x i32> <{mask}>")
