"""`run_in_parts`: calls a function that needs elements, and fuses what it computes between these places."""

import inspect
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from weakref import ref

from accel import config
from accel.tracing.leaves import mapped, role_of
from accel.tracing.library import TracingLibrary
from accel.tracing.part_functions import PartFunctions
from accel.tracing.part_traces import PartTrace, Plans
from accel.tracing.symbols import Symbol
from accel.tracing.traced import library_of
from accel.xp.array_base import ArrayBase
from accel.xp.arrays import Array
from accel.xp.creation import asarray
from accel.xp.recording import recorded

__all__ = ["run_in_parts"]

_SMALLEST = 1 << 14
"""Elements of the largest argument. Below, an operation takes less time than to record it."""


def run_in_parts(
    function: Callable[..., Any], bound: inspect.BoundArguments, passed: Sequence[Array], name: str, plans: Plans
) -> Any:
    """Call a function; what it computes runs as few kernels, up to each place that needs elements.

    If all arrays are small, the function runs unfused, outside of debug mode.

    Parameters
    ----------
    function : callable
        The function.
    bound : BoundArguments
        Its arguments.
    passed : sequence of Array
        The arrays among these.
    name : str
        That of the kernels.
    plans : Plans
        Those of earlier calls; new ones are added.
    """
    values = {each: _of_arrays(value) for each, value in bound.arguments.items()}
    arguments = inspect.BoundArguments(bound.signature, values)
    if 0 < max([array.size for array in passed], default=0) < _SMALLEST and not config.current().debug:
        return function(*arguments.args, **arguments.kwargs)
    trace = PartTrace(library_of(passed, name), plans, name)
    records = TracingLibrary(trace, PartFunctions)
    arrays: list[ref[ArrayBase]] = []
    records.note = lambda x: arrays.append(ref(x))
    try:
        returned = recorded(records, function, *arguments.args, **arguments.kwargs)
    except BaseException:
        with suppress(Exception):  # what was written before is written, and the first error counts
            _finish(trace, arrays)
        raise
    _finish(trace, arrays)
    return returned


def _of_arrays(value: Any) -> Any:
    """Return an argument with arrays of `accel.xp` in the place of others, also in tuples, lists and dicts."""
    others: list[Any] = []

    def array(part: Any) -> Any:
        if role_of(part) != "array" or type(part) is Array:
            return part
        others.append(part)
        return asarray(part)

    changed = mapped(value, array)
    return changed if others else value


def _finish(trace: PartTrace, arrays: list["ref[ArrayBase]"]) -> None:
    """Compute what is left, and make ordinary arrays of those of the trace that are still used."""
    try:
        trace.compute(everything=True)
        for each in arrays:
            array: Any = each()
            if array is not None and type(array._native) is Symbol:
                computed = trace.array_of(array._native)
                array._native, array._shared, array._library = computed._native, computed._shared, trace.real
    finally:
        trace.finish()
