"""Functions that NumPy computes in several passes over the elements, as nodes: variances, norms, `nan` reductions."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from accel.dtypes import DType
from accel.fusion.elementwise import Make
from accel.fusion.nodes import Node

__all__ = ["STATISTICS", "Elements", "count_of_numbers"]

_TRUTH, _COUNT, _FLOAT = np.dtype(np.bool_), np.dtype(np.int64), np.dtype(np.float64)


class Elements(NamedTuple):
    """The elements of an array, and how nodes are made of them.

    Attributes
    ----------
    x : Node
        The elements.
    make : callable
        Makes an operation, or a constant.
    number : callable
        Returns the node of one of the numbers that a function takes besides the elements.
    total : callable
        Combines elements along the axes that are reduced, which stay, with extent 1.
    """

    x: Node
    make: Make
    number: Callable[[int], Node]
    total: Callable[[Node, Literal["add", "mul", "min", "max"]], Node]

    @property
    def dtype(self) -> DType:
        """In which the function computes."""
        return self.x.dtype

    def constant(self, value: float) -> Node:
        """Return a number that is the same in each call."""
        return self.make("constant", value, (), self.dtype)

    def sum(self, x: Node) -> Node:
        """Return elements added up along the axes."""
        return self.total(x, "add")

    def binary(self, name: str, one: Node, other: Node) -> Node:
        """Return a function of two operands."""
        return self.make("binary", name, (one, other), one.dtype)

    def call(self, name: str, x: Node) -> Node:
        """Return a function of one operand."""
        return self.make("call", name, (x,), x.dtype)

    def compare(self, name: str, one: Node, other: Node) -> Node:
        """Return a truth value for each element."""
        return self.make("compare", name, (one, other), _TRUTH)

    def select(self, condition: Node, one: Node, other: Node) -> Node:
        """Return one of two operands for each element of a condition."""
        return self.make("select", "", (condition, one, other), one.dtype)

    def cast(self, x: Node, dtype: DType) -> Node:
        """Return elements of another dtype."""
        return self.make("cast", "", (x,), dtype)


def _mean_of_integers(e: Elements) -> Node:
    """Return the mean; the number is how many elements there are."""
    return e.binary("truediv", e.cast(e.sum(e.x), _FLOAT), e.cast(e.number(0), _FLOAT))


def _variance(e: Elements) -> Node:
    """Return the variance; the numbers are how many elements there are, and the divisor."""
    off = e.binary("sub", e.x, e.binary("truediv", e.sum(e.x), e.number(0)))
    return e.binary("truediv", e.sum(e.call("square", off)), e.number(1))


def _is_number(e: Elements) -> Node:
    return e.compare("eq", e.x, e.x)


def _sum_of_numbers(e: Elements) -> Node:
    return e.sum(e.select(_is_number(e), e.x, e.constant(0)))


def count_of_numbers(e: Elements) -> Node:
    """Return how many elements are not NaN."""
    return e.sum(e.cast(_is_number(e), _COUNT))


def _mean_of_numbers(e: Elements) -> Node:
    return e.binary("truediv", _sum_of_numbers(e), e.cast(count_of_numbers(e), e.dtype))


def _variance_of_numbers(e: Elements) -> Node:
    """Return the variance without the elements that are NaN; the number is the correction."""
    is_number, count = _is_number(e), e.cast(count_of_numbers(e), e.dtype)
    mean = e.binary("truediv", _sum_of_numbers(e), count)
    squares = e.select(is_number, e.call("square", e.binary("sub", e.x, mean)), e.constant(0))
    divisor = e.binary("sub", count, e.number(0))
    variance = e.binary("truediv", e.sum(squares), divisor)
    return e.select(e.compare("gt", divisor, e.constant(0)), variance, e.constant(np.nan))


def _log_sum_exp(e: Elements) -> Node:
    """Return the logarithm of the sum of exponentials; the greatest are counted, so that none of the others is lost."""
    most = e.total(e.x, "max")
    is_most = e.compare("eq", e.x, most)
    count = e.cast(e.sum(e.cast(is_most, _COUNT)), e.dtype)
    others = e.sum(e.select(is_most, e.constant(0), e.call("exp", e.binary("sub", e.x, most))))
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
    return e.sum(e.cast(e.compare("ne", e.x, e.constant(0)), dtype))


STATISTICS: Mapping[str, Callable[[Elements], Node]] = MappingProxyType(
    {
        "count_nonzero": lambda e: _not_zero(e, _COUNT),
        "logsumexp": _log_sum_exp,
        "mean of integers": _mean_of_integers,
        "nan_to_num": _nan_to_num,
        "nanmean": _mean_of_numbers,
        "nanstd": _root(_variance_of_numbers),
        "nansum": _sum_of_numbers,
        "nanvar": _variance_of_numbers,
        "norm of 0": lambda e: _not_zero(e, e.dtype),
        "norm of 1": lambda e: e.sum(e.call("abs", e.x)),
        "norm of 2": lambda e: e.call("sqrt", e.sum(e.call("square", e.x))),
        "norm of inf": lambda e: e.total(e.call("abs", e.x), "max"),
        "norm of -inf": lambda e: e.total(e.call("abs", e.x), "min"),
        "prod": lambda e: e.total(e.x, "mul"),
        "std": _root(_variance),
        "sum": lambda e: e.sum(e.x),
        "var": _variance,
    }
)
"""By function, what makes the node of its result from `Elements`."""
