"""Ranges of uint64: loops over them count in the type of indices, which holds no number above 2**63."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from accel.ir import INDEX, Binary, Cast, Compare, Const, Expr, Select
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.promotion import UINT64, kind_of
from accel.kernels.frontend.values import Range, Value

__all__ = ["Counted", "counted", "range_of"]

_MOST = np.iinfo(np.int64).max
_ZERO, _ONE = Const(0, UINT64), Const(1, UINT64)


class Counted(NamedTuple):
    """A range of indices.

    Attributes
    ----------
    values : Range
        The indices.
    number : callable, optional
        Returns the loop variable for one of them; by default it is the index.
    """

    values: Range
    number: Callable[[Expr], Value] | None = None


def range_of(numbers: Sequence[Value]) -> Range:
    """Return the range of one to three integers; of uint64 if it begins at such a number and ends at none below 0."""
    zero, one = Value(indexing.number(0), weak=True), Value(indexing.number(1), weak=True)
    start, stop, step = [zero, numbers[0], one] if len(numbers) == 1 else [*numbers, one][:3]
    large = start.dtype == UINT64 or (indexing.known(stop.expr) or 0) > _MOST
    if large and _is_unsigned(start) and _is_unsigned(stop):
        return Range(start, stop, step)
    return Range(*[Value(indexing.as_index(x.expr), weak=True) for x in (start, stop, step)])


def _is_unsigned(x: Value) -> bool:
    known = indexing.known(x.expr)
    return kind_of(x.dtype) == "u" or (known is not None and known >= 0)


def counted(act: Activation, values: Range) -> Counted:
    """Return how a loop counts the numbers of a range."""
    if all(x.dtype == INDEX for x in values):
        return Counted(values)
    start, stop, step = (act.unit.keep(x) for x in values)
    first, end, pace = (_unsigned(x.expr) for x in (start, stop, step))
    up = _trips(first, end, pace)
    down = _trips(end, first, Binary("sub", _ZERO, pace, UINT64)) if kind_of(step.dtype) == "i" else _ZERO
    zero = Const(0, step.dtype)
    count = Select(
        Compare("gt", step.expr, zero), up, Select(Compare("lt", step.expr, zero), down, _ZERO, UINT64), UINT64
    )
    most = Cast(Binary("min", count, Const(_MOST, UINT64), UINT64), INDEX)

    def number(index: Expr) -> Value:
        distance = Binary("mul", Cast(index, UINT64), pace, UINT64)
        return Value(Binary("add", first, distance, UINT64), weak=True)

    ends = (Value(x, weak=True) for x in (indexing.number(0), act.unit.temporary(most), indexing.number(1)))
    return Counted(Range(*ends), number)


def _trips(low: Expr, high: Expr, pace: Expr) -> Expr:
    """Return how many numbers there are from one on and below another."""
    before = Binary("sub", Binary("sub", high, low, UINT64), _ONE, UINT64)
    some = Binary("add", Binary("floordiv", before, pace, UINT64), _ONE, UINT64)
    return Select(Compare("lt", low, high), some, _ZERO, UINT64)


def _unsigned(x: Expr) -> Expr:
    """Return an integer modulo 2**64."""
    if isinstance(x, Const):
        return Const(int(x.value) % (1 << 64), UINT64)
    return Cast(x, UINT64)
