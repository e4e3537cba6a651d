"""`translated_ptx`: C++ of inline PTX, in kernels and in the headers of libraries.

An instruction becomes a call of a function in ``accel_sim/ptx.h``. The caller says what takes the place of a statement
with an instruction that is not there.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from .tokens import Token, edited, matching, tokens

__all__ = ["CALLS", "is_ptx", "translated_ptx"]

CALLS = "accel_sim::ptx::"
"""What the functions of the header begin with, so the text that needs it."""

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
redux_sync_max redux_sync_and redux_sync_or redux_sync_xor tanh_approx ex2_approx lg2_approx sin_approx cos_approx
rcp_approx rsqrt_approx sqrt_approx div_approx
"""
_PLAIN = frozenset(_NAMES.split())
_WORDS_OF_CPP = frozenset(("and", "or", "xor", "not"))
_ORDERS = {
    "relaxed": "__ATOMIC_RELAXED", "acquire": "__ATOMIC_ACQUIRE", "release": "__ATOMIC_RELEASE",
    "acq_rel": "__ATOMIC_ACQ_REL", "sc": "__ATOMIC_SEQ_CST",
}  # fmt: skip
_SCOPES = {"cta": "accel_sim::SCOPE_BLOCK", "gpu": "accel_sim::SCOPE_DEVICE", "gl": "accel_sim::SCOPE_DEVICE",
           "cluster": "accel_sim::SCOPE_DEVICE", "sys": "accel_sim::SCOPE_SYSTEM"}  # fmt: skip
# Places and caches: addresses are generic, and there is no cache. A register of 32 bits has the lower half of an
# address in shared memory.
_SHARED = frozenset(["shared", "shared::cta"])
_ANYWHERE = _SHARED | frozenset(
    ["volatile", "weak", "mmio", "global", "local", "const", "ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt"]
)
_CONVERTED = {
    **{name: kind for name, kind in _TYPES.items() if kind != "bool" and not name.startswith("b")},
    "f16": "accel_sim::Half", "bf16": "accel_sim::BFloat16",
}  # fmt: skip
_ROUNDINGS = {
    "rn": "NEAREST", "rz": "ZERO", "rp": "UP", "rm": "DOWN",
    "rni": "NEAREST", "rzi": "ZERO", "rpi": "UP", "rmi": "DOWN",
}  # fmt: skip
_COPIES = re.compile(r"cp\.async\.c[ag]\.shared(::cta)?\.global(\.L\w+::\w+)*")
# Copies are done when they begin, so there is nothing to wait for.
_WAITS = re.compile(r"cp\.async\.(commit_group|wait_all|wait_group)")
_BARRIERS = frozenset(["bar.sync", "barrier.sync", "barrier.sync.aligned"])
_DEFINITION = re.compile(r"#\s*define\s+(\w+)(?=\s)")
_SOMETHING = "?"
_MOST_MACROS = 8  # within macros
_ATOMICS = frozenset(["add", "min", "max", "and", "or", "xor", "exch", "cas"])


_Refused: TypeAlias = Callable[[int, str], str | None]
_RAW = re.compile(r'(?:u8|[uUL])?R"([^()\\\s]{0,16})\((.*)\)\1"', re.DOTALL)
_FROM_MACRO = "which a macro makes"
_PTX = re.compile(r"[a-z]\w*(?:::\w+)*\.[a-z]|^\s*(?:@!?%?\w+\s+)?(?:trap|exit|ret|brkpt)\b")


class _UnknownError(Exception):
    """What is not translated."""


class _Statement(NamedTuple):
    """An ``asm`` statement: its text, and the letters and expressions of its operands, outputs first."""

    text: str
    operands: tuple[tuple[str, str], ...]


def is_ptx(text: str) -> bool:
    """Return whether assembly is that of NVIDIA's GPUs: words of processors have no types after a dot.

    Examples
    --------
    >>> is_ptx("tensor.core.f32 %0;"), is_ptx("rdtsc"), is_ptx("xchg %0, %1")
    (True, False, False)
    """
    return text is _FROM_MACRO or _PTX.search(text) is not None


def translated_ptx(source: str, refused: _Refused | None = None) -> str:
    """Return a source with its inline PTX as C++. The number of lines stays the same.

    Parameters
    ----------
    source : str
        CUDA.
    refused : function, optional
        Takes the place of a statement that is not translated, or of the macro that it is in, and its text; returns what
        takes its place, or None to leave it. By default, what stops a launch that comes to it.

    Examples
    --------
    >>> print(translated_ptx('asm("add.u32 %0, %1, 1;" : "=r"(y) : "r"(x));'))  # doctest: +ELLIPSIS
    do { uint32_t accel_sim_0 = ...; accel_sim_0 = accel_sim::ptx::add<uint32_t>(accel_sim_1, 1); ...
    """
    code = [token for token in tokens(source) if token.kind not in _SPACE]
    return edited(source, _edits(source, code, refused or _stopping, _macros(code)))


def _stopping(_: int, text: str) -> str:
    named = re.sub(r"[^\w .,%@|!;\[\]]", "", " ".join(text.split()))[:80]
    return f'accel_sim_unsupported("the PTX instruction {named}")'


def _macros(code: Sequence[Token]) -> dict[str, list[Token]]:
    """Return what names without parameters stand for, if they are defined once."""
    definitions: dict[str, list[list[Token]]] = {}
    for token in code:
        if token.kind == "directive" and (match := _DEFINITION.match(token.text)):
            body = tokens(token.text[match.end() :].replace("\\\n", " \n"))
            definitions.setdefault(match[1], []).append([each for each in body if each.kind not in _SPACE])
    return {name: bodies[0] for name, bodies in definitions.items() if len(bodies) == 1}


def _edits(
    source: str, code: Sequence[Token], refused: _Refused, macros: dict[str, list[Token]], macro: int | None = None
) -> Iterator[tuple[int, int, str]]:
    """Yield the changes of a source, or of the body of a macro that begins at a place in it."""
    line_end = "\n" if macro is None else "\\\n"
    for index, token in enumerate(code):
        if token.kind == "directive" and "asm" in token.text:  # in the body of a macro, say
            first, text = token.start + 1, token.text[1:].replace("\\\n", " \n")
            inside = [each for each in tokens(text) if each.kind not in _SPACE]
            for start, end, edit in _edits(text, inside, refused, macros, token.start):
                yield first + start, first + end, edit
        elif token.kind == "name" and token.text in _ASM:
            opening = next((i for i in range(index + 1, min(index + 4, len(code))) if code[i].text == "("), None)
            if opening is not None:
                closing = matching(code, opening)
                end = code[closing].end if closing < len(code) else code[-1].end
                at = token.start if macro is None else macro
                changed = _translated(source, code[opening + 1 : closing], partial(refused, at), macros)
                if changed is not None:
                    yield token.start, end, changed + line_end * source.count("\n", token.start, end)


def _statement(source: str, inside: Sequence[Token], macros: dict[str, list[Token]]) -> _Statement:
    sections: list[list[Token]] = [[]]
    depth = 0
    for token in inside:
        depth += (token.text in "([{") - (token.text in ")]}")
        if depth == 0 and token.text in {":", "::"}:
            sections += [[] for _ in token.text]
        else:
            sections[-1].append(token)
    operands = [operand for section in sections[1:3] for operand in _operands(source, section)]
    return _Statement(_text(sections[0], macros), tuple(operands))


def _text(pieces: Sequence[Token], macros: dict[str, list[Token]], depth: int = 0) -> str:
    """Return the text that strings and macros make; `_SOMETHING` stands for what a macro with parameters makes."""
    text, index = "", 0
    while index < len(pieces):
        piece = pieces[index]
        if piece.kind == "string":
            text += _unquoted(piece.text)
        elif piece.kind == "name" and index + 1 < len(pieces) and pieces[index + 1].text == "(":
            text += _SOMETHING
            index = matching(pieces, index + 1)
        elif piece.kind == "name" and piece.text in macros and depth < _MOST_MACROS:
            text += _text(macros[piece.text], macros, depth + 1)
        else:
            raise _UnknownError
        index += 1
    return text


def _unquoted(literal: str) -> str:
    if raw := _RAW.fullmatch(literal):
        return raw[2]
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": " "}.get(match[1], match[1]), literal[1:-1])


def _operands(source: str, section: Sequence[Token]) -> Iterator[tuple[str, str]]:
    index = 0
    while index < len(section):
        closing = matching(section, index + 1)
        if closing >= len(section) or section[index].kind != "string":
            raise _UnknownError
        yield section[index].text.strip('"'), source[section[index + 1].start : section[closing].end].replace("\n", " ")
        index = closing + 2


def _translated(
    source: str, inside: Sequence[Token], refused: Callable[[str], str | None], macros: dict[str, list[Token]]
) -> str | None:
    try:
        statement = _statement(source, inside, macros)
        text = re.sub(r"//[^\n]*", "", statement.text).replace("\n", " ")
        if not (text.strip() or statement.operands):
            return None  # it orders accesses, in any compiler
        body = " ".join(_instructions(text.replace("%%", "%")))
        return f"do {{ {' '.join(_loads(statement))} {body} {' '.join(_stores(statement))} }} while (0)"
    except _UnknownError:
        strings = takewhile(lambda token: token.kind == "string", inside)
        text = "".join([_unquoted(token.text) for token in strings])
        return refused(text if inside and inside[0].kind == "string" else _FROM_MACRO)


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
                yield f"{_register_type(kind.strip('.'))} {_operand(name)};"
        elif words:
            guard = re.match(r"@(!?)([\w%]+)\s+", words)
            statement = _instruction(words[guard.end() :] if guard else words)
            yield f"if ({guard[1]}{_operand(guard[2])}) {{ {statement} }}" if guard else statement


def _register_type(kind: str) -> str:
    if kind == "pred":
        return "bool"
    match = re.fullmatch(r"[usbf](16|32|64)", kind)
    if match is None:
        raise _UnknownError
    return f"uint{match[1]}_t"


def _operand(text: str) -> str:
    text = text.strip()
    if text.startswith("!"):
        return f"!{_operand(text[1:])}"
    if text in _SPECIAL:
        return _SPECIAL[text]
    if re.fullmatch(r"%\d+|[A-Za-z_]\w*", text):
        return f"accel_sim_{text.strip('%')}"
    if re.fullmatch(r"-?(0x[0-9a-fA-F]+|[0-9]+)", text):
        return text
    if re.fullmatch(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", text):  # the bits of a number
        return f"0x{text[2:]}"
    raise _UnknownError


def _instruction(words: str) -> str:
    name, _, rest = words.partition(" ")
    operands = [part.strip() for part in re.findall(r"\s*(\{[^}]*\}|\[[^\]]*\]|[^,]+)", rest) if part.strip()]
    base, *suffixes = name.replace(".approx.ftz.", ".approx.").split(".")
    if base in {"prefetch", "prefetchu"} or name == ".pragma" or _WAITS.fullmatch(name):
        return ""
    if base in {"ld", "st", "atom", "red"}:
        return _access(base, suffixes, operands)
    if base in {"membar", "fence"}:
        if not suffixes or suffixes[-1] not in _SCOPES or not set(suffixes[:-1]) <= set(_ORDERS):
            raise _UnknownError
        return f"accel_sim::ptx::fence({_SCOPES[suffixes[-1]]});"
    if base in {"cvt", "cvta", "cp", "bar", "barrier"}:
        return _special(base, suffixes, operands)
    if any(operand.startswith("{") for operand in operands):
        return _vector_move(name, operands)
    return _plain(base, suffixes, operands)


def _special(base: str, suffixes: list[str], operands: list[str]) -> str:
    name = ".".join([base, *suffixes])
    if name in _BARRIERS and operands == ["0"]:
        return "__syncthreads();"
    if _COPIES.fullmatch(name) and len(operands) in {3, 4}:
        into, out_of = (_address(operand, shared=number == 0) for number, operand in enumerate(operands[:2]))
        return f"{CALLS}copy_async({', '.join([into, out_of, *map(_operand, operands[2:])])});"
    if base in {"cvt", "cvta"} and len(operands) == 2:
        return f"{_operand(operands[0])} = {_converted(base, suffixes, _operand(operands[1]))};"
    raise _UnknownError


def _converted(base: str, suffixes: list[str], value: str) -> str:
    """Translate a conversion of a number, or of an address between spaces."""
    if base == "cvta":
        into_generic = suffixes[0] in _SHARED
        if suffixes[-1] not in {"u32", "u64"} or not set(suffixes[:-1]) <= {"to", *_ANYWHERE}:
            raise _UnknownError
        return f"{CALLS}shared_address({value})" if into_generic else value
    *how, to, of = ["", "", *suffixes]
    how = [each for each in how if each]
    if to not in _CONVERTED or of not in _CONVERTED or len(how) > 1 or not set(how) <= set(_ROUNDINGS):
        raise _UnknownError
    rounding = "".join([f", accel_sim::{_ROUNDINGS[each]}" for each in how])
    return f"{CALLS}cvt<{_CONVERTED[to]}, {_CONVERTED[of]}>({value}{rounding})"


def _plain(base: str, suffixes: list[str], operands: list[str]) -> str:
    kind = _TYPES.get(suffixes[-1]) if suffixes else None
    function = "_".join([base, *(suffixes[:-1] if kind else suffixes)])
    if function == "vote_ballot_sync":
        function = "vote_sync_ballot"
    if kind is None or function not in _PLAIN or len(operands) < 2:
        raise _UnknownError
    target, _, inside = operands[0].partition("|")
    inputs = [_operand(each) for each in operands[1:]]
    if inside:
        inputs.insert(0, f"&{_operand(inside)}")
    suffix = "_" if function in _WORDS_OF_CPP else ""
    if kind == "bool" and not function.startswith("vote"):
        raise _UnknownError
    return f"{_operand(target)} = accel_sim::ptx::{function}{suffix}<{kind}>({', '.join(inputs)});"


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
    if kind is None:
        raise _UnknownError
    shared = not _SHARED.isdisjoint(middle)
    rest = [each for each in middle if each not in _SCOPES and each not in _ANYWHERE and ":" not in each]
    order = next((_ORDERS[each] for each in rest if each in _ORDERS), "")
    names = [each for each in rest if each not in _ORDERS]
    if base in {"atom", "red"}:
        return _update(names, kind, ["", *operands] if base == "red" else operands, order, shared=shared)
    if len(operands) != 2:
        raise _UnknownError
    addressed, value = operands if base == "st" else reversed(operands)
    address = _address(addressed, shared=shared)
    if names in (["v2"], ["v4"]) and not order and value.startswith("{"):
        values = [_operand(each) for each in value.strip("{}").split(",")]
        return f"{CALLS}{base}_vector<{kind}>({', '.join([address, *values])});"
    if names:
        raise _UnknownError
    orders = [order] if order else []
    if base == "ld":
        return f"{_operand(value)} = {CALLS}ld<{kind}>({', '.join([address, *orders])});"
    return f"{CALLS}st<{kind}>({', '.join([address, _operand(value), *orders])});"


def _update(names: list[str], kind: str, operands: list[str], order: str, *, shared: bool) -> str:
    """Translate an atomic operation; the first operand is empty if the old value is not used."""
    if len(names) != 1 or names[0] not in _ATOMICS or len(operands) < 3:
        raise _UnknownError
    target, addressed, *values = operands
    inputs = [_address(addressed, shared=shared), *map(_operand, values), order or _ORDERS["relaxed"]]
    call = f"{CALLS}atom_{names[0]}<{kind}>({', '.join(inputs)})"
    return f"{_operand(target)} = {call};" if target else f"{call};"


def _address(text: str, *, shared: bool) -> str:
    match = re.fullmatch(r"\[\s*([%\w]+)\s*(?:\+\s*(\d+)\s*)?\]", text)
    if match is None:
        raise _UnknownError
    address = f"{CALLS}shared_address({_operand(match[1])})" if shared else _operand(match[1])
    return address + (f" + {match[2]}" if match[2] else "")
