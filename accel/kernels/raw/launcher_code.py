"""The code of a launcher: a function that is written for the memory of one call of a kernel, and compiled by Python.

It checks and packs the arguments in straight-line code: a loop over the parameters would cost more than the launch.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from accel.kernels.gate_code import Gated, write_gate
from accel.kernels.launch_code import Code, memory_form, nbytes_of, supports_memory, write_memory, write_names
from accel.kernels.raw.conversions import conversion, fitting
from accel.kernels.raw.parameters import Parameter
from accel.memory.heap import Heap

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


def packing(parameters: Sequence[Parameter]) -> tuple[struct.Struct, list[int]]:
    """Return how the arguments are packed, and the offset of each."""
    text, offsets = "=", []
    for parameter in parameters:
        kind = _format(parameter) if parameter.rank is None else "Q" + 2 * parameter.rank * "q"
        offsets.append(struct.calcsize(text))
        text += f"{kind}{-struct.calcsize('=' + kind) % _ALIGNED}x"
    return struct.Struct(text), offsets


def _format(parameter: Parameter) -> str:
    """Return how a number is packed: as bytes, if `struct` has no code for its dtype."""
    return _FORMATS.get(parameter.dtype.str[1:], f"{parameter.dtype.itemsize}s")


def launch_function(
    name: str,
    heap: Heap,
    parameters: Sequence[Parameter],
    arguments: Sequence[Any],
    pack: Callable[..., object],
    prepare: Callable[..., tuple[Any, ...] | None],
) -> Callable[..., Any] | None:
    """Return the function that launches a kernel with memory of the classes of these arguments; None if it cannot.

    It takes the arguments as a tuple, what the launch is configured by (``grid``, ``over``, ``block`` and ``shared``),
    and the stream or None. It returns an event after the kernel, or `MISSED`: the general way launches the kernel, or
    says what is wrong.

    Parameters
    ----------
    name : str
        That of the kernel.
    heap : Heap
        The memory of the device.
    parameters : sequence of Parameter
        The parameters of the kernel.
    arguments : sequence
        The arguments of a call.
    pack : callable
        Packs the values of the arguments into their memory.
    prepare : callable
        Returns for a configuration and arguments what starts the kernel, and the extents and strides of each
        ``accel::View`` among them; None if the general way has to do it.
    """
    starts: dict[Any, tuple[Any, ...]] = {}
    code = Code([], {"pack": pack, "prepare": prepare, "starts": starts})
    memory, values, form = list[Gated](), list[str](), list[str]()
    write_names(len(parameters), code)
    for i, (parameter, argument) in enumerate(zip(parameters, arguments, strict=True)):
        if parameter.rank is None:
            values.append(_write_number(i, parameter, code))
        elif supports_memory(argument):
            memory.append(_write_memory(i, parameter, argument, code, form))
            values += [f"p{i}", f"*x{i}"] if parameter.rank else [f"p{i}"]
        else:
            return None
    if not memory:  # the arguments do not say which device it is for
        return None
    forms = "".join(f", x{i}" for i, parameter in enumerate(parameters) if parameter.rank)
    code.lines.extend(
        [
            f"form = configuration{''.join(f', {each}' for each in form)}",
            f"try: start{forms or ','} = starts[form]",
            "except (KeyError, TypeError):",  # a list has no hash
            "    made = prepare(starts, form, configuration, arguments)",
            "    if made is None: return MISSED",
            f"    start{forms or ','} = made",
        ]
    )
    write_gate(heap, memory, [f"pack({', '.join(values)})"], "start(queue)", code)
    return code.function(name, "arguments, configuration, stream")


def _write_number(i: int, parameter: Parameter, code: Code) -> str:
    """Append the lines that convert a number; return the expression of what is packed."""
    dtype = parameter.dtype
    packed = dtype.str[1:] in _FORMATS
    kind, (least, most) = next(iter(fitting(dtype).items()), (dtype.type, (0, 0)))
    code.scope.update({f"kind{i}": kind, f"least{i}": least, f"most{i}": most, f"convert{i}": conversion(parameter)})
    unlike = f"type(a{i}) is not kind{i} or not least{i} <= a{i} <= most{i}"
    code.lines.extend(
        [
            f"if {unlike}:" if packed and fitting(dtype) else "if True:",
            f"    try: a{i} = convert{i}(a{i}, None)",
            "    except Exception: return MISSED",
        ]
    )
    return f"a{i}" if packed else f"a{i}.tobytes()"


def _write_memory(i: int, parameter: Parameter, argument: Any, code: Code, form: list[str]) -> Gated:
    """Append the lines that check memory, and what a launch depends on."""
    dtype = argument.dtype
    distance = write_memory(i, argument, dtype, code, writes=parameter.writable)
    if parameter.rank or parameter.vector is not None or distance != "0":
        form += memory_form(i, argument)
    return Gated(i, parameter.writable, nbytes_of(i, argument), distance, parameter.alignment)
