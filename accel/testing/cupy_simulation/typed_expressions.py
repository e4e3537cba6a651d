"""Expressions of Python on elements, as in functions of `cupy.vectorize`: in CUDA, with the types that CuPy gives them.

Numbers of Python have types of their own there (``int64``, ``float64``, ``complex128``), and operators have those of
NumPy's ufuncs. So ``x * 0.1`` is a ``float64`` also for an ``x`` of ``float32``.
"""

import ast
import operator
import sys
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from accel.dtypes import DType
from accel.errors import CapabilityError
from accel.testing.cupy_simulation.jit_expressions import spelled
from accel.testing.cupy_simulation.jit_members import UFUNCS, Constant
from accel.testing.cupy_simulation.text_parameters import element_type

__all__ = ["Typed", "TypedExpressions", "Value", "cast", "typed"]


class Typed(NamedTuple):
    """An expression in CUDA, and its type."""

    text: str
    dtype: DType


Value = Constant | Typed

_PYTHON = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}
_BINARY: Mapping[type[ast.AST], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("subtract", operator.sub),
    ast.Mult: ("multiply", operator.mul),
    ast.Div: ("true_divide", operator.truediv),
    ast.FloorDiv: ("floor_divide", operator.floordiv),
    ast.Mod: ("remainder", operator.mod),
    ast.Pow: ("power", operator.pow),
    ast.LShift: ("left_shift", operator.lshift),
    ast.RShift: ("right_shift", operator.rshift),
    ast.BitAnd: ("bitwise_and", operator.and_),
    ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor),
    ast.Eq: ("equal", operator.eq),
    ast.NotEq: ("not_equal", operator.ne),
    ast.Lt: ("less", operator.lt),
    ast.LtE: ("less_equal", operator.le),
    ast.Gt: ("greater", operator.gt),
    ast.GtE: ("greater_equal", operator.ge),
}
_UNARY: Mapping[type[ast.AST], tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("negative", operator.neg),
    ast.UAdd: ("positive", operator.pos),
    ast.Invert: ("invert", operator.invert),
    ast.Not: ("logical_not", operator.not_),
}
_SIGNS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "left_shift": "<<",
    "right_shift": ">>",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "logical_and": "&&",
    "logical_or": "||",
}
_OF_REALS = ("isfinite", "isinf", "isnan", "floor", "ceil", "trunc", "rint")
"""Functions that say nothing new of integers."""
_PREFIXES = {"negative": "-", "positive": "+", "invert": "~", "logical_not": "!"}


def typed(value: Value) -> Typed:
    """Return a value as an expression.

    Raises
    ------
    NotImplementedError
        If a constant is no number.
    """
    if isinstance(value, Typed):
        return value
    number = value.value
    kind = _PYTHON.get(type(number)) or (type(number) if isinstance(number, np.generic) else None)
    if kind is None:
        raise NotImplementedError(f"{number!r} is not scalar object.")
    dtype = np.dtype(kind)
    return Typed(_literal(kind(number), dtype), dtype)


def _literal(number: Any, dtype: DType) -> str:
    kind = element_type(dtype)
    if dtype.kind == "b":
        return "true" if number else "false"
    if dtype.kind in "iu":
        value = int(number)
        return f"({kind})({value}ULL)" if value >= 0 else f"({kind})(-{-(value + 1)}LL - 1)"
    if dtype.kind == "c":
        return f"{kind}({_real(number.real)}, {_real(number.imag)})"
    return f"({kind})({_real(number)})"


def _real(number: Any) -> str:
    value = float(number)
    if np.isfinite(value):
        return value.hex()
    return "NAN" if np.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def cast(value: Typed, dtype: DType) -> str:
    """Return an expression as one of a type."""
    if value.dtype == dtype:
        return value.text
    if value.dtype.kind == "c" and dtype.kind != "c":
        return f"(({element_type(dtype)})(({value.text}).real()))"
    return f"(({element_type(dtype)})({value.text}))"


def _ufunc(name: str, operands: list[Typed]) -> Typed:
    """Return a ufunc of operands, with its types.

    Raises
    ------
    TypeError
        If it has no loop for the types.
    """
    function = getattr(np, name)
    given = (*[each.dtype for each in operands], *[None] * function.nout)
    *inputs, output = function.resolve_dtypes(given)
    values = [cast(each, dtype) for each, dtype in zip(operands, inputs, strict=True)]
    if name in _SIGNS:
        text = f"({values[0]} {_SIGNS[name]} {values[1]})"
    elif name in _PREFIXES:
        text = f"({_PREFIXES[name]}{values[0]})"  # ~x of a bool is true, as in CuPy
    elif name == "square":
        text = f"({values[0]} * {values[0]})"
    elif name in _OF_REALS and inputs[0].kind in "biu":
        text = {"isfinite": "true", "isnan": "false", "isinf": "false"}.get(name, values[0])
    else:
        text = f"{UFUNCS[name]}({', '.join(values)})"
    return Typed(f"(({element_type(output)})({text}))", output)  # operators of C widen small integers


class TypedExpressions:
    """Translates the expressions of one function.

    Parameters
    ----------
    names : mapping
        What the names outside of the function are.
    call : callable
        Returns the call of a function for devices, or None.
    """

    def __init__(self, names: Mapping[str, Any], call: Callable[[Any, list[Typed]], Typed | None]) -> None:
        self._names, self._device_call = names, call
        self.locals: dict[str, DType] = {}

    def value(self, node: ast.expr) -> Value:
        """Return what an expression is.

        Raises
        ------
        CapabilityError, NotImplementedError, TypeError, NameError
            If there is no such expression.
        """
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise CapabilityError(f"functions of cupy.vectorize have no {type(node).__name__}: {ast.unparse(node)}")
        value: Value = method(node)
        return value

    def typed(self, node: ast.expr) -> Typed:
        """Return an expression in CUDA."""
        return typed(self.value(node))

    def _constant(self, node: ast.Constant) -> Value:
        return Constant(node.value)

    def _name(self, node: ast.Name) -> Value:
        if node.id in self.locals:
            return Typed(spelled(node.id), self.locals[node.id])
        if node.id not in self._names:
            raise NameError(f"Unbound name: {node.id}")
        return Constant(self._names[node.id])

    def _attribute(self, node: ast.Attribute) -> Value:
        value = self.value(node.value)
        if isinstance(value, Typed):
            raise AttributeError(f"Unknown attribute: {node.attr}")  # noqa: TRY004 - as CuPy
        return Constant(getattr(value.value, node.attr))

    def operated(self, kind: ast.AST, left: Value, right: Value) -> Value:
        """Return the result of an operator."""
        if type(kind) not in _BINARY:
            raise CapabilityError(f"functions of cupy.vectorize have no operator {type(kind).__name__}")
        name, function = _BINARY[type(kind)]
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(function(left.value, right.value))
        return _ufunc(name, [typed(left), typed(right)])

    def _binop(self, node: ast.BinOp) -> Value:
        return self.operated(node.op, self.value(node.left), self.value(node.right))

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            raise NotImplementedError("Comparison of 3 or more values is not implemented.")
        return self.operated(node.ops[0], self.value(node.left), self.value(node.comparators[0]))

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        name, function = _UNARY[type(node.op)]
        value = self.value(node.operand)
        return Constant(function(value.value)) if isinstance(value, Constant) else _ufunc(name, [value])

    def _boolop(self, node: ast.BoolOp) -> Value:
        sign = " && " if isinstance(node.op, ast.And) else " || "
        return Typed(f"({sign.join([cast(self.typed(each), _BOOL) for each in node.values])})", _BOOL)

    def _ifexp(self, node: ast.IfExp) -> Value:
        values = [self.value(node.body), self.value(node.orelse)]
        dtypes = [value.dtype for value in values if isinstance(value, Typed)]
        if len(dtypes) == 1:  # a constant has the type of the other one
            kind = dtypes[0].type
            values = [Constant(kind(each.value)) if isinstance(each, Constant) else each for each in values]
        body, other = map(typed, values)
        if body.dtype != other.dtype:
            raise TypeError(f"Type mismatch in conditional expression.: {other.dtype} != {body.dtype}")
        return Typed(f"({cast(self.typed(node.test), _BOOL)} ? {body.text} : {other.text})", body.dtype)

    def _call(self, node: ast.Call) -> Value:
        function = self.value(node.func)
        if node.keywords or isinstance(function, Typed):
            raise TypeError(f"a call has arguments by position only, of a function that is known: {ast.unparse(node)}")
        arguments = [*map(self.value, node.args)]
        called, name = function.value, _ufunc_name(function.value)
        if name:
            return _ufunc(name, [*map(typed, arguments)])
        result = self._device_call(called, [*map(typed, arguments)]) if not isinstance(called, type) else None
        if result is not None:
            return result
        if all(isinstance(each, Constant) for each in arguments):
            return Constant(called(*[each.value for each in arguments if isinstance(each, Constant)]))
        if called in (min, max):
            first, *rest = map(typed, arguments)
            for each in rest:
                first = _ufunc("minimum" if called is min else "maximum", [first, each])
            return first
        kind = _PYTHON.get(called, called) if isinstance(called, type) else None
        if kind is not None and issubclass(kind, np.generic) and len(arguments) == 1:
            return Typed(cast(typed(arguments[0]), np.dtype(kind)), np.dtype(kind))
        raise TypeError(
            f"Invalid function call '{getattr(called, '__name__', called)}'. Functions of cupy.vectorize call those of "
            f"cupy ({', '.join(sorted(UFUNCS))}), min, max, casts, and functions with @jit.rawkernel(device=True)"
        )


_BOOL: DType = np.dtype(np.bool_)


def _ufunc_name(function: Any) -> str:
    """Return the name of a ufunc of CuPy; empty for another function."""
    cupy: ModuleType = sys.modules["cupy"]
    name = function.__name__ if isinstance(function, FunctionType) else ""
    known = name in UFUNCS or name in _SIGNS or name in _PREFIXES or name == "square"
    return name if known and getattr(cupy, name) is function else ""
