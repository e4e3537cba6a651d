"""The code of a launcher: a function that is written for the parameters of one kernel, and compiled by Python.

It checks and packs the arguments in straight-line code: a loop over the parameters would cost more than the launch.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from accel.containers import AcceleratorDataContainer
from accel.kernels.raw.conversions import conversion, fitting, strided_view
from accel.kernels.raw.parameters import Parameter
from accel.memory import DeviceStorage
from accel.memory.stream_order import covered

__all__ = ["launch_function", "packing"]

_ALIGNED = 16
"""Bytes of which the offset of each argument is a multiple."""

_FORMATS = {
    "b1": "?",
    "f2": "e",
    "f4": "f",
    "f8": "d",
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
}


def packing(parameters: Sequence[Parameter]) -> tuple[struct.Struct, list[int]] | None:
    """Return how the arguments are packed, and the offset of each; None if `struct` cannot pack a dtype."""
    text, offsets = "=", []
    for parameter in parameters:
        kind = _FORMATS.get(parameter.dtype.str[1:]) if parameter.rank is None else "Q" + 2 * parameter.rank * "q"
        if kind is None:
            return None
        offsets.append(struct.calcsize(text))
        text += f"{kind}{-struct.calcsize('=' + kind) % _ALIGNED}x"
    return struct.Struct(text), offsets


def launch_function(parameters: Sequence[Parameter], names: Mapping[str, Any]) -> Callable[..., bool]:
    """Return the function that checks and packs arguments, and launches the kernel.

    It takes the arguments of the kernel as a tuple, the grid, the block, the bytes of shared memory, the stream and the
    open submission. It returns whether the kernel was launched. If not, the caller submits it in the general way, which
    also says what is wrong with an argument.

    Parameters
    ----------
    parameters : sequence of Parameter
        The parameters of the kernel.
    names : mapping of str to object
        ``pack``: packs the arguments into ``memory``. ``start``: launches the kernel with what is there,
        and returns whether it did.
    """
    scope = {"Container": AcceleratorDataContainer, "Storage": DeviceStorage, "covered": covered, **names}
    count = len(parameters)
    body = [f"if len(arguments) != {count}: return False", ", ".join(f"a{i}" for i in range(count)) + ", = arguments"]
    values: list[str] = []
    for i, parameter in enumerate(parameters):
        write = _number if parameter.rank is None else _memory
        body += write(i, parameter, values, scope)
    body += [f"pack(memory, 0, {', '.join(values)})", "return start(grid, block, shared, queue)"]
    code = "\n".join(["def launch(arguments, grid, block, shared, queue, opened):", *_indented(body)])
    exec(compile(code, "<launcher>", "exec"), scope)  # noqa: S102 - it consists of numbers and of the names in here
    launch: Callable[..., bool] = scope["launch"]
    return launch


def _number(i: int, parameter: Parameter, values: list[str], scope: dict[str, Any]) -> list[str]:
    """Return the lines that convert a number, and append what is packed for it."""
    values.append(f"a{i}")
    dtype = parameter.dtype
    kind, (least, most) = next(iter(fitting(dtype).items()), (dtype.type, (0, 0)))
    scope |= {f"kind{i}": kind, f"least{i}": least, f"most{i}": most, f"convert{i}": conversion(parameter)}
    # Other types may run code of the user, which must not happen with the gate held.
    scope[f"others{i}"] = frozenset({bool, int, float, dtype.type})
    return [
        f"if type(a{i}) is not kind{i} or not least{i} <= a{i} <= most{i}:",
        f"    if type(a{i}) not in others{i}: return False",
        f"    try: a{i} = convert{i}(a{i}, None)",
        "    except Exception: return False",
    ]


def _memory(i: int, parameter: Parameter, values: list[str], scope: dict[str, Any]) -> list[str]:
    """Return the lines that check memory, and append what is packed for it."""
    rank, writable = parameter.rank or 0, parameter.writable
    scope |= {f"dtype{i}": parameter.dtype, f"view{i}": strided_view(parameter)}
    ints = [f"x{i}_{k}" for k in range(2 * rank)]
    values += [f"p{i}", *ints]
    storage = f"s{i} = a{i}._storage if type(a{i}) is Container else a{i} if type(a{i}) is Storage else None"
    flat = [storage, f"if s{i} is None or s{i}.dtype is not dtype{i}: return False"]
    if writable:
        flat.append(f"if s{i}._const or s{i}._owner is None or s{i}._owner.readonly: return False")
    flat += [
        f"p{i} = covered(s{i}, {writable}, queue, opened)",
        f"if p{i} < 0 or p{i} % {parameter.alignment}: return False",
    ]
    if parameter.vector is not None:
        flat.append(f"if s{i}.size * {parameter.dtype.itemsize} % {parameter.vector.nbytes}: return False")
    strided = [
        f"v{i} = view{i}(a{i})",
        f"if v{i} is None or covered(v{i}[0], {writable}, queue, opened) < 0: return False",
        f"_, {', '.join([f'p{i}', *ints])} = v{i}",
    ]
    if rank > 1:
        return strided
    if rank:
        flat.append(f"x{i}_0, x{i}_1 = s{i}.size, 1")
    choice = f"if type(a{i}) is Container or type(a{i}) is Storage:"
    return [choice, *_indented(flat), "else:", *_indented(strided)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
