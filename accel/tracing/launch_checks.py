"""Checks of the arguments of a launch, as text of Python: whether they are such as those of the trace."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from accel import config
from accel.containers import AcceleratorDataContainer
from accel.device import Device
from accel.fusion.regions import Memory
from accel.tracing.capture_checks import CaptureCheck, same
from accel.tracing.leaves import Leaves, Part
from accel.tracing.plans import Plan
from accel.xp.array_base import live
from accel.xp.array_library import ArrayLibrary, recorder
from accel.xp.array_storage import known_storage, may_overlap, reach
from accel.xp.arrays import Array
from accel.xp.creation import asarray
from accel.xp.refusals import failure

__all__ = ["MISSED", "Code", "Inputs", "checked_inputs"]

MISSED = object()
"""What a launch returns if it is not for these arguments; nothing was done."""


class Code:
    """The text of a launch, and the values of the names in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {
            "Array": Array,
            "MISSED": MISSED,
            "asarray": asarray,
            "current": config.current,
            "empty": np.empty,
            "failure": failure,
            "known_storage": known_storage,
            "live": live,
            "may_overlap": may_overlap,
            "recorder": recorder.get,
            "same": same,
        }

    def name(self, value: Any, prefix: str = "c") -> str:
        """Return a name for a value."""
        name = f"{prefix}{len(self.scope)}"
        self.scope[name] = value
        return name


class Inputs:
    """The names of the inputs of a plan in the text.

    Attributes
    ----------
    natives : dict
        Of the library's arrays, by memory. With ``a_`` before it, such a name is that of the array's address on a
        device.
    forms : dict
        By the names of the library's arrays, those of the trace, if arrays of other forms are not accepted.
    arrays : list of str
        Expressions for the arrays of `accel.xp`, by the number of the input.
    numbers : list of str
        Of the numbers among the arguments.
    """

    def __init__(self) -> None:
        self.natives: dict[Any, str] = {}
        self.forms: dict[str, Any] = {}
        self.arrays: list[str] = []
        self.numbers: list[str] = []

    def add(self, memory: Memory, name: str, form: Any) -> None:
        """Note the name of an array that has the form of another."""
        self.natives[memory], self.forms[name] = name, form


def checked_inputs(
    plan: Plan,
    leaves: Leaves,
    passed: Mapping[str, Any],
    form: tuple[int, tuple[str, ...]],
    captured: list[Any],
    check: CaptureCheck,
    code: Code,
) -> Inputs:
    """Write the checks of a call; return the names of the inputs of the plan.

    Parameters
    ----------
    plan : Plan
        What is launched.
    leaves : Leaves
        The arguments of the trace.
    passed : mapping of str to object
        The expressions of the arguments that are passed, by the names of the parameters; others are defaults.
    form : (int, tuple of str)
        The number of positional arguments, and the names of the others.
    captured : list of Array
        The arrays that the function refers to.
    check : CaptureCheck
        Tells whether all else that the function reads is as it was.
    code : Code
        The text.
    """
    inputs = Inputs()
    code.scope |= {"library": plan.library, "native_type": plan.library.array_type}
    code.lines += _condition(*form, code)
    _check(plan, leaves, passed, inputs, code)
    if check.unchanged is not None:
        code.lines.append(f"if not {code.name(check.unchanged)}(): return MISSED")
    _capture(plan, captured, inputs, code)
    if plan.library.device is not Device.CPU:
        address = code.name(plan.library.backend.address)
        code.lines += [f"a_{name} = {address}({name})" for name in inputs.natives.values()]
    code.lines += _overlaps(plan, inputs, code)
    return inputs


def _condition(count: int, names: tuple[str, ...], code: Code) -> list[str]:
    """Write the checks of the settings, and of the number of arguments."""
    device = code.name(config.current().device)
    return [
        f"if len(arguments) != {count}: return MISSED",
        f"if tuple(keywords) != {code.name(names)}: return MISSED" if names else "if keywords: return MISSED",
        "settings = current()",
        f"if settings.fuse == 'off' or settings.debug or settings.device != {device}: return MISSED",
        "if recorder() is not None: return MISSED",
    ]


def _check(plan: Plan, leaves: Leaves, passed: Mapping[str, Any], inputs: Inputs, code: Code) -> None:
    """Write the checks of the arguments."""
    places = iter(leaves.places)
    for number, part in enumerate(leaves.parts):
        name, kind, lines = f"p{number}", type(part.value), code.lines
        if part.parent is None:
            lines.append(f"{name} = {_expression(passed.get(part.name, part), code)}")
        if part.role == "group":
            extent = (
                f"tuple({name}) != {code.name((*part.value,))}" if kind is dict else f"len({name}) != {len(part.value)}"
            )
            lines.append(f"if type({name}) is not {code.name(kind)} or {extent}: return MISSED")
            names = [f"p{place}, " for place, each in enumerate(leaves.parts) if each.parent == number]
            lines += [f"{''.join(names)} = {name}{'.values()' if kind is dict else ''}"] if names else []
        elif part.role == "number":
            lines.append(f"if type({name}) is not {code.name(kind)}: return MISSED")
            inputs.numbers.append(name)
        elif part.role == "constant":
            known = code.name(part.value)
            lines.append(f"if {name} is not {known} and not same({name}, {known}): return MISSED")
        else:
            place = next(places)
            if kind is np.ndarray is plan.library.of_numpy:
                lines += _of_numpy(plan, part.value, name, code, written=place in plan.written)
                inputs.arrays.append(f"asarray({name})")
                inputs.add(plan.inputs[place], f"n_{name}", part.value)
                continue
            if kind is AcceleratorDataContainer and leaves.arrays[place].size:
                lines += _of_container(plan, leaves.arrays[place], name, code, written=place in plan.written)
                inputs.arrays.append(f"asarray({name})")
                inputs.add(plan.inputs[place], f"n_{name}", live(leaves.arrays[place]))
                continue
            if kind is not Array:
                lines += [f"if type({name}) is not {code.name(kind)}: return MISSED", f"{name} = asarray({name})"]
            if place < len(inputs.arrays):
                lines.append(f"if {name} is not {inputs.arrays[place]}: return MISSED")
                continue
            lines += _array(plan, leaves.arrays[place], name, code, written=place in plan.written)
            inputs.arrays.append(name)
            inputs.add(plan.inputs[place], f"n_{name}", live(leaves.arrays[place]))


def _expression(value: Any, code: Code) -> str:
    """Return the text of what is passed for a parameter, or the name of its default."""
    if isinstance(value, Part):
        return code.name(value.value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{code.name(name)}: {each}" for name, each in value.items()) + "}"
    return f"({''.join(f'{each}, ' for each in value)})" if isinstance(value, tuple) else value


def _array(plan: Plan, array: Array, name: str, code: Code, *, written: bool) -> list[str]:
    native = live(array)
    settled = f"live({name}, writing={written})"
    return [
        f"if type({name}) is not Array or {name}._library is not library: return MISSED",
        f"n_{name} = {name}._native" if native.ndim else f"n_{name} = {settled}",  # which may be a number of NumPy
        f"if type(n_{name}) is not native_type or {_form(plan, native, name, code, written=written)}: return MISSED",
        f"if {name}._shared is not None and {name}._shared.handle is not None: {settled}",
    ]


def _of_numpy(plan: Plan, native: Any, name: str, code: Code, *, written: bool) -> list[str]:
    form = _form(plan, native, name, code, written=written)
    return [
        f"n_{name} = {name}",
        f"if type(n_{name}) is not native_type or {form}: return MISSED",
        f"if (handle := known_storage(library, n_{name})) is not None: handle.settle(writing={written})",
    ]


def _of_container(plan: Plan, array: Array, name: str, code: Code, *, written: bool) -> list[str]:
    kind, device = code.name(AcceleratorDataContainer), code.name(plan.library.device)
    form = _form(plan, live(array), name, code, written=written)
    return [
        f"if type({name}) is not {kind} or {name}._storage is None: return MISSED",
        f"if {name}._storage.device is not {device}: return MISSED",
        f"n_{name} = {name}._storage.lend_native()",
        f"if {form}: return MISSED",
        f"{name}._storage.settle(writing={written})",
    ]


def _form(plan: Plan, native: Any, name: str, code: Code, *, written: bool) -> str:
    shape, strides, dtype = code.name(native.shape), code.name(native.strides), code.name(native.dtype)
    form = f"n_{name}.shape != {shape} or n_{name}.strides != {strides} or n_{name}.dtype is not {dtype}"
    return f"{form} or {code.name(plan.library.backend.is_readonly)}(n_{name})" if written else form


def _capture(plan: Plan, captured: list[Any], inputs: Inputs, code: Code) -> None:
    """Write what finds the natives of the arrays that the function refers to."""
    arrays = code.name(captured)
    for place, node in enumerate(plan.inputs[len(inputs.arrays) :]):
        name = f"{arrays}_{place}"
        inputs.arrays.append(name)
        inputs.natives[node] = f"n_{name}"
        code.lines.append(f"{name} = {arrays}[{place}]")
        code.lines.append(f"n_{name} = live({name}, writing={node.number in plan.written})")


def _overlaps(plan: Plan, inputs: Inputs, code: Code) -> list[str]:
    names = [inputs.natives[node] for node in plan.inputs]
    return [
        f"if {_overlap(plan.library, inputs, names[written], other, code)}: return MISSED"
        for written in plan.written
        for number, other in enumerate(names)
        if number != written
    ]


def _overlap(library: ArrayLibrary, inputs: Inputs, one: str, other: str, code: Code) -> str:
    """Return the text of a condition that may be false only if two arrays have no byte in common."""
    if library.device is Device.CPU or not {one, other} <= inputs.forms.keys():
        return f"may_overlap(library, {one}, {other})"
    (low, nbytes), (first, more) = (reach(inputs.forms[each]) for each in (one, other))
    return f"{code.name(low - first - more)} < a_{other} - a_{one} < {code.name(low - first + nbytes)}"
