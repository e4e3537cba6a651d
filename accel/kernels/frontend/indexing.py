"""Arithmetic on indices: expressions of type `INDEX`, simplified where a value is known."""

import operator
from collections.abc import Callable

import numpy as np

from accel.dtypes import DType
from accel.ir import INDEX, Binary, Cast, Compare, Const, Expr, Logic, Select, Unary, of_type
from accel.layout import Layout, Swizzle

__all__ = ["between", "clipped", "distance", "least", "minus", "most", "number", "plus", "swizzled", "times"]


def number(value: int) -> Const:
    """Return a constant."""
    return Const(value, INDEX)


def _constant(x: Expr) -> int | None:
    return int(x.value) if isinstance(x, Const) else None


_LARGEST = int(np.iinfo(INDEX).max)
_FOLDED = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def known(x: Expr) -> int | None:
    """Return the value of an integer expression of constants; None if it is not known."""
    if isinstance(x, Const):
        return int(x.value)
    if isinstance(x, Cast) and of_type(x.x).kind in "biu":
        return _combined(int, x.dtype, x.x)
    if isinstance(x, Unary) and x.op == "neg":
        return _combined(operator.neg, x.dtype, x.x)
    if isinstance(x, Binary) and x.op in _FOLDED:
        return _combined(_FOLDED[x.op], x.dtype, x.x, x.y)
    return None


def _combined(function: Callable[..., int], dtype: DType, *operands: Expr) -> int | None:
    """Return the result of an operation as an integer type holds it, after an overflow."""
    values = [known(x) for x in operands]
    if None in values or dtype.kind not in "iu":
        return None
    limits = np.iinfo(dtype)
    return (function(*values) - limits.min) % (limits.max - limits.min + 1) + limits.min


def as_index(x: Expr) -> Expr:
    """Convert an integer expression."""
    if isinstance(x, Const):  # a number above all indices is out of range, as the largest one is
        return number(min(int(x.value), _LARGEST))
    return x if of_type(x) == INDEX else Cast(x, INDEX)


def plus(x: Expr, y: Expr) -> Expr:
    """Return the sum."""
    a, b = _constant(x), _constant(y)
    if a is not None and b is not None:
        return number(a + b)
    if a == 0:
        return y
    return x if b == 0 else Binary("add", x, y, INDEX)


def minus(x: Expr, y: Expr) -> Expr:
    """Return the difference."""
    a, b = _constant(x), _constant(y)
    if a is not None and b is not None:
        return number(a - b)
    return x if b == 0 else Binary("sub", x, y, INDEX)


def times(x: Expr, y: Expr) -> Expr:
    """Return the product."""
    a, b = _constant(x), _constant(y)
    if a is not None and b is not None:
        return number(a * b)
    if 0 in (a, b):
        return number(0)
    if a == 1:
        return y
    return x if b == 1 else Binary("mul", x, y, INDEX)


def quotient(x: Expr, by: int) -> Expr:
    """Return the quotient by a positive constant, rounded down."""
    a = _constant(x)
    if a is not None:
        return number(a // by)
    return x if by == 1 else Binary("floordiv", x, number(by), INDEX)


def remainder(x: Expr, by: int) -> Expr:
    """Return the remainder by a positive constant."""
    a = _constant(x)
    if a is not None:
        return number(a % by)
    return number(0) if by == 1 else Binary("mod", x, number(by), INDEX)


def least(x: Expr, y: Expr) -> Expr:
    """Return the smaller one."""
    a, b = _constant(x), _constant(y)
    if a is not None and b is not None:
        return number(min(a, b))
    return Binary("min", x, y, INDEX)


def most(x: Expr, y: Expr) -> Expr:
    """Return the larger one."""
    a, b = _constant(x), _constant(y)
    if a is not None and b is not None:
        return number(max(a, b))
    return Binary("max", x, y, INDEX)


def between(x: Expr, low: Expr, high: Expr) -> Expr:
    """Return ``x`` brought into ``[low, high]``."""
    return most(low, least(x, high))


def clipped(x: Expr, size: Expr) -> Expr:
    """Return a bound of a slice as Python reads it: negative ones count from the end, and others are clipped."""
    a = _constant(x)
    if a is None:
        return Select(Compare("lt", x, number(0)), most(plus(x, size), number(0)), least(x, size), INDEX)
    return least(x, size) if a >= 0 else most(plus(size, x), number(0))


def within(x: Expr, extent: Expr) -> Expr:
    """Return the condition that an index is at least 0 and less than an extent."""
    return Logic("and", Compare("ge", x, number(0)), Compare("lt", x, extent))


def distance(layout: Layout, coordinate: Expr) -> Expr:
    """Return the offset of a colexicographic coordinate in a layout."""
    total: Expr = number(0)
    leaves = [leaf for leaf in layout.leaves if leaf[0] != 1]
    before = 1
    for place, (extent, stride) in enumerate(leaves):
        digit = quotient(coordinate, before)
        if place < len(leaves) - 1:
            digit = remainder(digit, extent)
        total = plus(total, times(digit, number(stride)))
        before *= extent
    return total


def swizzled(swizzle: Swizzle | None, x: Expr) -> Expr:
    """Return a distance after a swizzle."""
    if swizzle is None or not swizzle.bits:
        return x
    a = _constant(x)
    if a is not None:
        return number(swizzle(a))
    shift = swizzle.shift
    mask = ((1 << swizzle.bits) - 1) << (swizzle.base + max(shift, 0))
    selected = Binary("and", x, number(mask), INDEX)
    moved = Binary("rshift" if shift >= 0 else "lshift", selected, number(abs(shift)), INDEX)
    return Binary("xor", x, moved, INDEX)
