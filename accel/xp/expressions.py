"""Which operands of operators and calls are results of others in the same expression, from a function's bytecode.

Of ``a * b + c`` the interpreter takes the product from its stack, where the multiplication left it. No variable has it.
"""

import sys
from collections.abc import Mapping
from dis import HAVE_ARGUMENT, findlabels, opmap, stack_effect
from functools import lru_cache
from types import CodeType, MappingProxyType
from typing import NamedTuple

__all__ = ["Operator", "operators_of"]

# By the name of an instruction: how many values it takes from the stack, as a number and as multiples of its argument.
_TAKEN: Mapping[str, tuple[int, int]] = MappingProxyType(
    dict.fromkeys(("KW_NAMES", "NOP", "PRECALL", "PUSH_NULL"), (0, 0))
    | dict.fromkeys(("LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME"), (0, 0))
    | dict.fromkeys(("LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_SMALL_INT"), (0, 0))  # Python 3.14
    | dict.fromkeys(("LOAD_FAST_CHECK", "LOAD_FAST_LOAD_FAST"), (0, 0))  # 3.12, 3.13
    | dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "UNARY_INVERT", "UNARY_NEGATIVE", "UNARY_NOT"), (1, 0))
    | dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"), (2, 0))
    | dict.fromkeys(("BUILD_LIST", "BUILD_SLICE", "BUILD_TUPLE"), (0, 1))
    | {"BINARY_SLICE": (3, 0), "CALL": (2, 1), "CALL_KW": (3, 1)}
)
"""Behind any other instruction the values on the stack count as unknown."""

# What `dis.stack_effect` says of calls depends on the version of Python, and these instructions do not.
_PUSHED: Mapping[str, int] = MappingProxyType({"PRECALL": 0, "CALL": 1, "CALL_KW": 1})

_KNOWN = {opcode: (*_TAKEN[name], _PUSHED.get(name)) for name, opcode in opmap.items() if name in _TAKEN}
_OPERATORS = frozenset(opmap[name] for name in ("BINARY_OP", "UNARY_INVERT", "UNARY_NEGATIVE"))
_CALLS = frozenset(opmap[name] for name in ("CALL", "CALL_KW") if name in opmap)
_BEFORE_ARGUMENTS = 2  # values on the stack: the function, and the object of a method
_EXTENDED_ARG = opmap["EXTENDED_ARG"]
_NO_INSTRUCTIONS = frozenset({opmap["CACHE"], _EXTENDED_ARG})

_LONGEST = 1 << 16
"""Bytes of the longest bytecode that is examined: that takes some tens of milliseconds."""

_MOST = 256
"""The most functions that are remembered."""


def _arguments_of(code: CodeType) -> dict[int, int]:
    return dict(zip(code.co_code[::2], code.co_code[1::2], strict=True))


_SUBSCRIPT = opmap["BINARY_OP"], _arguments_of((lambda a, i: a[i]).__code__).get(opmap["BINARY_OP"])
"""The operator that stands for a subscript since Python 3.14; its results are views."""


def _offset_of_call() -> int:
    return sys._getframe(1).f_lasti


def _probe() -> int:
    return _offset_of_call()


_WITHIN_CALL = _probe() - 2 * [opcode in _CALLS for opcode in _probe.__code__.co_code[::2]].index(True)
"""How far a frame's ``f_lasti`` is behind the call of a function of Python while that runs."""


class Operator(NamedTuple):
    """An operator or call that has such an operand, or whose result is one.

    Attributes
    ----------
    operands : tuple
        For each operand the offset of the operator or call whose result it is; None if it is something else.
    feeds : bool
        Whether the result is such an operand.
    is_call : bool
        Whether it is the call of a function, whose arguments are the operands.
    """

    operands: tuple[int | None, ...]
    feeds: bool
    is_call: bool


_known: dict[int, tuple[CodeType, Mapping[int, Operator]]] = {}


def operators_of(code: CodeType) -> Mapping[int, Operator]:
    """Return a function's operators and calls, by their offsets; what was found is remembered.

    The offset is ``f_lasti`` of the function's frame while the operator, or the function that is called, runs.
    """
    known = _known.get(id(code))
    if known is None:
        if len(_known) >= _MOST:
            _known.clear()
        bytecode = code.co_code
        found = _found(bytecode) if len(bytecode) <= _LONGEST else {}
        known = _known[id(code)] = code, found  # refers to the code, so its id is not used again
    return known[1]


@lru_cache(_MOST)  # a module that is run again has the same bytecode in other objects
def _found(bytecode: bytes) -> Mapping[int, Operator]:
    operands: dict[int, tuple[int | None, ...]] = {}
    calls: set[int] = set()
    stack: list[int | None] = []  # for each value the operator that computed it; below are values that are unknown
    extended = 0
    targets = {*findlabels(bytecode)}  # type: ignore[arg-type]  # it takes the bytes
    for offset in range(0, len(bytecode), 2):  # `dis.get_instructions` takes three times as long
        opcode, argument = bytecode[offset], bytecode[offset + 1] | extended
        extended = argument << 8 if opcode == _EXTENDED_ARG else 0
        if offset in targets:
            stack.clear()
        if opcode in _NO_INSTRUCTIONS:
            continue
        if opcode not in _KNOWN:
            stack.clear()
            continue
        least, times, pushed = _KNOWN[opcode]
        taken = _pop(stack, least + times * argument)
        if opcode in _OPERATORS and (opcode, argument) != _SUBSCRIPT:
            operands[offset] = taken
            stack.append(offset)
            continue
        if opcode in _CALLS:
            calls.add(offset + _WITHIN_CALL)
            operands[offset + _WITHIN_CALL] = taken[_BEFORE_ARGUMENTS:]
            stack.append(offset + _WITHIN_CALL)
            continue
        if pushed is None:
            pushed = stack_effect(opcode, argument if opcode >= HAVE_ARGUMENT else None) + len(taken)
        stack.extend([None] * pushed)
    feeding = {each for taken in operands.values() for each in taken if each is not None}
    return {
        offset: Operator(taken, offset in feeding, offset in calls)
        for offset, taken in operands.items()
        if offset in feeding or any(each is not None for each in taken)
    }


def _pop(stack: list[int | None], count: int) -> tuple[int | None, ...]:
    """Remove the last values from a stack, and return them; what it does not have is unknown."""
    known = stack[max(len(stack) - count, 0) :]
    del stack[len(stack) - len(known) :]
    return (*[None] * (count - len(known)), *known)
