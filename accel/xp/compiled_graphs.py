"""Functions of NumPy that pass over their elements several times, as graphs that loops are made of."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from accel.dtypes import DType
from accel.fusion.index_maps import Axis
from accel.fusion.nodes import Constant, Input, Node, Operation, Reduction, Scalar, Shape, View

__all__ = ["GRAPHS", "Elements"]

_TRUTH, _COUNT = np.dtype(np.bool_), np.dtype(np.int64)


class Elements:
    """The elements of an array, and the axes along which they are reduced.

    Parameters
    ----------
    shape : tuple of int
        Extents of the loops.
    strides : tuple of int
        Their steps.
    dtype, computed : numpy.dtype
        Of the elements, and in which the function computes.
    axes : tuple of int
        The loops that reduce.

    Attributes
    ----------
    source : Input
        The array.
    x : Node
        The elements as the function computes with them.
    """

    def __init__(
        self, shape: Shape, strides: tuple[int, ...], dtype: DType, computed: DType, axes: tuple[int, ...]
    ) -> None:
        self.source = Input(shape, dtype, 0, strides, "x")
        self.dtype = computed
        self.x: Node = self.source if dtype == computed else self.cast(self.source, computed)
        self._axes = axes

    def number(self, place: int) -> Node:
        """Return one of the numbers that each call passes."""
        return Scalar(self.dtype, place)

    def constant(self, value: float) -> Node:
        """Return a number that is the same in each call."""
        return Constant(self.dtype.type(value).item(), self.dtype)

    def binary(self, name: str, one: Node, other: Node) -> Node:
        """Return a function of two operands."""
        return Operation("binary", name, (one, other), _broadcast(one, other), one.dtype)

    def call(self, name: str, x: Node, dtype: DType | None = None) -> Node:
        """Return a function of one operand."""
        return Operation("call", name, (x,), x.shape, dtype or x.dtype)

    def compare(self, name: str, one: Node, other: Node) -> Node:
        """Return a truth value for each element."""
        return Operation("compare", name, (one, other), _broadcast(one, other), _TRUTH)

    def select(self, condition: Node, one: Node, other: Node) -> Node:
        """Return one of two operands for each element of a condition."""
        return Operation("select", "", (condition, one, other), condition.shape, one.dtype)

    def cast(self, x: Node, dtype: DType) -> Node:
        """Return elements of another dtype."""
        return Operation("cast", "", (x,), x.shape, dtype)

    def total(self, x: Node, op: Literal["add", "min", "max"] = "add") -> Node:
        """Return elements combined along the axes, which stay, with extent 1."""
        reduction = Reduction(x, op, self._axes)
        kept = [axis for axis in range(len(x.shape)) if axis not in self._axes]
        shape = tuple([1 if axis in self._axes else extent for axis, extent in enumerate(x.shape)])
        return View(reduction, tuple([Axis(0, ((axis, 1),)) for axis in kept]), shape) if kept else reduction


def _broadcast(one: Node, other: Node) -> Shape:
    return one.shape if one.size >= other.size and len(one.shape) >= len(other.shape) else other.shape


def _variance(e: Elements) -> Node:
    """Return the variance; the numbers are how many elements there are, and the divisor."""
    off = e.binary("sub", e.x, e.binary("truediv", e.total(e.x), e.number(0)))
    return e.binary("truediv", e.total(e.call("square", off)), e.number(1))


def _is_number(e: Elements) -> Node:
    return e.compare("eq", e.x, e.x)


def _sum_of_numbers(e: Elements) -> Node:
    return e.total(e.select(_is_number(e), e.x, e.constant(0)))


def _count_of_numbers(e: Elements) -> Node:
    return e.cast(e.total(e.cast(_is_number(e), _COUNT)), e.dtype)


def _mean_of_numbers(e: Elements) -> Node:
    return e.binary("truediv", _sum_of_numbers(e), _count_of_numbers(e))


def _variance_of_numbers(e: Elements) -> Node:
    """Return the variance without the elements that are NaN; the number is the correction."""
    is_number, count = _is_number(e), _count_of_numbers(e)
    mean = e.binary("truediv", _sum_of_numbers(e), count)
    squares = e.select(is_number, e.call("square", e.binary("sub", e.x, mean)), e.constant(0))
    divisor = e.binary("sub", count, e.number(0))
    variance = e.binary("truediv", e.total(squares), divisor)
    return e.select(e.compare("gt", divisor, e.constant(0)), variance, e.constant(np.nan))


def _log_sum_exp(e: Elements) -> Node:
    """Return the logarithm of the sum of exponentials; the greatest are counted, so that none of the others is lost."""
    most = e.total(e.x, "max")
    is_most = e.compare("eq", e.x, most)
    count = e.cast(e.total(e.cast(is_most, _COUNT)), e.dtype)
    others = e.total(e.select(is_most, e.constant(0), e.call("exp", e.binary("sub", e.x, most))))
    rest = e.call("log1p", e.binary("truediv", others, count))
    return e.binary("add", e.binary("add", rest, e.call("log", count)), most)


def _nan_to_num(e: Elements) -> Node:
    """Return the elements with 0 for NaN, and the largest numbers for infinities."""
    limits = np.finfo(e.dtype)
    x = e.select(_is_number(e), e.x, e.constant(0))
    x = e.select(e.compare("eq", x, e.constant(np.inf)), e.constant(limits.max), x)
    return e.select(e.compare("eq", x, e.constant(-np.inf)), e.constant(limits.min), x)


def _root(function: Callable[[Elements], Node]) -> Callable[[Elements], Node]:
    return lambda e: e.call("sqrt", function(e))


def _not_zero(e: Elements, dtype: DType) -> Node:
    return e.total(e.cast(e.compare("ne", e.x, e.constant(0)), dtype))


GRAPHS: Any = MappingProxyType(
    {
        "count_nonzero": lambda e: _not_zero(e, _COUNT),
        "logsumexp": _log_sum_exp,
        "nan_to_num": _nan_to_num,
        "nanmean": _mean_of_numbers,
        "nanstd": _root(_variance_of_numbers),
        "nansum": _sum_of_numbers,
        "nanvar": _variance_of_numbers,
        "norm of 0": lambda e: _not_zero(e, e.dtype),
        "norm of 1": lambda e: e.total(e.call("abs", e.x)),
        "norm of 2": lambda e: e.call("sqrt", e.total(e.call("square", e.x))),
        "norm of inf": lambda e: e.total(e.call("abs", e.x), "max"),
        "norm of -inf": lambda e: e.total(e.call("abs", e.x), "min"),
        "std": _root(_variance),
        "var": _variance,
    }
)
"""By function, what makes the node of its result from `Elements`."""
