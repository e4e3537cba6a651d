"""Expressions of Python in kernels of `cupyx.jit`, as expressions in CUDA."""

import ast
import operator
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from accel.errors import CapabilityError
from accel.testing.cupy_simulation.jit_members import (
    UFUNCS,
    Builtin,
    Code,
    Constant,
    Items,
    Symbol,
    Value,
    code_of,
    element,
)
from accel.testing.cupy_simulation.text_parameters import element_type

__all__ = ["Expressions", "spelled"]

_BINARY = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("accel_sim::divided", operator.truediv),
    ast.FloorDiv: ("accel_sim::floor_divided", operator.floordiv),
    ast.Mod: ("accel_sim::remainder_of", operator.mod),
    ast.Pow: ("accel_sim::raised", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}
_COMPARED = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_UNARY: Mapping[type[ast.unaryop], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("-", operator.neg),
    ast.UAdd: ("+", operator.pos),
    ast.Invert: ("~", operator.invert),
    ast.Not: ("!", operator.not_),
}
_CASTS = {bool: "bool", int: "long long", float: "double"}


class Expressions:
    """Translates the expressions of one function.

    Parameters
    ----------
    names : mapping
        What the names outside of the function are.
    arrays : dict of str to int
        The number of axes of each array by its name.
    call : callable
        Returns the name in CUDA of a function that another kernel calls, or None.
    """

    def __init__(
        self, names: Mapping[str, Any], arrays: dict[str, int], call: Callable[[Any, list[Value]], str | None]
    ) -> None:
        self._names = names
        self.arrays: dict[str, int] = arrays
        self._named = call
        self.locals: set[str] = set()

    def value(self, node: ast.expr | None) -> Value:
        """Return what an expression is.

        Raises
        ------
        CapabilityError, TypeError, NameError
            If kernels have no such expression.
        """
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise CapabilityError(f"kernels of cupyx.jit have no {type(node).__name__}")
        value: Value = method(node)
        return value

    def code(self, node: ast.expr | None) -> str:
        """Return an expression in CUDA."""
        return code_of(self.value(node))

    def _constant(self, node: ast.Constant) -> Value:
        return Constant(node.value)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.locals:
            return Code(spelled(node.id), self.arrays.get(node.id))
        if node.id not in self._names:
            raise NameError(f"Unbound name: {node.id}")
        return Constant(self._names[node.id])

    def _tuple(self, node: ast.Tuple) -> Value:
        return Items(tuple(map(self.value, node.elts)))

    def _binop(self, node: ast.BinOp) -> Value:
        return self.operated(node.op, self.value(node.left), self.value(node.right))

    def operated(self, kind: ast.operator, left: Value, right: Value) -> Value:
        """Return the result of an operator."""
        if type(kind) not in _BINARY:
            raise CapabilityError(f"kernels of cupyx.jit have no operator {type(kind).__name__}")
        sign, function = _BINARY[type(kind)]
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(function(left.value, right.value))
        operands = code_of(left), code_of(right)
        return Code(f"{sign}({', '.join(operands)})" if sign[0] == "a" else f"({operands[0]} {sign} {operands[1]})")

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        sign, function = _UNARY[type(node.op)]
        value = self.value(node.operand)
        return Constant(function(value.value)) if isinstance(value, Constant) else Code(f"({sign}{code_of(value)})")

    def _boolop(self, node: ast.BoolOp) -> Value:
        sign = " && " if isinstance(node.op, ast.And) else " || "
        return Code(f"({sign.join(map(self.code, node.values))})")

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            raise NotImplementedError("Comparison of 3 or more values is not implemented.")
        left, right = self.value(node.left), self.value(node.comparators[0])
        if type(node.ops[0]) not in _COMPARED:
            raise CapabilityError(f"kernels of cupyx.jit have no operator {type(node.ops[0]).__name__}")
        sign, function = _COMPARED[type(node.ops[0])]
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(function(left.value, right.value))
        return Code(f"({code_of(left)} {sign} {code_of(right)})")

    def _ifexp(self, node: ast.IfExp) -> Value:
        return Code(f"({self.code(node.test)} ? {self.code(node.body)} : {self.code(node.orelse)})")

    def _subscript(self, node: ast.Subscript) -> Value:
        array, index = self.value(node.value), self.value(node.slice)
        if isinstance(array, Constant) and isinstance(index, Constant):
            return Constant(array.value[index.value])
        if isinstance(array, Code) and array.shape:
            return Code(f"{array.text}[{code_of(index)}]")
        return Code(element(array, index))

    def _attribute(self, node: ast.Attribute) -> Value:
        value = self.value(node.value)
        if isinstance(value, Constant):
            if isinstance(value.value, ModuleType) and value.value.__name__ == "cupy" and node.attr in UFUNCS:
                return Constant(_Ufunc(UFUNCS[node.attr]))
            if isinstance(value.value, Symbol):
                return Code(f"{value.value.text}.{node.attr}")
            return Constant(getattr(value.value, node.attr))
        if isinstance(value, Code) and value.rank is not None:
            members: dict[str, Value] = {
                "shape": Code(f"{value.text}.shape()", shape=True),
                "strides": Code(f"{value.text}.strides()", shape=True),
                "size": Code(f"{value.text}.size()"),
                "ndim": Constant(value.rank),
            }
            if node.attr in members:
                return members[node.attr]
        raise AttributeError(f"Unknown attribute: {node.attr}")

    def _call_arguments(self, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
        return [*map(self.value, node.args)], {each.arg or "": self.value(each.value) for each in node.keywords}

    def _call_of(self, function: Any, arguments: list[Value], keywords: dict[str, Value]) -> Value | None:
        """Return the call of a function of the kernel's language; None for another function."""
        if isinstance(function, Builtin):
            return function.emit(*arguments, **keywords)
        if isinstance(function, _Ufunc):
            return Code(f"{function.name}({', '.join(map(code_of, arguments))})")
        if function in (min, max):
            first, *rest = map(code_of, arguments)
            for each in rest:
                first = f"{function.__name__}({first}, {each})"
            return Code(first)
        if function is len and isinstance(arguments[0], Code):
            return Code(f"{arguments[0].text}.shape()[0]")
        name = self._named(function, arguments)
        return None if name is None else Code(f"{name}({', '.join(map(code_of, arguments))})")

    def _call(self, node: ast.Call) -> Value:
        function = self.value(node.func)
        arguments, keywords = self._call_arguments(node)
        if not isinstance(function, Constant):
            raise TypeError(f"{code_of(function)} is not callable")
        result = self._call_of(function.value, arguments, keywords)
        if result is not None:
            return result
        given = [*arguments, *keywords.values()]
        if all(isinstance(each, Constant) for each in given):
            constants = {name: each.value for name, each in keywords.items() if isinstance(each, Constant)}
            return Constant(
                function.value(*[each.value for each in arguments if isinstance(each, Constant)], **constants)
            )
        kind = function.value
        if isinstance(kind, type) and (kind in _CASTS or issubclass(kind, np.generic)) and len(arguments) == 1:
            return Code(f"(({_CASTS.get(kind) or element_type(np.dtype(kind))})({code_of(arguments[0])}))")
        raise TypeError(
            f"Invalid function call '{getattr(kind, '__name__', kind)}': kernels of cupyx.jit do not have it"
        )


class _Ufunc:
    """A function of CuPy for elements."""

    def __init__(self, name: str) -> None:
        self.name = name


_WORDS = """
    alignas alignof asm auto bool case catch char class const delete do double else enum extern float goto int long
    namespace new operator private public register short signed sizeof static struct switch template this throw typedef
    typename union unsigned using virtual void volatile
"""


def spelled(name: str) -> str:
    """Return the name of a variable in CUDA."""
    return f"{name}_" if name in _WORDS.split() else name
