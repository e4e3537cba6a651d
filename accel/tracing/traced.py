"""`Traced`: a function as it was traced for arguments of certain shapes and dtypes."""

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from accel import config
from accel.device import Device
from accel.errors import DeviceMismatchError, FuseError
from accel.tracing.capture_checks import CaptureCheck
from accel.tracing.captures import Captures, items_of
from accel.tracing.launch_code import Launch, Output, Place
from accel.tracing.leaves import NUMBERS, Leaves, mapped, role_of
from accel.tracing.library import TracingLibrary
from accel.tracing.nan_origins import NanOrigins
from accel.tracing.numbers import TracedNumber
from accel.tracing.plans import Plan
from accel.tracing.result_nodes import with_own_memory
from accel.tracing.selections import Selection
from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace
from accel.xp.array_base import in_memory, is_number, live
from accel.xp.array_library import library_on
from accel.xp.array_storage import may_overlap
from accel.xp.arrays import Array, wrap
from accel.xp.creation import asarray
from accel.xp.recording import recorded

__all__ = ["Traced", "library_of"]

_CONSTANTS = (type(None), *NUMBERS, str, bytes, np.generic, np.ndarray, np.dtype, Device, Enum, type, slice, range)
"""Results that are no arrays of a trace, and have none."""


class Traced:
    """A function as it was traced.

    Parameters
    ----------
    function : callable
        The function.
    bound : BoundArguments
        Its arguments, with defaults.
    leaves : Leaves
        Their parts.
    static : set of str
        The names of those that are values.
    name : str
        That of the kernels.

    Attributes
    ----------
    plan : Plan
        What is computed.
    nan_origins : NanOrigins or None
        Finds the line that makes a NaN, if that is checked.
    captured : list of Array
        The arrays that the function refers to; on devices NumPy's as they are.
    structure : object
        What it returns, with a `Place` for each array.
    outputs : list of Output
        These arrays.
    numbers : tuple of TracedNumber
        Computed from the numbers among the arguments.
    check : CaptureCheck
        Tells whether all else that the function reads is as it was.
    launches : dict
        Launches, by the number of positional arguments, the names of the others, and the classes of arrays; None where
        there can be none.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        bound: inspect.BoundArguments,
        leaves: Leaves,
        static: frozenset[str],
        name: str,
    ) -> None:
        captures = Captures(function, [each.value for each in leaves.parts if each.role == "constant"])
        trace = Trace(library_of(leaves.arrays, name))
        library = TracingLibrary(trace)
        arguments, groups = _arguments(trace, library, bound, leaves, static)
        try:
            returned = recorded(library, function, *arguments.args, **arguments.kwargs)
        finally:
            kept = captures.put_back(trace)
        if kept:
            raise FuseError(
                f"{name} binds {', '.join(kept)} to an array of its trace, which has no elements; return that array"
            )
        if any([*map(id, items_of(group))] != [*map(id, items)] for group, items in groups):
            raise FuseError(f"{name} changes a list or dict among its arguments; return what is new in it")
        symbols: list[Symbol] = []
        self.structure: Any
        self.outputs: list[Output]
        nodes, self.structure, self.outputs = _results(trace, returned, name, symbols)
        settings = config.current()
        self.plan: Plan = Plan(trace, nodes, name, debug=settings.debug)
        checked = settings.debug and settings.nan_checks
        self.nan_origins: NanOrigins | None = (
            NanOrigins(trace, [each.node for each in symbols], name) if checked else None
        )
        self.captured: list[Any] = trace.existing.captured
        self.numbers: tuple[TracedNumber, ...] = tuple(trace.numbers)
        self.check: CaptureCheck = CaptureCheck(captures, self.captured, trace.existing.masks)
        trace.finished = True
        self.launches: dict[tuple[Any, ...], Launch | None] = {}

    def inputs(self, leaves: Leaves) -> list[Array]:
        """Return the arrays of a call: its arguments, and those that the function refers to."""
        device = self.plan.library.device
        captured = [each if isinstance(each, Array) else asarray(each, device=device) for each in self.captured]
        return [*leaves.arrays, *captured]

    def overlap(self, inputs: Sequence[Array]) -> bool:
        """Tell whether an array that is written shares memory with another one."""
        return any(
            may_overlap(each._library, inputs[number]._native, each._native)
            for number in self.plan.written
            for index, each in enumerate(inputs)
            if index != number
        )

    def run(self, inputs: Sequence[Array], passed: Sequence[Any]) -> Any:
        """Compute for the arrays and numbers of a call, and return what the function returns."""
        natives = [live(each, writing=index in self.plan.written) for index, each in enumerate(inputs)]
        numbers = [each.evaluate(passed) for each in self.numbers]
        if self.nan_origins is not None:
            self.nan_origins.check(natives, numbers)
        found = self.plan.run(natives, numbers)
        arrays = [wrap(self.plan.library, each) for each in found]

        def result(value: Any) -> Any:
            if not isinstance(value, Place):
                return value
            output = self.outputs[value.place]
            if output.number is not None:
                return numbers[output.number]
            array = inputs[output.input] if output.input is not None else arrays[output.output]  # type: ignore[index]
            for view in output.views:
                array = view(array)
            return array

        return mapped(self.structure, result)


def library_of(arrays: Sequence[Array], name: str) -> Any:
    """Return the library of the device that arrays are on."""
    libraries = {each._library for each in arrays}
    if len({each._library for each in arrays if not is_number(each)}) == 1 < len(libraries):
        raise FuseError(
            f"{name} has a number of the host among arrays of a device; pass it as x.item(), or write fallback='eager'"
        )
    if len(libraries) > 1:
        devices = " and ".join(str(each.device) for each in libraries)
        raise DeviceMismatchError(f"{name} has arrays on {devices}; move them to one device, as in x.to_device(device)")
    return libraries.pop() if libraries else library_on(None)


def _arguments(
    trace: Trace, library: TracingLibrary, bound: inspect.BoundArguments, leaves: Leaves, static: frozenset[str]
) -> tuple[inspect.BoundArguments, list[tuple[Any, list[Any]]]]:
    """Return the arguments with arrays and numbers of the trace in the place of those of the call.

    Also return the lists and dicts among them, and what is in these.
    """
    symbols = []
    for array, name in zip(leaves.arrays, leaves.names, strict=True):
        native = in_memory(array)
        symbols.append(trace.argument(native, name, readonly=trace.real.backend.is_readonly(native)))
    places, numbers = iter(leaves.places), iter(enumerate(leaves.numbers))

    def argument(value: Any) -> Any:
        role = role_of(value)
        if role == "number":
            index, number = next(numbers)
            return TracedNumber(lambda passed: passed[index], number)
        return library.array(symbols[next(places)]) if role == "array" else value

    groups: list[Any] = []
    arguments = {
        name: value if name in static else mapped(value, argument, groups) for name, value in bound.arguments.items()
    }
    return inspect.BoundArguments(bound.signature, arguments), [(each, items_of(each)) for each in groups]


def _symbol_of(trace: Trace, result: Array) -> Symbol:
    symbol = result._native
    if isinstance(symbol, Selection):
        symbol.refuse()
    if not isinstance(symbol, Symbol):
        return trace.existing.capture(result)
    if symbol.tracer is not trace:
        raise symbol.tracer.needs_value("it as a result")
    return symbol


def _results(trace: Trace, returned: Any, name: str, symbols: list[Symbol]) -> tuple[list[Any], Any, list[Output]]:
    """Return the nodes of the arrays that a function returned, their structure, and how each array is made.

    The symbols of the arrays are added to a list: an array may be a part of its node.
    """
    outputs: list[Output] = []
    nodes: list[Any] = []
    taken: set[Any] = set()
    bases: dict[int, int] = {}

    def output(value: Any) -> Any:
        if isinstance(value, TracedNumber):
            trace.numbers.append(value)
            outputs.append(Output(None, None, number=len(trace.numbers) - 1))
            return Place(len(outputs) - 1)
        if not isinstance(value, Array) and not isinstance(value, _CONSTANTS):
            raise FuseError(
                f"{name} returns an object of {type(value).__name__}; return arrays, numbers, or tuples, lists and "
                f"dicts of these"
            )
        if not isinstance(value, Array) or value._library.device is not trace.real.device:
            return value
        symbol = _symbol_of(trace, value)
        symbols.append(symbol)
        views: list[Any] = []
        while symbol.parent is not None:
            symbol, view = symbol.parent
            views.append(view)
        base = symbol.base
        if base.source is not None:
            outputs.append(Output(base.source.number, None, tuple(views[::-1])))
        else:
            if id(base) not in bases:
                bases[id(base)] = len(nodes)
                nodes.append(with_own_memory(base.node, taken))
            outputs.append(Output(None, bases[id(base)], tuple(views[::-1])))
        return Place(len(outputs) - 1)

    return nodes, mapped(returned, output), outputs
