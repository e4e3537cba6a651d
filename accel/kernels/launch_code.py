"""The code of a launcher: a function that is written for the parameters of one kernel, and compiled by Python.

It checks and packs the arguments in straight-line code: a loop over the parameters would cost more than the launch.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from accel.kernels.parameters import Parameter

__all__ = ["ALIGNED", "code_of", "packing"]

ALIGNED = 16
"""Bytes of which the offset of each argument is a multiple."""

_FORMATS = dict(zip("b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split(), "?bBhHiIqQefd", strict=True))


def packing(parameters: Sequence[Parameter]) -> tuple[struct.Struct, list[int]] | None:
    """Return how the arguments are packed, and the offset of each; None if `struct` cannot pack a dtype."""
    text, offsets = "=", []
    for parameter in parameters:
        kind = _FORMATS.get(parameter.dtype.str[1:]) if parameter.rank is None else "Q" + 2 * parameter.rank * "q"
        if kind is None:
            return None
        offsets.append(struct.calcsize(text))
        text += f"{kind}{-struct.calcsize('=' + kind) % ALIGNED}x"
    return struct.Struct(text), offsets


def code_of(parameters: Sequence[Parameter]) -> Callable[..., Any]:
    """Return the compiled function that makes a launcher; its arguments are the names that the code uses.

    The launcher takes the arguments of the kernel as a tuple, the grid, the block, the bytes of shared memory, the
    stream and the open submission. It returns whether the kernel was launched; if not, the caller submits it in the
    general way, which also says what is wrong with an argument.
    """
    count = len(parameters)
    names = "".join(f"a{i}, " for i in range(count))
    body = [f"if len(given) != {count}: return False", f"({names}) = given" if count else ""]
    values: list[str] = []
    for i, parameter in enumerate(parameters):
        lines, packed = _number(i) if parameter.rank is None else _memory(i, parameter)
        body += lines
        values += packed
    body += [f"pack(memory, 0, {', '.join(values)})", "start(grid, block, shared, queue)", "return True"]
    head = "def made(Container, Storage, covered, pack, memory, start, dtypes, kinds, numbers, views):\n"
    code = head + "    def launch(given, grid, block, shared, queue, opened):\n"
    code += "".join(f"        {line}\n" for line in body if line) + "    return launch\n"
    scope: dict[str, Any] = {}
    exec(compile(code, "<launcher>", "exec"), scope)  # noqa: S102 - made of numbers and of the names above
    made: Callable[..., Any] = scope["made"]
    return made


def _number(i: int) -> tuple[list[str], list[str]]:
    # Other types may run code of the user, which must not happen with the gate held.
    lines = [
        f"if type(a{i}) not in kinds[{i}]: return False",
        f"try: a{i} = numbers[{i}](a{i}, None)",
        "except Exception: return False",
    ]
    return lines, [f"a{i}"]


def _memory(i: int, parameter: Parameter) -> tuple[list[str], list[str]]:
    """Return the lines that check memory, and the values that are packed for it."""
    writable, size, rank = parameter.writable, parameter.dtype.itemsize, parameter.rank or 0
    flat = [
        f"if s{i} is None or s{i}.dtype is not dtypes[{i}]: return False",
        f"p{i} = covered(s{i}, {writable}, queue, opened)",
        f"if p{i} < 0 or p{i} % {size}: return False",
    ]
    if writable:
        flat.insert(1, f"if s{i}._const or s{i}._owner is None or s{i}._owner.readonly: return False")
    found = f"s{i} = a{i}._storage if type(a{i}) is Container else a{i} if type(a{i}) is Storage else None"
    if rank == 0:
        return [found, *flat], [f"p{i}"]
    ints = [f"x{i}_{k}" for k in range(2 * rank)]
    strided = [
        f"v{i} = views[{i}](a{i})",
        f"if v{i} is None or covered(v{i}[0], {writable}, queue, opened) < 0: return False",
        f"_, p{i}, {', '.join(ints)} = v{i}",
    ]
    if rank > 1:
        return strided, [f"p{i}", *ints]
    flat.append(f"x{i}_0, x{i}_1 = s{i}.size, 1")
    choice = [f"if type(a{i}) is Container or type(a{i}) is Storage:"]
    return [found, *choice, *_indented(flat), "else:", *_indented(strided)], [f"p{i}", *ints]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
