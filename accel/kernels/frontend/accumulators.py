"""`Accumulator`: a variable that a parallel loop reduces to."""

import ast
from typing import Any

from accel.dtypes import DType
from accel.ir import INDEX, TRUTH, Assign, Binary, Local, Unary
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.operands import number_of
from accel.kernels.frontend.promotion import converted, kind_of, stored
from accel.kernels.frontend.values import Entity, Value

__all__ = ["Accumulator"]


class Accumulator:
    """A variable that a parallel loop reduces to.

    Attributes
    ----------
    local : Local
        The variable.
    op : str
        How the current loop combines it with a value; empty if it does not.
    inside : bool
        Whether a parallel loop is being lowered.
    """

    def __init__(self, name: str, dtype: DType) -> None:
        self.local: Local = Local(name, dtype)
        self.op: str = ""
        self.inside = False

    def combine(self, act: Activation, node: ast.AST, op: Any, operand: Entity, negative: bool = False) -> None:
        """Append the combination with a value, or with its negative in the type of the accumulator."""
        name = self.local.name
        if not self.inside:
            raise act.error(
                node, f"{name} is an accumulator; it changes only in a parallel loop, not in @func functions"
            )
        if self.op not in ("", op):
            raise act.error(node, f"{name} is combined by {self.op} and by {op} in one loop; use two accumulators")
        number = number_of(act, node, operand)
        if op != "add" and kind_of(self.local.dtype) == "c":
            raise act.error(node, f"an accumulator of complex numbers takes += and -= only; {name} has dtype complex")
        self.op = op
        with act.at(node):
            if negative and number.dtype == TRUTH:
                number = converted(number, INDEX)
            value = stored(number, self.local.dtype, f"the accumulator {name}").expr
        if negative:
            value = Unary("neg", value, self.local.dtype)
        act.unit.block.append(Assign(self.local, Binary(op, self.local, value, self.local.dtype)))

    def value(self, act: Activation, node: ast.AST) -> Value:
        """Return its value, outside of loops that change it."""
        if self.inside:
            raise act.error(
                node,
                f"{self.local.name} is an accumulator: in the loop write {self.local.name} += x, or "
                f"{self.local.name} = min({self.local.name}, x), and read it after the loop",
            )
        return Value(self.local)
