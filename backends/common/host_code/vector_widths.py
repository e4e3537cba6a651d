"""From one function of vectors to functions of shorter and longer vectors, and of single numbers, in LLVM's language.

Single numbers and shorter vectors are repeated, and longer vectors are cut: the one function computes all values.
"""

from collections.abc import Iterable, Sequence
from functools import cache

from .text import Text

__all__ = ["of_any_length"]

_PURE = "nounwind willreturn memory(none)"


def of_any_length(text: Text, symbol: str, kind: str, lanes: int, arguments: Sequence[str]) -> str:
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
    """Return the definitions by name, and what tells LLVM which of them are for vectors of which length.

    Loops have other lengths than the widest where they mix numbers of more and of fewer bytes.
    """
    others = [width for width in (lanes // 4, lanes // 2, lanes * 2, lanes * 4) if width > 1]
    names = {lanes: symbol} | {width: f"{symbol}.{width}" for width in others}
    definitions = {symbol: f"declare {_head(symbol, _vector(kind, lanes), count)} {_PURE}\n"}
    for width in others:
        inner = lanes if width < lanes else width // 2
        definitions[names[width]] = _resized(names[inner], inner, names[width], width, kind, count)
    definitions[f"{symbol}.one"] = _one(symbol, kind, lanes, count)
    variants = (f"_ZGV_LLVM_N{width}{'v' * count}_{symbol}.one({name})" for width, name in names.items())
    return definitions, ",".join(variants)


def _resized(inner: str, lanes: int, name: str, width: int, kind: str, count: int) -> str:
    """Return a function of vectors that calls another: once with numbers that are repeated, or for each half."""
    text, results = Text({}), []
    for start in range(0, width, lanes):
        places = [(start + lane) % width for lane in range(lanes)]
        whole = [_shuffled(text, kind, width, [f"%{number}"], places) for number in range(count)]
        results.append(_called(text, inner, _vector(kind, lanes), whole))
    text.leave(f"{_vector(kind, width)} {_shuffled(text, kind, lanes, results, range(width))}")
    return text.function(f"{_head(name, _vector(kind, width), count)} {_PURE}")


def _one(symbol: str, kind: str, lanes: int, count: int) -> str:
    """Return a function of single numbers.

    LLVM finds it in a loop because it is not inlined, and keeps its arguments because it is not internal.
    """
    text, vector = Text({}), _vector(kind, lanes)
    firsts = [text.value(f"insertelement {vector} poison, {kind} %{number}, i64 0") for number in range(count)]
    value = _called(text, symbol, vector, [_shuffled(text, kind, lanes, [first], [0] * lanes) for first in firsts])
    text.leave(f"{kind} {text.value(f'extractelement {vector} {value}, i64 0')}")
    return text.function(f"{_head(f'{symbol}.one', kind, count)} noinline {_PURE}")


def _vector(kind: str, width: int) -> str:
    return f"<{width} x {kind}>"


def _head(name: str, kind: str, count: int) -> str:
    return f"{kind} @{name}({', '.join([kind] * count)})"


def _called(text: Text, name: str, kind: str, operands: Sequence[str], hints: str = "") -> str:
    return text.value(f"call {kind} @{name}({', '.join(f'{kind} {each}' for each in operands)}){hints}")


def _shuffled(text: Text, kind: str, width: int, vectors: Sequence[str], places: Iterable[int]) -> str:
    """Return a vector of numbers in one or two others."""
    first, second = [*vectors, "poison"][:2]
    mask, vector = [f"i32 {place}" for place in places], _vector(kind, width)
    return text.value(f"shufflevector {vector} {first}, {vector} {second}, <{len(mask)} x i32> <{', '.join(mask)}>")
