"""Scans: the steps of a program that combines elements along an axis in order, and has each total on the way.

The axis is a loop of one thread. Neighbours along the last axis, if that is another one, are combined together, by
vectors.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from accel.dtypes import DType
from accel.fusion.blocks import BLOCK, Block, over_blocks
from accel.fusion.loops import Nest, Steps, parallel, serial
from accel.ir import Array, Assign, Const, Expr, Load, Local, Once, Stmt, Store, neutral

__all__ = ["Carry", "of_scans"]


class Carry(NamedTuple):
    """What was combined so far: a variable, or with a block an array that has it for each neighbour.

    Attributes
    ----------
    local : Local
        The variable, or the name of the array and the dtype of its elements.
    op : str
        ``add``, ``mul``, ``min`` or ``max``.
    block : Block or None
        The neighbours.
    """

    local: Local
    op: Literal["add", "mul", "min", "max"]
    block: Block | None

    @property
    def element(self) -> Expr:
        """What was combined."""
        return self.local if self.block is None else Load(self.local.name, self.block.place, self.local.dtype)

    def set(self, value: Expr) -> Stmt:
        """Return the statement that keeps what was combined."""
        if self.block is None:
            return Assign(self.local, value)
        return Store(self.local.name, self.block.place, value)

    @property
    def cleared(self) -> Stmt:
        """The statement before the first element."""
        return self.set(_first(self.op, self.local.dtype))


def of_scans(nest: Nest, axis: int, carries: Sequence[Carry]) -> Steps:
    """Return the loops of a nest whose elements are combined along an axis."""
    others = [each for each in range(len(nest.indices)) if each != axis]
    cleared = [each.cleared for each in carries]
    block = carries[0].block
    if block is not None:
        rows = serial(nest, axis, (block.loop(*nest.body),))
        loop = over_blocks(nest, others[:-1], block, (block.loop(*cleared), rows))
        return Steps((loop,), arrays=tuple([Array(*each.local, BLOCK, "local") for each in carries]))
    body = *cleared, serial(nest, axis, nest.body)
    return Steps((parallel(nest, others, body) if others else Once(body),))


def _first(op: Literal["add", "mul", "min", "max"], dtype: DType) -> Const:
    """Return what changes no element; added to a zero, it keeps the sign."""
    number = neutral(op, dtype)
    return Const((-number if op == "add" and dtype.kind in "fc" else number).item(), dtype)
