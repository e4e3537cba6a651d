"""Launches of traced functions on the host: Python that is written for the shapes, dtypes and kernels of one trace.

It checks only what can differ from the arguments of the trace, and gives arrays to the kernels' machine code. So a call
takes little longer than a launch of its kernels.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from accel import config
from accel.containers import AcceleratorDataContainer
from accel.fusion.nodes import Scalar
from accel.fusion.regions import Buffer
from accel.tracing.plans import HostLaunch, Plan
from accel.xp.array_base import live
from accel.xp.array_library import recorder
from accel.xp.array_storage import may_overlap
from accel.xp.arrays import Array
from accel.xp.refusals import failure

__all__ = ["MISSED", "Output", "Place", "launcher"]

MISSED = object()
"""What a launcher returns if it is not for these arguments; nothing was done."""

_NUMBERS = frozenset({bool, int, float, complex})
_WITH_LEAVES = (tuple, list, dict, np.ndarray, np.generic, AcceleratorDataContainer)
"""Arguments that are converted, or that have arrays within."""


class Output(NamedTuple):
    """How a result of a traced function is made.

    Attributes
    ----------
    input : int or None
        The input that it is, or that it is a view of.
    output : int or None
        Otherwise, the output of the plan.
    views : tuple of callable
        What makes it of that, in order.
    """

    input: int | None
    output: int | None
    views: tuple[Callable[[Any], Any], ...]


class Place(NamedTuple):
    """Stands for an output in the structure of what a function returned."""

    place: int


class _Code:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {
            "Array": Array,
            "MISSED": MISSED,
            "current": config.current,
            "empty": np.empty,
            "failure": failure,
            "live": live,
            "may_overlap": may_overlap,
            "ndarray": np.ndarray,
            "recorder": recorder,
        }

    def name(self, value: Any, prefix: str = "c") -> str:
        """Return a name for a value."""
        name = f"{prefix}{len(self.scope)}"
        self.scope[name] = value
        return name


def launcher(
    plan: Plan,
    arguments: Sequence[Any],
    given: int,
    static: Sequence[bool],
    captured: Sequence[Any],
    structure: Any,
    outputs: Sequence[Output],
    numbers: Sequence[Any],
) -> Callable[[Sequence[Any]], Any] | None:
    """Return a function of the positional arguments, which returns what the traced function does, or `MISSED`.

    None if the plan is not one of kernels on the host, or if an argument has arrays within, or is passed twice.

    Parameters
    ----------
    plan : Plan
        What is launched.
    arguments : sequence
        One for each parameter: the first ``given`` are passed in a call, and the others are defaults.
    static : sequence of bool
        Which of them are values of the trace.
    captured : sequence of Array
        The arrays that the function refers to.
    structure, outputs
        What it returns.
    numbers : sequence of TracedNumber
        Computed from the numbers among the arguments.
    """
    launches = plan.host_launches
    if launches is None or any(isinstance(each, _WITH_LEAVES) for each in arguments):
        return None
    if len({id(each) for each in arguments if type(each) is Array}) < sum(type(each) is Array for each in arguments):
        return None
    code = _Code()
    code.scope["library"] = plan.library
    natives = _check(plan, arguments, given, static, code)
    _capture(plan, captured, natives, code)
    passed = [
        f"a{place}"
        for place, (value, fixed) in enumerate(zip(arguments, static, strict=True))
        if type(value) in _NUMBERS and not fixed
    ]
    code.lines.append("try:")
    lines = [*_buffers(plan, natives, code), *_kernels(launches, natives, numbers, plan.scalars, passed, code)]
    code.lines += [f"    {line}" for line in lines]
    code.lines.append("except MemoryError as error: raise failure(error) from None")
    code.lines += _results(plan, structure, outputs, natives, code)
    text = "\n".join(["def launch(arguments):", *[f"    {line}" for line in code.lines]])
    # It consists of numbers and of names that are made here.
    exec(compile(text, "<accel: launch of a fused function>", "exec"), code.scope)  # noqa: S102
    launch: Callable[[Sequence[Any]], Any] = code.scope["launch"]
    return launch


def _check(plan: Plan, arguments: Sequence[Any], given: int, static: Sequence[bool], code: _Code) -> dict[Any, str]:
    """Write the checks of the arguments; return the names of the natives of the inputs that are arguments."""
    natives: dict[Any, str] = {}
    code.lines += [
        f"if len(arguments) != {given}: return MISSED",
        *([f"{''.join(f'a{place}, ' for place in range(given))} = arguments"] if given else []),
        *[f"a{place} = {code.name(arguments[place])}" for place in range(given, len(arguments))],
        "settings = current()",
        "if settings.fuse == 'off' or settings.debug or recorder() is not None: return MISSED",
    ]
    for place, value in enumerate(arguments):
        if type(value) is Array:
            number = len(natives)
            natives[plan.inputs[number]] = f"n{place}"
            code.lines += _array(value, place, code, written=number in plan.written)
        elif type(value) in _NUMBERS and not static[place]:
            code.lines.append(f"if type(a{place}) is not {type(value).__name__}: return MISSED")
        else:
            code.lines.append(f"if a{place} is not {code.name(value)}: return MISSED")
    arrays = [place for place, value in enumerate(arguments) if type(value) is Array]
    for written in plan.written:
        if written < len(arrays):
            others = [place for place in arrays if place != arrays[written]]
            code.lines += [f"if may_overlap(library, n{arrays[written]}, n{other}): return MISSED" for other in others]
    return natives


def _array(value: Any, place: int, code: _Code, *, written: bool) -> list[str]:
    native = value._native
    shape, strides, dtype = code.name(native.shape), code.name(native.strides), code.name(native.dtype)
    readonly = f" or not n{place}.flags.writeable" if written else ""
    form = f"n{place}.shape != {shape} or n{place}.strides != {strides} or n{place}.dtype is not {dtype}"
    return [
        f"if type(a{place}) is not Array or a{place}._library is not library: return MISSED",
        f"n{place} = a{place}._native",
        f"if type(n{place}) is not ndarray or {form}{readonly}: return MISSED",
        f"if a{place}._shared is not None and a{place}._shared.handle is not None: live(a{place}, writing={written})",
    ]


def _capture(plan: Plan, captured: Sequence[Any], natives: dict[Any, str], code: _Code) -> None:
    """Write what finds the natives of the arrays that the function refers to."""
    for array, node in zip(captured, plan.inputs[len(natives) :], strict=True):
        name = code.name(array)
        natives[node] = f"n_{name}"
        code.lines.append(f"n_{name} = live({name}, writing={node.number in plan.written})")


def _buffers(plan: Plan, natives: dict[Any, str], code: _Code) -> list[str]:
    lines = []
    pooled = plan.library.empty_array
    for number, buffer in enumerate(plan.buffers):
        natives[buffer] = f"b{number}"
        shape, dtype = code.name(buffer.shape), code.name(buffer.dtype)
        lines.append(f"b{number} = empty({shape}, {dtype})")
        if pooled is not None and _nbytes(buffer) >= plan.library.large:
            code.scope["pooled"] = pooled
            lines[-1] = f"b{number} = pooled({shape}, {dtype}, 'C')"
            lines.append(f"if b{number} is None: b{number} = empty({shape}, {dtype})")
    return lines


def _nbytes(buffer: Buffer) -> int:
    nbytes: int = buffer.dtype.itemsize
    for extent in buffer.shape:
        nbytes *= extent
    return nbytes


def _kernels(
    launches: Sequence[HostLaunch],
    natives: dict[Any, str],
    numbers: Sequence[Any],
    scalars: Sequence[Scalar],
    passed: Sequence[str],
    code: _Code,
) -> list[str]:
    lines = ["threads = settings.threads"]
    if numbers:
        evaluate = code.name([each.evaluate for each in numbers])
        lines.append(f"passed = {', '.join(passed)},; s = [f(passed) for f in {evaluate}]")
    scalars = [*dict.fromkeys((*scalars, *[each for launch in launches for each in launch.scalars]))]
    for place, each in enumerate(scalars):  # before the first kernel, as a number may not fit
        lines.append(f"k{place} = {code.name(each.dtype.type)}(s[{each.number}]).item()")
    for launch, accesses, used, integers in launches:
        arguments = []
        for memory, offset, geometry in accesses:
            arguments += [natives[memory], str(offset), *map(str, geometry)]
        arguments += [f"k{scalars.index(each)}" for each in used]
        given = ", ".join([*arguments, *map(str, integers)])
        name = code.name(launch)
        # The first may be refused because the kernel takes long: then other threads of Python run meanwhile.
        lines.append(f"if not {name}(True, threads, {given}): {name}(False, threads, {given})")
    return lines


def _results(plan: Plan, structure: Any, outputs: Sequence[Output], natives: dict[Any, str], code: _Code) -> list[str]:
    """Write what wraps the outputs, and what returns them in their structure."""
    lines = []
    for number, node in enumerate(plan.outputs):
        memory = plan.schedule.memory[node]
        shaped = "" if memory.shape == node.shape else f".reshape({code.name(node.shape)})"
        lines += [
            f"r{number} = Array()",
            f"r{number}._native = {natives[memory]}{shaped}",
            f"r{number}._library = library",
            f"r{number}._shared = None",
        ]

    def result(output: Output) -> str:
        text = f"r{output.output}" if output.input is None else _name_of_array(natives[plan.inputs[output.input]])
        for view in output.views:
            text = f"{code.name(view)}({text})"
        return text

    return [*lines, f"return {_structured(structure, lambda place: result(outputs[place]), code)}"]


def _name_of_array(native: str) -> str:
    """Return the name of an input from that of its native."""
    return native[2:] if native.startswith("n_") else f"a{native[1:]}"


def _structured(value: Any, result: Callable[[int], str], code: _Code) -> str:
    if isinstance(value, Place):
        return result(value.place)
    kind = type(value)
    if kind is dict:
        return "{" + ", ".join(f"{code.name(k)}: {_structured(v, result, code)}" for k, v in value.items()) + "}"
    if kind in (tuple, list) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        parts = "".join(f"{_structured(each, result, code)}, " for each in value)
        if kind is list:
            return f"[{parts}]"
        return f"({parts})" if kind is tuple else f"{code.name(kind)}({parts})"
    return code.name(value)
