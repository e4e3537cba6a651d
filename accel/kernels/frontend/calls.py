"""Calls in a kernel: what a Python object does when it is called."""

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

from accel.dtypes import DType
from accel.ir import (
    Call,
    Const,
)
from accel.kernels import language
from accel.kernels.frontend import indexing
from accel.kernels.frontend.call_arguments import Arguments
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.intrinsics import INTRINSICS
from accel.kernels.frontend.mathematics import MATHEMATICS, alike, by_function
from accel.kernels.frontend.memory import (
    Buffer,
    Tensor,
)
from accel.kernels.frontend.methods import extent, subview
from accel.kernels.frontend.objects import is_hashable
from accel.kernels.frontend.operands import described, elementwise, number_of
from accel.kernels.frontend.operator_functions import OPERATOR_FUNCTIONS
from accel.kernels.frontend.promotion import (
    converted,
    kind_of,
    real_of,
)
from accel.kernels.frontend.ranges import range_of
from accel.kernels.frontend.values import Constant, Entity, Grid, Range, Struct, Tuple, Value, Vector, is_number
from accel.views import BufferView

__all__ = ["FUNCTIONS", "call_cast", "is_folded", "is_of_layouts"]


def call_cast(act: Activation, node: ast.AST, kind: tuple[DType, bool], arguments: Arguments) -> Entity:
    """Convert numbers to a dtype, whatever they lose; ``float("inf")`` too."""
    (dtype, weak), operands = kind, arguments.positional
    if dtype.kind == "f" and len(operands) == 1 and isinstance(operands[0], Constant):
        operands = [_of_text(act, node, operands[0])]
    if len(operands) == 2 and dtype.kind == "c" and not arguments.named:
        real = real_of(dtype)
        with act.at(node):
            parts = tuple([converted(number_of(act, node, x), real).expr for x in operands])
        return Value(Call("complex", parts, dtype), weak)
    if len(operands) != 1 or arguments.named:
        raise act.error(node, f"a conversion takes one number; found {ast.unparse(node)}")
    return elementwise(act, node, lambda x: converted(x, dtype)._replace(weak=weak), operands)


def _of_text(act: Activation, node: ast.AST, x: Constant) -> Constant:
    if not isinstance(x.value, str):
        return x
    try:
        return Constant(float(x.value))
    except ValueError as error:
        raise act.error(node, str(error)) from None


def is_folded(function: Any, arguments: Arguments) -> bool:
    """Tell whether a function is called while the kernel is compiled, as all its arguments are known numbers."""
    numbers = all(isinstance(x, Constant) and is_number(x) for x in arguments.positional) and not arguments.named
    return numbers and bool(arguments.positional) and is_hashable(function) and function in _FOLDED


def is_of_layouts(function: Any) -> bool:
    """Tell whether a function is one of layouts, which are constants."""
    return callable(function) and str(getattr(function, "__module__", "")).startswith("accel.layout.")


_MOST_UNROLLED = 4096
_FOLDED = frozenset({min, max, abs, pow, round, math.gcd, math.lcm, math.isqrt}) | {
    function for function in by_function() if getattr(function, "__module__", "") == "math"
}


def _range(act: Activation, node: ast.AST, *bounds: Entity) -> Range:
    numbers = [number_of(act, node, x, "an integer") for x in bounds]
    if not 1 <= len(numbers) <= 3 or any(kind_of(x.dtype) not in "iu" for x in numbers):
        raise act.error(node, f"range takes one to three integers; found {ast.unparse(node)}")
    values = range_of(numbers)
    if indexing.known(values.step.expr) == 0:
        raise act.error(node, "the step of a range must not be 0")
    return values


def _grid(act: Activation, node: ast.AST, *extents: Entity) -> Grid:
    axes = extents[0].items if len(extents) == 1 and isinstance(extents[0], Tuple) else extents
    numbers = [number_of(act, node, x, "an integer") for x in axes]
    if not numbers or any(kind_of(x.dtype) not in "iu" for x in numbers):
        raise act.error(node, "grid takes one integer for each axis")
    return Grid(tuple([Value(indexing.as_index(x.expr), weak=True) for x in numbers]))


def _unroll(act: Activation, node: ast.AST, iterable: Entity) -> Tuple:
    if isinstance(iterable, Range):
        bounds = [x.expr for x in iterable]
        if not all(isinstance(x, Const) for x in bounds):
            raise act.error(node, "the bounds of a range that is unrolled must be constants")
        numbers = range(*[x.value for x in bounds])  # type: ignore[union-attr]
        if len(numbers) > _MOST_UNROLLED:
            raise act.error(node, f"{len(numbers)} iterations are too many to unroll; write for i in range(n)")
        return Tuple(tuple(map(Constant, numbers)))
    if isinstance(iterable, Tuple | Vector | Struct):
        return Tuple(iterable.items)
    raise act.error(node, "unroll takes a range or a tuple")


def _len(act: Activation, node: ast.AST, x: Entity) -> Entity:
    if isinstance(x, Tuple | Vector | Struct):
        return Constant(len(x.items))
    if isinstance(x, Buffer | Tensor):
        return extent(x.shape[0])
    raise act.error(node, f"{described(x)} has no length")


def _vector(act: Activation, node: ast.AST, *parts: Entity) -> Vector:
    numbers = [number_of(act, node, x) for x in parts]
    if not numbers:
        raise act.error(node, "a vector has at least one number")
    with act.at(node):
        return Vector(tuple(alike(numbers)))


FUNCTIONS: Mapping[Any, Callable[..., Entity]] = {
    **by_function(),
    **OPERATOR_FUNCTIONS,
    **INTRINSICS,
    range: _range,
    len: _len,
    BufferView: subview,
    language.grid: _grid,
    language.unroll: _unroll,
    language.vector: _vector,
    **{getattr(language, name): handler for name, handler in MATHEMATICS.items() if name in language.__all__},
}
"""What a call does, by the Python object that is called."""
