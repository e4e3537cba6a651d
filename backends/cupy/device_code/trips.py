"""The number of iterations of a loop, as far as the host can compute it from the arguments of a launch."""

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import prod
from operator import itemgetter
from typing import Any

from accel.ir import INDEX, Binary, Cast, Const, Expr, Extent, Local, Loop, Number, Program, Stride, View, of_type

from .trees import mentioned

__all__ = ["NARROW", "counting_numbers", "reach", "trips"]

NARROW = 1 << 30
"""Distances and numbers of iterations below this leave room for sums of two in 32 bits."""

Arguments = Sequence[Any]
Compute = Callable[[Arguments], int]

_HALF = 1 << 63
_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": lambda x, y: x // y if y else 0,
    "mod": lambda x, y: x % y if y else 0,
    "min": min,
    "max": max,
}


class _Unknown(Exception):  # noqa: N818 - no error: the device computes it
    """The host does not compute an expression."""


def trips(program: Program, loop: Loop) -> Compute | None:
    """Return a function that computes the number of iterations; None if it depends on results of earlier steps."""
    values = _parameters(program)
    try:
        for assign in program.prelude:
            with suppress(_Unknown):
                values[assign.target.name] = _computed(assign.value, values)
        bounds = zip(loop.starts, loop.stops, loop.steps, strict=True)
        ranges = [[_computed(bound, values) for bound in each] for each in bounds]
    except _Unknown:
        return None
    return lambda arguments: prod([_length(*[bound(arguments) for bound in each]) for each in ranges])


def counting_numbers(program: Program) -> list[tuple[int, int]]:
    """Return the places of the numbers on which a number of iterations may depend: as parameter, and as argument."""
    assigned = {assign.target.name: assign.value for assign in program.prelude}
    loops = [step for step in program.steps if isinstance(step, Loop)]
    names, unseen = set[str](), mentioned(tuple([(loop.starts, loop.stops, loop.steps) for loop in loops]))
    while unseen:
        names |= unseen
        unseen = mentioned(tuple([assigned.get(name, ()) for name in unseen])) - names
    result, argument = [], 0
    for place, each in enumerate(program.parameters):
        if isinstance(each, Number) and each.name in names:
            result.append((place, argument))
        argument += 1 + 2 * each.rank if isinstance(each, View) else 1
    return result


def _length(start: int, stop: int, step: int) -> int:
    return len(range(start, stop, step)) if step else 0


def reach(program: Program) -> Compute:
    """Return a function that computes the largest distance in memory, in elements, between two of a view."""
    views, place = [], 0
    for parameter in program.parameters:
        rank = parameter.rank if isinstance(parameter, View) else 0
        if rank:
            views.append((slice(place + 1, place + 1 + rank), slice(place + 1 + rank, place + 1 + 2 * rank)))
        place += 1 + 2 * rank

    def compute(arguments: Arguments) -> int:
        most = 0
        for extents, strides in views:
            distances = [
                abs(stride) * extent for extent, stride in zip(arguments[extents], arguments[strides], strict=True)
            ]
            most = max(most, sum(distances))
        return most

    return compute


def _parameters(program: Program) -> dict[Any, Compute]:
    """Return the numbers, extents and strides among the arguments, by name, or by name, kind and axis."""
    result: dict[Any, Compute] = {}
    place = 0
    for parameter in program.parameters:
        if not isinstance(parameter, View):
            result[parameter.name] = itemgetter(place)
            place += 1
            continue
        for axis in range(parameter.rank):
            result[Extent, parameter.name, axis] = itemgetter(place + 1 + axis)
            result[Stride, parameter.name, axis] = itemgetter(place + 1 + parameter.rank + axis)
        place += 1 + 2 * parameter.rank
    return result


def _computed(x: Expr, values: Mapping[Any, Compute]) -> Compute:
    if isinstance(x, Const):
        value = int(x.value)
        return lambda _: value
    key = (type(x), x.view, x.axis) if isinstance(x, Extent | Stride) else x.name if isinstance(x, Local) else None
    if key in values:
        return values[key]
    if isinstance(x, Binary) and x.dtype == INDEX and x.op in _OPERATIONS:
        operation, left, right = _OPERATIONS[x.op], _computed(x.x, values), _computed(x.y, values)
        return lambda arguments: _wrapped(operation(left(arguments), right(arguments)))
    if isinstance(x, Cast) and x.dtype == INDEX and of_type(x.x).kind in "biu":
        number = _computed(x.x, values)
        return lambda arguments: _wrapped(int(number(arguments)))
    raise _Unknown


def _wrapped(number: int) -> int:
    """Return an integer as 64 bits hold it, after an overflow."""
    return number if -_HALF <= number < _HALF else (number + _HALF) % (2 * _HALF) - _HALF
