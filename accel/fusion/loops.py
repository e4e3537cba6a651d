"""Loops: the steps of a program that computes a body for each index, and reduces values along some of its axes.

Where all axes are reduced, one loop has the totals. Where some are, each row of elements has a loop of one thread;
`accel.fusion.blocks` has another form.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from accel.dtypes import DType
from accel.ir import (
    INDEX,
    Array,
    Assign,
    Binary,
    Compare,
    Const,
    Expr,
    For,
    Frame,
    Local,
    Loop,
    Once,
    Reduction,
    Select,
    Step,
    Stmt,
    neutral,
)

__all__ = [
    "ONE",
    "ZERO",
    "Nest",
    "Steps",
    "Total",
    "combined_quickly",
    "in_rows",
    "of_all",
    "of_elements",
    "parallel",
    "serial",
]

ZERO, ONE = Const(0, INDEX), Const(1, INDEX)


class Total(NamedTuple):
    """Values that are combined along the reduced axes.

    Attributes
    ----------
    op : str
        ``add``, ``mul``, ``min`` or ``max``.
    value : Expr
        That of an element.
    store : callable
        Returns the statement that stores a result.
    """

    op: Literal["add", "mul", "min", "max"]
    value: Expr
    dtype: DType
    store: Callable[[Expr], Stmt]

    @property
    def neutral(self) -> Const:
        """What changes no number that it is combined with."""
        return Const(neutral(self.op, self.dtype).item(), self.dtype)

    def combined(self, before: Expr, other: Expr) -> Binary:
        """Return the expression of two values together."""
        return Binary(self.op, before, other, self.dtype)


class Nest(NamedTuple):
    """A body for each index.

    Attributes
    ----------
    indices : tuple of Local
        The loop variables, the last one fastest.
    extents : tuple of Expr
        How many values each has.
    reduced : tuple of bool
        Whether values are reduced along it.
    body : tuple of Stmt
        What is done for each index.
    totals : tuple of Total
        What is reduced.
    """

    indices: tuple[Local, ...]
    extents: tuple[Expr, ...]
    reduced: tuple[bool, ...]
    body: tuple[Stmt, ...]
    totals: tuple[Total, ...]

    def axes(self, *, reduced: bool) -> list[int]:
        """Return the axes that are reduced, or those that are kept."""
        return [axis for axis, each in enumerate(self.reduced) if each is reduced]


class Steps(NamedTuple):
    """The steps of a program, and what they need."""

    steps: tuple[Step, ...]
    frame: tuple[Local, ...] = ()
    arrays: tuple[Array, ...] = ()


def combined_quickly(op: Literal["add", "mul", "min", "max"], before: Expr, value: Expr, dtype: DType) -> Expr:
    """Return the expression of two values together, none of which has parts; of two zeros, any is an extreme.

    Processors compare floats in a third of the time of LLVM's extremes, which order zeros, as NumPy does not.
    """
    if op in ("add", "mul") or dtype.kind != "f":
        return Binary(op, before, value, dtype)
    extreme = Select(Compare("gt" if op == "max" else "lt", value, before), value, before, dtype)
    return Select(Compare("ne", value, value), value, extreme, dtype)


def of_elements(nest: Nest) -> Steps:
    """Return a loop that reduces nothing."""
    return Steps((parallel(nest, range(len(nest.indices)), nest.body),))


def of_all(nest: Nest) -> Steps:
    """Return a loop whose totals are of all elements."""
    totals = _locals(nest)
    body = *nest.body, *_taken(nest, totals)
    loop = parallel(nest, range(len(nest.indices)), body)
    return Steps(
        (
            Once(_cleared(nest, totals), Frame(writes=totals)),
            loop._replace(reductions=_reductions(nest, totals)),
            Once(_results(nest, totals), Frame(reads=totals)),
        ),
        frame=totals,
    )


def in_rows(nest: Nest) -> Steps:
    """Return a loop over the kept axes, which has loops over the reduced ones in it."""
    totals, (*outer, last) = _locals(nest), nest.axes(reduced=True)
    inner = serial(nest, last, (*nest.body, *_taken(nest, totals)))
    nested: Stmt = inner._replace(reductions=_reductions(nest, totals), independent=True)
    for axis in reversed(outer):
        nested = serial(nest, axis, (nested,))
    body = *_cleared(nest, totals), nested, *_results(nest, totals)
    return Steps((parallel(nest, nest.axes(reduced=False), body),))


def parallel(nest: Nest, axes: Sequence[int], body: Sequence[Stmt]) -> Loop:
    """Return the parallel loop over some axes."""
    zeros, ones = (ZERO,) * len(axes), (ONE,) * len(axes)
    indices, extents = tuple([nest.indices[axis] for axis in axes]), tuple([nest.extents[axis] for axis in axes])
    return Loop(indices, zeros, extents, ones, tuple(body), independent=True)


def serial(nest: Nest, axis: int, body: tuple[Stmt, ...]) -> For:
    """Return the loop of one thread over an axis."""
    return For(nest.indices[axis], ZERO, nest.extents[axis], ONE, body)


def _locals(nest: Nest) -> tuple[Local, ...]:
    return tuple([Local(f"t{number}", each.dtype) for number, each in enumerate(nest.totals)])


def _cleared(nest: Nest, totals: Sequence[Local]) -> tuple[Stmt, ...]:
    return tuple([Assign(total, each.neutral) for total, each in zip(totals, nest.totals, strict=True)])


def _taken(nest: Nest, totals: Sequence[Local]) -> tuple[Stmt, ...]:
    every = zip(totals, nest.totals, strict=True)
    return tuple([Assign(total, each.combined(total, each.value)) for total, each in every])


def _results(nest: Nest, totals: Sequence[Local]) -> tuple[Stmt, ...]:
    return tuple([each.store(total) for total, each in zip(totals, nest.totals, strict=True)])


def _reductions(nest: Nest, totals: Sequence[Local]) -> tuple[Reduction, ...]:
    return tuple([Reduction(total, each.op) for total, each in zip(totals, nest.totals, strict=True)])
