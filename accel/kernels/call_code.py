"""The lines that check the arguments of a call of a kernel in Python, for functions that launch calls like it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from accel import config
from accel.ir import Parameter, Program, View
from accel.kernels.call_signature import Bound
from accel.kernels.captures import ABSENT, Captured
from accel.kernels.frontend.types import ArgumentType, BufferType, ScalarType, StaticType, TensorType
from accel.kernels.launch_code import Code, indented, supports_memory, write_names
from accel.kernels.raw.conversions import fitting
from accel.views import LayoutTensor

__all__ = ["Argument", "Call", "arguments_of", "write_call", "write_value"]


class Call(NamedTuple):
    """A call whose like is to be launched fast.

    Attributes
    ----------
    arguments : tuple
        The arguments, one for each parameter.
    kinds : tuple of ArgumentType
        Their types.
    annotated : tuple of bool
        Which parameters have an annotation, and so take numbers of other types.
    debug : bool or None
        The kernel's own debug mode; None if the settings say.
    bind : callable
        Binds such arguments to the parameters of the kernel.
    """

    arguments: tuple[Any, ...]
    kinds: tuple[ArgumentType, ...]
    annotated: tuple[bool, ...]
    debug: bool | None
    bind: Callable[[tuple[Any, ...]], Bound]


class Argument(NamedTuple):
    """One argument of such a call: its number, itself, its type, its parameter in the program (None for a constant)."""

    i: int
    value: Any
    kind: ArgumentType
    annotated: bool
    parameter: Parameter | None

    @property
    def has_memory(self) -> bool:
        """Whether it is memory."""
        return isinstance(self.kind, BufferType | TensorType)

    @property
    def writes(self) -> bool:
        """Whether the kernel may write it."""
        return isinstance(self.parameter, View) and self.parameter.writable


def arguments_of(program: Program, call: Call) -> Sequence[Argument] | None:
    """Return the arguments of a call; None if one needs the general way."""
    arguments = [*_arguments(program, call)]
    return arguments if all(map(_supported, arguments)) else None


def _arguments(program: Program, call: Call) -> Iterator[Argument]:
    parameters = iter(program.parameters)
    for i, (value, kind, annotated) in enumerate(zip(call.arguments, call.kinds, call.annotated, strict=True)):
        passed = isinstance(kind, ScalarType | BufferType | TensorType)
        yield Argument(i, value, kind, annotated, next(parameters) if passed else None)


def _supported(argument: Argument) -> bool:
    if isinstance(argument.kind, BufferType):
        return type(argument.value) is np.ndarray or supports_memory(argument.value)
    if isinstance(argument.kind, TensorType):
        return type(argument.value) is LayoutTensor and argument.kind.swizzle is None
    return isinstance(argument.kind, ScalarType | StaticType)


def write_call(program: Program, captured: Captured, call: Call, code: Code) -> None:
    """Append the lines that check the number of arguments, debug mode and captured values, and name the arguments."""
    code.scope.update(ABSENT=ABSENT, current=config.current, debugging=config.debugging)
    write_names(len(call.arguments), code)
    if call.debug is None:
        code.lines.append(f"if {'not ' if program.debug else ''}debugging(): return MISSED")
    if program.debug:
        code.lines.append(f"if current().nan_checks is not {config.current().nan_checks}: return MISSED")
    _write_captured(captured, code)


def _write_captured(captured: Captured, code: Code) -> None:
    for i, (values, name, value) in enumerate(captured.names):
        code.scope.update({f"values{i}": values, f"known{i}": value})
        code.lines.append(f"if values{i}.get({name!r}, ABSENT) is not known{i}: return MISSED")
    for i, (cell, value) in enumerate(captured.cells):
        code.scope.update({f"cell{i}": cell, f"held{i}": value})
        code.lines.append(f"if cell{i}.cell_contents is not held{i}: return MISSED")
    if captured.cells:
        first = len(code.lines) - len(captured.cells)
        code.lines[first:] = ["try:", *indented(code.lines[first:]), "except ValueError: return MISSED"]


def write_value(argument: Argument, code: Code) -> list[str]:
    """Append the lines that check a constant, or a number, and make it one of Python's; return what is passed."""
    i, value, kind, annotated, _ = argument
    if isinstance(kind, StaticType):
        code.scope[f"value{i}"] = value
        code.lines.append(f"if a{i} is not value{i}: return MISSED")
        return []
    assert isinstance(kind, ScalarType), "memory has lines of its own"
    ranges = fitting(kind.dtype) if kind.weak or annotated else {}
    if ranges:
        code.lines.extend(_in_range(argument, ranges, code.scope))
        return [f"a{i}"]
    code.scope[f"class{i}"] = type(value)
    code.lines.append(f"if type(a{i}) is not class{i}: return MISSED")
    if type(value) not in {bool, complex}:
        code.lines.append(f"a{i} = a{i}.item()")
    return [f"a{i}"]


def _in_range(argument: Argument, ranges: dict[type, tuple[float, float]], scope: dict[str, Any]) -> list[str]:
    """Return the lines that check the type and the range of a number."""
    i = argument.i
    (first, within), *rest = [(each.__name__, _within(i, each, limits, scope)) for each, limits in ranges.items()]
    lines = [f"if type(a{i}) is not {first}:", "    return MISSED", f"if not {within}: return MISSED"]
    if argument.annotated:
        scope["Number"] = np.generic
        whole = [f"    if type(a{i}) is int and {rest[0][1]}: a{i} = float(a{i})"] if rest else []
        lines[1:2] = [
            f"    if isinstance(a{i}, Number): a{i} = a{i}.item()",
            *whole,
            f"    if type(a{i}) is not {first}: return MISSED",
        ]
    return lines


def _within(i: int, kind: type, limits: tuple[float, float], scope: dict[str, Any]) -> str:
    """Return the condition that a number of a type fits."""
    least, most = f"least{i}_{kind.__name__}", f"most{i}_{kind.__name__}"
    scope |= {least: limits[0], most: limits[1]}
    return f"{least} <= a{i} <= {most}"
