"""Expressions of programs, as Python text."""

from collections.abc import Callable
from typing import Any

from accel.dtypes import DType
from accel.ir import (
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Extent,
    Guard,
    Load,
    Local,
    Logic,
    Place,
    Program,
    Select,
    Stride,
    Unary,
    View,
    of_type,
)

from .arithmetic import OPERATORS, binary_function, cast, math_function

__all__ = ["Expressions", "memory_name"]


class Expressions:
    """Turns expressions into text; ``t`` is the actor that evaluates them.

    Threads stop at ``yield`` before they access memory that other threads may access, so that these can run.

    Attributes
    ----------
    names : dict
        The constants and functions that the text refers to.
    """

    def __init__(self, program: Program) -> None:
        self.names: dict[str, Any] = {}
        self._named: dict[object, str] = {}
        self._dtypes = {view.name: view.dtype for view in program.parameters if isinstance(view, View)}
        self._dtypes |= {array.name: array.dtype for array in program.arrays}
        private = {array.name for array in program.arrays if array.space == "local"}
        self._stops = frozenset(self._dtypes) - private if program.explicit else frozenset()

    def __call__(self, x: Expr) -> str:
        """Return the text of an expression; in parentheses if it has operators."""
        text: str = getattr(self, f"_{type(x).__name__.lower()}")(x)
        return text

    def each(self, expressions: tuple[Expr, ...]) -> str:
        """Return the text of a tuple."""
        return "(" + "".join(f"{self(x)}, " for x in expressions) + ")"

    def zero_of(self, memory: str) -> str:
        """Return the text of 0, as an element of some memory."""
        return self.constant(0, self._dtypes[memory])

    def dtype_of(self, memory: str) -> DType:
        """Return the type of the elements of a view or an array."""
        return self._dtypes[memory]

    def constant(self, value: Any, dtype: DType) -> str:
        """Return the name of a constant."""
        return self.named("c", (repr(value), dtype), lambda: dtype.type(value))

    def holds(self, guard: Guard) -> str:
        """Return the text of a check."""
        return f"t.holds({guard.site}, {self.each(guard.indices)}, {self.each(guard.extents)}, {self(guard.offset)})"

    def stops(self, memory: str) -> bool:
        """Return whether other threads may run before an access."""
        return memory in self._stops

    def named(self, prefix: str, key: object, make: Callable[[], Any]) -> str:
        """Return the name of an object that the text refers to; it is made once."""
        name = self._named.get((prefix, key))
        if name is None:
            name = self._named[prefix, key] = f"{prefix}{len(self.names)}"
            self.names[name] = make()
        return name

    def operation(self, op: str, dtype: DType) -> str | None:
        """Return the name of the function of an operation on two values; None if an operator does it."""
        function = binary_function(op, dtype)
        return None if function is None else self.named(f"{op}_", dtype, lambda: function)

    def _const(self, x: Const) -> str:
        return self.constant(x.value, x.dtype)

    def _local(self, x: Local) -> str:
        return f"v_{x.name}"

    def _extent(self, x: Extent) -> str:
        return f"extent_{x.axis}_{x.view}"

    def _stride(self, x: Stride) -> str:
        return f"stride_{x.axis}_{x.view}"

    def _place(self, x: Place) -> str:
        return f"t.places[{x.what!r}][{x.axis}]"

    def _unary(self, x: Unary) -> str:
        if x.op == "not":
            return f"{self.named('cast', (x.dtype, 'not'), lambda: x.dtype.type)}(not {self(x.x)})"
        return f"({OPERATORS[x.op]}{self(x.x)})"

    def _binary(self, x: Binary) -> str:
        function = self.operation(x.op, x.dtype)
        if function is not None:
            return f"{function}({self(x.x)}, {self(x.y)})"
        first = self(x.x)
        if isinstance(x.x, Binary) and x.x.op == x.op:  # as Python reads it; its parser refuses 200 nested parentheses
            first = first[1:-1]
        return f"({first} {OPERATORS[x.op]} {self(x.y)})"

    def _compare(self, x: Compare) -> str:
        return f"({self(x.x)} {OPERATORS[x.op]} {self(x.y)})"

    def _logic(self, x: Logic) -> str:
        return f"({self(x.x)} {x.op} {self(x.y)})"

    def _select(self, x: Select) -> str:
        return f"({self(x.x)} if {self(x.condition)} else {self(x.y)})"

    def _cast(self, x: Cast) -> str:
        source = of_type(x.x)
        if source == x.dtype:
            return self(x.x)
        return f"{self.named('cast', (source, x.dtype), lambda: cast(source, x.dtype))}({self(x.x)})"

    def _call(self, x: Call) -> str:
        argument = of_type(x.arguments[0])
        key = argument, x.dtype
        function = self.named(f"{x.function}_", key, lambda: math_function(x.function, *key))
        return f"{function}({', '.join(map(self, x.arguments))})"

    def _load(self, x: Load) -> str:
        site = None if x.guard is None else x.guard.site
        read = f"{memory_name(x.memory)}.read(t, {self(x.at)}, {site})"
        if self.stops(x.memory):
            read = f"(yield) or {read}"
        return f"({read})" if x.guard is None else f"({read} if {self.holds(x.guard)} else {self.zero_of(x.memory)})"


def memory_name(memory: str) -> str:
    """Return the name of a view or an array in the text."""
    return f"m_{memory}"
