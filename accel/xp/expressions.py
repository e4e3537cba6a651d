"""Which operands of an operator are results of operators in the same expression, read from a function's bytecode.

Of ``a * b + c`` the interpreter takes the product from its stack, where the multiplication left it. No variable has it.
"""

import dis
from collections.abc import Mapping
from types import CodeType, MappingProxyType
from typing import NamedTuple

__all__ = ["Operator", "operators_of"]

_OPERATORS = frozenset({"BINARY_OP", "UNARY_INVERT", "UNARY_NEGATIVE"})

# By the name of an instruction: how many values it takes from the stack, as a number and as multiples of its argument.
_TAKEN: Mapping[str, tuple[int, int]] = MappingProxyType(
    dict.fromkeys(("EXTENDED_ARG", "KW_NAMES", "NOP", "PRECALL", "PUSH_NULL"), (0, 0))
    | dict.fromkeys(("LOAD_CONST", "LOAD_DEREF", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME"), (0, 0))
    | dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "UNARY_INVERT", "UNARY_NEGATIVE", "UNARY_NOT"), (1, 0))
    | dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"), (2, 0))
    | dict.fromkeys(("BUILD_LIST", "BUILD_SLICE", "BUILD_TUPLE"), (0, 1))
    | {"BINARY_SLICE": (3, 0), "CALL": (2, 1), "CALL_KW": (3, 1)}
)
"""Behind any other instruction the values on the stack count as unknown."""

_PUSHED: Mapping[str, int] = MappingProxyType({"PRECALL": 0, "CALL": 1, "CALL_KW": 1})
"""What `dis.stack_effect` says of calls depends on the version of Python, and these instructions do not."""

_LONGEST = 1 << 16
"""Bytes of the longest bytecode that is examined: that takes about a hundred milliseconds."""

_MOST = 256
"""The most functions that are remembered."""


class Operator(NamedTuple):
    """An operator that has such an operand, or whose result is one.

    Attributes
    ----------
    operands : tuple
        For each operand the offset of the operator whose result it is; None if it is something else.
    feeds : bool
        Whether the result is such an operand.
    """

    operands: tuple[int | None, ...]
    feeds: bool


_known: dict[int, tuple[CodeType, Mapping[int, Operator]]] = {}


def operators_of(code: CodeType) -> Mapping[int, Operator]:
    """Return a function's operators, by their offsets in its bytecode; what was found is remembered."""
    known = _known.get(id(code))
    if known is None:
        if len(_known) >= _MOST:
            _known.clear()
        found = _found(code) if len(code.co_code) <= _LONGEST else {}
        known = _known[id(code)] = code, found  # refers to the code, so its id is not used again
    return known[1]


def _found(code: CodeType) -> Mapping[int, Operator]:
    operands: dict[int, tuple[int | None, ...]] = {}
    stack: list[int | None] = []  # for each value the operator that computed it; below are values that are unknown
    for instruction in dis.get_instructions(code):
        name, argument, offset = instruction.opname, instruction.arg or 0, instruction.offset
        if instruction.is_jump_target or name not in _TAKEN:
            stack.clear()
        if name not in _TAKEN:
            continue
        least, times = _TAKEN[name]
        taken = _pop(stack, least + times * argument)
        if name in _OPERATORS:
            operands[offset] = taken
            stack.append(offset)
        else:
            stack.extend([None] * _pushed(instruction, len(taken)))
    feeding = {each for taken in operands.values() for each in taken if each is not None}
    return {
        offset: Operator(taken, offset in feeding)
        for offset, taken in operands.items()
        if offset in feeding or any(each is not None for each in taken)
    }


def _pop(stack: list[int | None], count: int) -> tuple[int | None, ...]:
    """Remove the last values from a stack, and return them; what it does not have is unknown."""
    known = stack[max(len(stack) - count, 0) :]
    del stack[len(stack) - len(known) :]
    return (*[None] * (count - len(known)), *known)


def _pushed(instruction: dis.Instruction, taken: int) -> int:
    pushed = _PUSHED.get(instruction.opname)
    return dis.stack_effect(instruction.opcode, instruction.arg) + taken if pushed is None else pushed
