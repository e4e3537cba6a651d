"""`translated_ptx`: C++ of the inline PTX in the headers of libraries.

An instruction becomes a call of a function in ``accel_sim/ptx.h``. A statement with an instruction that is not there
stops a launch which comes to it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .tokens import Token, matching, tokens

__all__ = ["translated_ptx"]

_ASM = frozenset(("asm", "__asm__", "__asm"))
_SPACE = frozenset(("space", "comment"))
_WIDTHS = {"r": "uint32_t", "l": "uint64_t", "h": "uint16_t", "f": "uint32_t", "d": "uint64_t", "n": "uint64_t"}
_TYPES = {
    **{f"{kind}{bits}": f"{'' if kind == 's' else 'u'}int{bits}_t" for kind in "sub" for bits in (8, 16, 32, 64)},
    "f32": "float", "f64": "double", "pred": "bool",
}  # fmt: skip
_SPECIAL = {
    **{f"%{name}.{axis}": f"({built_in}.{axis})" for axis in "xyz" for name, built_in in (
        ("tid", "threadIdx"), ("ntid", "blockDim"), ("ctaid", "blockIdx"), ("nctaid", "gridDim"))},
    "%laneid": "accel_sim::lane()", "%warpid": "(accel_sim::here()->warp)", "WARP_SZ": "ACCEL_SIM_WARP",
    "%lanemask_eq": "(1u << accel_sim::lane())", "%lanemask_lt": "((1u << accel_sim::lane()) - 1)",
    "%lanemask_le": "((2u << accel_sim::lane()) - 1)", "%lanemask_gt": "(~0u - ((2u << accel_sim::lane()) - 1))",
    "%lanemask_ge": "(~0u << accel_sim::lane())", "%clock": "(unsigned)accel_sim_clock()",
    "%clock64": "accel_sim_clock()", "%globaltimer": "accel_sim_clock()",
}  # fmt: skip
_NAMES = """
mov add sub mul mul_lo mad_lo min max neg abs and or xor not shl shr selp popc clz brev bfind bfind_shiftamt bfe bfi
bmsk_clamp bmsk_wrap prmt setp_eq setp_ne setp_lt setp_le setp_gt setp_ge shfl_sync_up shfl_sync_down shfl_sync_bfly
shfl_sync_idx vote_sync_ballot vote_sync_any vote_sync_all match_any_sync redux_sync_add redux_sync_min
redux_sync_max redux_sync_and redux_sync_or redux_sync_xor
"""
_PLAIN = frozenset(_NAMES.split())
_WORDS_OF_CPP = frozenset(("and", "or", "xor", "not"))
_ORDERS = {
    "relaxed": "__ATOMIC_RELAXED", "acquire": "__ATOMIC_ACQUIRE", "release": "__ATOMIC_RELEASE",
    "acq_rel": "__ATOMIC_ACQ_REL", "sc": "__ATOMIC_SEQ_CST",
}  # fmt: skip
_SCOPES = {"cta": "accel_sim::SCOPE_BLOCK", "gpu": "accel_sim::SCOPE_DEVICE", "gl": "accel_sim::SCOPE_DEVICE",
           "cluster": "accel_sim::SCOPE_DEVICE", "sys": "accel_sim::SCOPE_SYSTEM"}  # fmt: skip
# Places and caches: addresses are generic, and there is no cache. Addresses in shared memory have 32 bits there.
_ANYWHERE = frozenset(
    ["volatile", "weak", "mmio", "global", "local", "const", "ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt"]
)
_ATOMICS = frozenset(["add", "min", "max", "and", "or", "xor", "exch", "cas"])


class _UnknownError(Exception):
    """What is not translated."""


class _Statement(NamedTuple):
    """An ``asm`` statement: its text, and the letters and expressions of its operands, outputs first."""

    text: str
    operands: tuple[tuple[str, str], ...]


def translated_ptx(source: str) -> str:
    """Return a source whose inline PTX is C++. The number of lines stays the same.

    Examples
    --------
    >>> print(translated_ptx('asm("add.u32 %0, %1, 1;" : "=r"(y) : "r"(x));'))  # doctest: +ELLIPSIS
    do { uint32_t accel_sim_0 = ...; accel_sim_0 = accel_sim::ptx::add<uint32_t>(accel_sim_1, 1); ...
    """
    parts, at = [], 0
    for start, end, text in _edits(source, "\n"):
        parts += [source[at:start], text]
        at = end
    return "".join([*parts, source[at:]])


def _edits(source: str, line_end: str) -> Iterator[tuple[int, int, str]]:
    code = [token for token in tokens(source) if token.kind not in _SPACE]
    for index, token in enumerate(code):
        if token.kind == "directive" and "asm" in token.text:  # in the body of a macro, say
            first = token.start + 1
            for start, end, text in _edits(token.text[1:].replace("\\\n", " \n"), "\\\n"):
                yield first + start, first + end, text
        elif token.kind == "name" and token.text in _ASM:
            opening = next((i for i in range(index + 1, min(index + 4, len(code))) if code[i].text == "("), None)
            if opening is not None:
                closing = matching(code, opening)
                end = code[closing].end
                text = _translated(_statement(source, code[opening + 1 : closing]))
                yield token.start, end, text + line_end * source.count("\n", token.start, end)


def _statement(source: str, inside: Sequence[Token]) -> _Statement:
    """Return a statement; of a macro that puts the text together, only with a text that is not translated."""
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in inside:
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.text in {":", "::"}:
            sections += [[] for _ in token.text]
        else:
            sections[-1].append(token)
    if any(token.kind != "string" for token in sections[0]):
        return _Statement("which a macro makes", ())
    text = "".join([_unquoted(token.text) for token in sections[0]])
    operands = [operand for section in sections[1:3] for operand in _operands(source, section)]
    return _Statement(text, tuple(operands))


def _unquoted(literal: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": " "}.get(found[1], found[1]), literal[1:-1])


def _operands(source: str, section: Sequence[Token]) -> Iterator[tuple[str, str]]:
    index = 0
    while index < len(section):
        closing = matching(section, index + 1)
        yield section[index].text.strip('"'), source[section[index + 1].start : section[closing].end].replace("\n", " ")
        index = closing + 2


def _translated(statement: _Statement) -> str:
    text = re.sub(r"//[^\n]*", "", statement.text).replace("\n", " ")
    try:
        body = " ".join(_instructions(text.replace("%%", "%")))
        return f"do {{ {' '.join(_loads(statement))} {body} {' '.join(_stores(statement))} }} while (0)"
    except _UnknownError:
        named = re.sub(r"[^\w .,%@|!;\[\]]", "", " ".join(text.split()))[:80]
        return f'accel_sim_unsupported("the PTX instruction {named}")'


def _loads(statement: _Statement) -> Iterator[str]:
    for number, (constraint, expression) in enumerate(statement.operands):
        width = _WIDTHS.get(constraint.strip("=+&"))
        if width is None:
            raise _UnknownError
        value = "0" if "=" in constraint else f"accel_sim::ptx::load<{width}>{expression}"
        yield f"{width} accel_sim_{number} = {value};"


def _stores(statement: _Statement) -> Iterator[str]:
    for number, (constraint, expression) in enumerate(statement.operands):
        if "=" in constraint or "+" in constraint:
            yield f"accel_sim::ptx::store({expression}, accel_sim_{number});"


def _instructions(text: str) -> Iterator[str]:
    """Yield C++ for each instruction. Braces around all of them are left out, those of vectors are not."""
    for piece in text.split(";"):
        words = piece.strip().lstrip("{} ").strip()
        if words.startswith(".reg"):
            _, kind, names = words.split(None, 2)
            for name in names.split(","):
                yield f"{_register_type(kind.strip('.'))} accel_sim_{name.strip()};"
        elif words:
            guard = re.match(r"@(!?)([\w%]+)\s+", words)
            made = _instruction(words[guard.end() :] if guard else words)
            yield f"if ({guard[1]}{_operand(guard[2])}) {{ {made} }}" if guard else made


def _register_type(kind: str) -> str:
    if kind == "pred":
        return "bool"
    found = re.fullmatch(r"[usbf](16|32|64)", kind)
    if found is None:
        raise _UnknownError
    return f"uint{found[1]}_t"


def _operand(text: str) -> str:
    text = text.strip()
    if text.startswith("!"):
        return f"!{_operand(text[1:])}"
    if text in _SPECIAL:
        return _SPECIAL[text]
    if re.fullmatch(r"%\d+|[A-Za-z_]\w*", text):
        return f"accel_sim_{text.strip('%')}"
    if re.fullmatch(r"-?(0x)?[0-9a-fA-F]+", text):
        return text
    raise _UnknownError


def _instruction(words: str) -> str:
    name, _, rest = words.partition(" ")
    operands = [part.strip() for part in re.findall(r"\s*(\{[^}]*\}|\[[^\]]*\]|[^,]+)", rest) if part.strip()]
    base, *suffixes = name.split(".")
    if base in {"prefetch", "prefetchu", ""}:  # the last: a pragma
        return ""
    if base in {"ld", "st", "atom", "red"}:
        return _access(base, suffixes, operands)
    if base in {"membar", "fence"}:
        if not suffixes or suffixes[-1] not in _SCOPES or not set(suffixes[:-1]) <= set(_ORDERS):
            raise _UnknownError
        return f"accel_sim::ptx::fence({_SCOPES[suffixes[-1]]});"
    if any(operand.startswith("{") for operand in operands):
        return _vector_move(name, operands)
    return _plain(base, suffixes, operands)


def _plain(base: str, suffixes: list[str], operands: list[str]) -> str:
    kind = _TYPES.get(suffixes[-1]) if suffixes else None
    function = "_".join([base, *(suffixes[:-1] if kind else suffixes)])
    if function == "vote_ballot_sync":
        function = "vote_sync_ballot"
    if kind is None or function not in _PLAIN or len(operands) < 2:
        raise _UnknownError
    target, _, inside = operands[0].partition("|")
    given = [_operand(each) for each in operands[1:]]
    if inside:
        given.insert(0, f"&{_operand(inside)}")
    suffix = "_" if function in _WORDS_OF_CPP else ""
    if kind == "bool" and not function.startswith("vote"):
        raise _UnknownError
    return f"{_operand(target)} = accel_sim::ptx::{function}{suffix}<{kind}>({', '.join(given)});"


def _vector_move(name: str, operands: list[str]) -> str:
    """Translate a move between a register of 64 bits and two halves."""
    if name != "mov.b64" or len(operands) != 2:
        raise _UnknownError
    halves = [_operand(half) for each in operands if each.startswith("{") for half in each.strip("{}").split(",")]
    if len(halves) != 2:
        raise _UnknownError
    low, high = halves
    if operands[0].startswith("{"):
        whole = _operand(operands[1])
        return f"{low} = uint32_t({whole}); {high} = uint32_t({whole} >> 32);"
    return f"{_operand(operands[0])} = uint64_t({high}) << 32 | {low};"


def _access(base: str, suffixes: list[str], operands: list[str]) -> str:
    *middle, last = suffixes
    kind = _TYPES.get(last)
    rest = [each for each in middle if each not in _SCOPES and each not in _ANYWHERE and ":" not in each]
    order = next((_ORDERS[each] for each in rest if each in _ORDERS), "")
    names = [each for each in rest if each not in _ORDERS]
    if kind is None:
        raise _UnknownError
    if base in {"atom", "red"}:
        if len(names) != 1 or names[0] not in _ATOMICS:
            raise _UnknownError
        targets, addressed, *values = ["", *operands] if base == "red" else operands
        call = _call(f"atom_{names[0]}", kind, addressed, [*map(_operand, values), order or _ORDERS["relaxed"]])
        return f"{_operand(targets)} = {call};" if targets else f"{call};"
    if names:
        raise _UnknownError
    orders = [order] if order else []
    if base == "ld":
        return f"{_operand(operands[0])} = {_call('ld', kind, operands[1], orders)};"
    return f"{_call('st', kind, operands[0], [_operand(operands[1]), *orders])};"


def _call(function: str, kind: str, addressed: str, values: list[str]) -> str:
    found = re.fullmatch(r"\[\s*([%\w]+)\s*(?:\+\s*(\d+)\s*)?\]", addressed)
    if found is None:
        raise _UnknownError
    address = _operand(found[1]) + (f" + {found[2]}" if found[2] else "")
    return f"accel_sim::ptx::{function}<{kind}>({', '.join([address, *values])})"
