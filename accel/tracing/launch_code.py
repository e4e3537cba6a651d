"""Launches of traced functions: Python that is written for the shapes, dtypes and kernels of one trace.

It checks only what can differ from the arguments of the trace, and on the host it gives arrays to the kernels' machine
code. So a call takes little longer than a launch of its kernels.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from accel import config
from accel.abc import ComputesDirectly
from accel.device import Device
from accel.fusion.launches import HostLaunch, launch_text
from accel.fusion.nodes import Call, Node, Result, Scalar, Viewed
from accel.fusion.regions import Buffer, Memory
from accel.tracing.capture_checks import CaptureCheck
from accel.tracing.generated_text import run
from accel.tracing.launch_checks import Code, Inputs, checked_inputs
from accel.tracing.leaves import Leaves, is_named_tuple
from accel.tracing.numbers import TracedNumber
from accel.tracing.plans import Computation, Plan
from accel.xp.arrays import Array

__all__ = ["Launch", "Launchable", "Output", "Place", "launch_of"]

_LONG = 64
"""Launches of a long text."""

Launch: TypeAlias = Callable[[Sequence[Any], Mapping[str, Any]], Any]


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
    number : int or None
        Otherwise, the number that it is.
    """

    input: int | None
    output: int | None
    views: tuple[Callable[[Any], Any], ...] = ()
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Stands for an output in the structure of what a function returned."""

    place: int


class Launchable(Protocol):
    """What `Traced` is to this module."""

    plan: Plan
    captured: list[Any]
    structure: Any
    outputs: list[Output]
    numbers: tuple[TracedNumber, ...]
    check: CaptureCheck


def launch_of(
    traced: Launchable, leaves: Leaves, passed: Mapping[str, Any], names: tuple[str, ...], count: int
) -> Launch | None:
    """Return a function of positional and named arguments, which returns what the traced function does, or `MISSED`.

    None if the function was traced in debug mode, or refers to arrays of NumPy on a device.

    Parameters
    ----------
    traced : Traced
        What is launched.
    leaves : Leaves
        The arguments of the trace.
    passed : mapping of str to object
        The expressions of the arguments that are passed, by the names of the parameters; others are defaults.
    names : tuple of str
        Those of the named arguments.
    count : int
        The number of positional arguments.
    """
    plan = traced.plan
    if config.current().debug or not all(type(each) is Array for each in traced.captured):
        return None
    code = Code()
    inputs = checked_inputs(plan, leaves, passed, (count, names), traced.captured, traced.check, code)
    code.lines.append("try:")
    lines = [*_numbers(traced, inputs.numbers, code), *_steps(plan, inputs.natives, code)]
    code.lines += [f"    {line}" for line in lines]
    code.lines.append("except (IndexError, MemoryError, OverflowError) as error: raise failure(error) from None")
    code.lines += _results(traced, inputs, code)
    text = "\n".join(["def launch(arguments, keywords):", *[f"    {line}" for line in code.lines]])
    run(text, "launch of a fused function", code.scope)
    launch: Launch = code.scope["launch"]
    return launch


def _numbers(traced: Launchable, passed: Sequence[str], code: Code) -> list[str]:
    if not traced.numbers:
        return ["s = ()"] if traced.plan.library.device is not Device.CPU else []
    evaluate = code.name([each.evaluate for each in traced.numbers])
    return [f"passed = ({''.join(f'{each}, ' for each in passed)})", f"s = [f(passed) for f in {evaluate}]"]


def _steps(plan: Plan, natives: dict[Any, str], code: Code) -> list[str]:
    """Write the launches of kernels, or the steps of a plan of which one is a call; ``r`` names the outputs."""
    arrays = [natives[node] for node in plan.inputs]
    outputs = "".join(f"r{number}, " for number in range(len(plan.outputs)))
    if _runs(plan):
        return [_run(plan, arrays, outputs, code)]
    lines = [*_buffers(plan, natives, code), *_launches(plan, natives, code)]
    lines += [f"{outputs} = {_outputs(plan, natives, code)}"] if outputs else []
    direct = _direct(plan)
    if direct is None or not lines:
        return lines
    queue = f"queue = {code.name(direct.queue)}({', '.join(arrays)})"
    run = f"if queue is None: {_run(plan, arrays, outputs, code)}"
    return [queue, run, "else:", *[f"    {line}" for line in lines]]


def _run(plan: Plan, arrays: Sequence[str], outputs: str, code: Code) -> str:
    call = f"{code.name(plan.run)}(({''.join(f'{each}, ' for each in arrays)}), s)"
    return f"{outputs} = {call}" if outputs else call


def _runs(plan: Plan) -> bool:
    """Tell whether the plan itself does its steps: those with calls on a device, and those that need a context."""
    has_calls = plan.library.device is not Device.CPU and any(isinstance(each, Call) for each in plan.launches)
    return has_calls or (plan.library.within is not None and _direct(plan) is None)


def _direct(plan: Plan) -> ComputesDirectly | None:
    within: Any = plan.library.within
    return within if isinstance(within, ComputesDirectly) else None


def _outputs(plan: Plan, natives: Mapping[Any, str], code: Code) -> str:
    text = ""
    for node in plan.outputs:
        memory = plan.schedule.memory[node]
        text += natives[memory] + ("" if memory.shape == node.shape else f".reshape({code.name(node.shape)})") + ", "
    return text


def _buffers(plan: Plan, natives: dict[Any, str], code: Code) -> list[str]:
    lines = []
    pooled = plan.library.empty_array
    for number, buffer in enumerate(plan.buffers):
        natives[buffer] = f"b{number}"
        shape, dtype = code.name(buffer.shape), code.name(buffer.dtype)
        if plan.library.device is not Device.CPU:
            direct = _direct(plan)
            allocated = f"{code.name(plan.empty)}({code.name(buffer)})"
            if direct is not None:
                allocated = f"{code.name(direct.empty)}({shape}, {dtype}, queue)"
            lines += [f"b{number} = {allocated}", f"a_b{number} = {code.name(plan.library.backend.address)}(b{number})"]
            continue
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


def _launches(plan: Plan, natives: dict[Any, str], code: Code) -> list[str]:
    lines = ["threads = settings.threads"] if plan.library.device is Device.CPU else []
    kernels = [each for each in plan.launches if not isinstance(each, Call)]
    scalars = dict.fromkeys((*plan.scalars, *[each for launch in kernels for each in launch.scalars]))
    names = {scalar: f"k{place}" for place, scalar in enumerate(scalars)}
    for scalar, name in names.items():  # before the first kernel, as a number may not fit
        lines.append(f"{name} = {code.name(scalar.dtype.type)}(s[{scalar.number}]).item()")
    # Names, so that the text is the same for all sizes; in a long text, numbers that Python finds faster.
    number = code.name if len(plan.launches) < _LONG else str
    queue = "None" if plan.library.within is None else "queue"
    kept = {plan.schedule.memory[node] for node in plan.outputs}
    last = {memory: place for place, each in enumerate(plan.launches) for memory in _used(plan, each)}
    for place, each in enumerate(plan.launches):
        if isinstance(each, Call):
            lines += _call(plan, each, natives, code)
        elif isinstance(each, HostLaunch):
            lines.append(launch_text(each, natives, names, code.name(each.launch), number))
        else:
            # Devices have these addresses; on the host kernels rarely need them.
            address = (
                "a_{}" if plan.library.device is not Device.CPU else code.name(plan.library.backend.address) + "({})"
            )
            lines.append(f"{code.name(each.compute)}({_computed(each, natives, names, address, number)}, {queue})")
        unused = [x for x in _used(plan, each) if isinstance(x, Result) and x not in kept and last[x] == place]
        lines += [f"{natives[memory]} = None" for memory in unused]
    return lines


def _used(plan: Plan, launch: HostLaunch | Computation | Call) -> dict[Memory, None]:
    """Return the memory that a launch needs, or makes."""
    if not isinstance(launch, Call):
        return dict.fromkeys(each[0] for each in launch.accesses)
    memory = plan.schedule.memory
    return dict.fromkeys(memory[node] for node in (*launch.operands, *plan.results[launch]))


def _computed(
    kernel: Computation,
    natives: dict[Any, str],
    scalars: Mapping[Scalar, str],
    address: str,
    number: Callable[[int], str],
) -> str:
    """Return the addresses and the numbers of a computation."""
    _, accesses, used, integers = kernel
    addresses = [
        address.format(natives[memory]) + (f" + {number(offset)}, " if offset else ", ") for memory, offset in accesses
    ]
    numbers = [f"{each}, " for each in (*[scalars[each] for each in used], *map(number, integers))]
    return f"({''.join(addresses)}), ({''.join(numbers)})"


def _call(plan: Plan, call: Call, natives: dict[Any, str], code: Code) -> list[str]:
    """Write a call of the library, and what takes the memory of its results."""

    def native(node: Node) -> str:
        memory = plan.schedule.memory[node]
        return natives[memory] + ("" if memory.shape == node.shape else f".reshape({code.name(node.shape)})")

    def argument(value: Any) -> str:
        if isinstance(value, Scalar):
            return f"s[{value.number}]"
        if isinstance(value, Node):
            return native(value)
        if isinstance(value, Viewed):
            text = native(value.node)
            for view in value.views:
                text = f"{code.name(view)}({text})"
            return text
        if type(value) in (tuple, list):
            parts = "".join(f"{argument(each)}, " for each in value)
            return f"({parts})" if type(value) is tuple else f"[{parts}]"
        return code.name(value)

    named = [f"{name}={argument(value)}" for name, value in call.keywords.items()]
    given = ", ".join([*map(argument, call.arguments), *named])
    lines = [f"result = {code.name(plan.function_of(call))}({given})"]
    operands = [*dict.fromkeys(natives[plan.schedule.memory[x]] for x in call.operands)]
    for node in plan.results[call]:
        natives[node] = code.name(None, "m")
        lines.append(f"{natives[node]} = " + ("result" if node.place is None else f"result[{node.place}]"))
        lines += _owned(plan, node, natives[node], operands, code)
    return lines


def _owned(plan: Plan, node: Result, native: str, operands: Sequence[str], code: Code) -> list[str]:
    """Write what gives a result of a call memory of its own: most are new memory, and stay as they are."""
    shape, dtype = code.name(node.shape), code.name(node.dtype)
    new = [f"type({native}) is {code.name(np.ndarray)} and {native}.base is None and {native}.shape == {shape}"]
    new += [f"{native}.dtype is {dtype} and {native}.flags.carray", *[f"{native} is not {each}" for each in operands]]
    own = f"{code.name(plan.own)}({native}, {code.name(node)}, ({''.join(f'{each}, ' for each in operands)}))"
    line = f"if not ({' and '.join(new)}): {native} = {own}"
    if node.shape:
        return [line]
    scalar = f"if type({native}) is {code.name(node.dtype.type)}: {native} = {code.name(np.asarray)}({native})"
    return [scalar, f"el{line}"]


def _results(traced: Launchable, inputs: Inputs, code: Code) -> list[str]:
    """Write what wraps the outputs, and what returns them in their structure."""
    plan, lines = traced.plan, []
    for number in range(len(plan.outputs)):
        lines += [f"o{number} = Array()", f"o{number}._native = r{number}"]
        lines += [f"o{number}._library = library", f"o{number}._shared = None"]

    def result(place: int) -> str:
        output = traced.outputs[place]
        if output.number is not None:
            return f"s[{output.number}]"
        text = f"o{output.output}" if output.input is None else inputs.arrays[output.input]
        for view in output.views:
            text = f"{code.name(view)}({text})"
        return text

    return [*lines, f"return {_structured(traced.structure, result, code)}"]


def _structured(value: Any, result: Callable[[int], str], code: Code) -> str:
    if isinstance(value, Place):
        return result(value.place)
    kind = type(value)
    if kind is dict:
        return "{" + ", ".join(f"{code.name(k)}: {_structured(v, result, code)}" for k, v in value.items()) + "}"
    if kind in (tuple, list) or is_named_tuple(value):
        parts = "".join(f"{_structured(each, result, code)}, " for each in value)
        if kind is list:
            return f"[{parts}]"
        return f"({parts})" if kind is tuple else f"{code.name(kind)}({parts})"
    return code.name(value)
