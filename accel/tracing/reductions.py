"""Reductions of symbols: sums, extremes and means along axes, as loops of the graph."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from accel.dtypes import DType
from accel.fusion.index_maps import Axis, IndexMap, broadcast, strides_of
from accel.fusion.nodes import Input, Node, Position, Reshape, Result
from accel.fusion.statistics import STATISTICS, Elements
from accel.tracing.scans import SCANS, scanned
from accel.tracing.small_products import is_small, small_product
from accel.tracing.symbols import Symbol

__all__ = ["reduced"]

_Op: TypeAlias = Literal["add", "mul", "min", "max"]

_OPS: dict[str, _Op] = {
    "all": "min",
    "any": "max",
    "count_nonzero": "add",
    "max": "max",
    "mean": "add",
    "min": "min",
    "prod": "mul",
    "sum": "add",
}
_PLACES: dict[str, tuple[_Op, str]] = {"argmax": ("max", "le"), "argmin": ("min", "ge")}
"""How elements are combined, and how those compare that are no better than the best one before them."""

_NORMS: dict[str, dict[Any, str]] = {
    "linalg.norm": {None: "norm of 2"},
    "linalg.vector_norm": {
        kind: f"norm of {name}" for kind, name in {0: 0, 1: 1, 2: 2, math.inf: "inf", -math.inf: "-inf"}.items()
    },
}
"""By function and order, the name in `STATISTICS`."""

_SPREADS = frozenset({"std", "var"})
_OF_NUMBERS = frozenset({"nanmean", "nanstd", "nansum", "nanvar"})
_PASSES = frozenset({*_NORMS, *_SPREADS, *_OF_NUMBERS, "nan_to_num", "special.logsumexp"})
_OF_MATRICES = frozenset({"dot", "linalg.matmul", "matmul"})
_PRODUCTS = _OF_MATRICES | frozenset({"inner", "linalg.vecdot", "vdot", "vecdot"})
_OF_TRUTHS = frozenset({"all", "any", "count_nonzero"})
_OPTIONS = frozenset({"axis", "dtype", "keepdims"})

_TRUTH, _BYTE, _INDEX, _SHORT_INDEX = map(np.dtype, ("bool", "uint8", "int64", "int32"))

_FEW = 8
"""Elements that are combined one after another, by operations of elements."""

_LONG = 256
"""Elements, from which on a function of a library takes little longer than to read them."""


class _Strided(NamedTuple):
    """An array whose order in memory another one follows."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)


class _Reduction(NamedTuple):
    """What a call asks for.

    Attributes
    ----------
    trace : Trace
        Where the nodes are made.
    x : Symbol
        The elements.
    axes : tuple of int
        The axes that are reduced.
    shape : tuple of int
        That of the result.
    """

    trace: Any
    x: Symbol
    axes: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def elements(self) -> int:
        """Number of elements of a result."""
        return math.prod([self.x.shape[axis] for axis in self.axes])

    def combined(self, node: Node, op: _Op) -> Node:
        """Return the elements of a node combined along the axes, in the shape of the result."""
        if self.elements <= _FEW:
            parts = self.parts(node)
            name = {"max": "or", "min": "and"}.get(op, op) if node.dtype == _TRUTH else op
            if op == "add" and node.dtype.kind in "fc":
                parts.insert(0, self.trace.constant(0, node.dtype))  # a sum of zeros is 0.0, not -0.0
            while len(parts) > 1:
                parts[:2] = [self.trace.make("binary", name, parts[:2], node.dtype)]
            return self.trace.reshaped(parts[0], self.shape)  # type: ignore[no-any-return]
        return self.trace.reshaped(self.trace.combined(node, op, self.axes), self.shape)  # type: ignore[no-any-return]

    def parts(self, node: Node) -> list[Node]:
        """Return the elements of a node at each index along the axes, in order."""
        return [self.trace.view(node, *part) for part in _parts(node.shape, self.axes)]

    def beside(self, node: Node) -> Node:
        """Return results, so that they are broadcast along the axes."""
        kept = tuple([1 if axis in self.axes else extent for axis, extent in enumerate(self.x.shape)])
        return self.trace.reshaped(node, kept)  # type: ignore[no-any-return]

    def places(self, dtype: DType) -> Node:
        """Return for each element its number along the axes."""
        steps = strides_of([self.x.shape[axis] for axis in self.axes])
        along = Axis(0, tuple([each for each in zip(self.axes, steps, strict=True) if self.x.shape[each[0]] > 1]))
        numbers = self.trace.view(Position((self.elements,), _INDEX), (along,), self.x.shape)
        return self.trace.cast(self.trace.symbol(numbers), dtype)  # type: ignore[no-any-return]

    def total(self, node: Node, op: _Op) -> Node:
        """Return the elements of a node combined along the axes, which stay, with extent 1."""
        return self.beside(self.combined(node, op))

    def shaped(self, node: Node) -> Node:
        """Return a node whose reduced axes have extent 1 in the shape of the result."""
        if isinstance(node, Reshape):
            return self.trace.reshaped(node, self.shape)  # type: ignore[no-any-return]
        if len(node.shape) == len(self.shape):
            return node
        kept = [axis for axis in range(len(node.shape)) if axis not in self.axes]
        places = {axis: place for place, axis in enumerate(kept) if node.shape[axis] > 1}
        index_map = [Axis(0, ((places[axis], 1),)) if axis in places else Axis() for axis in range(len(node.shape))]
        return self.trace.view(node, tuple(index_map), self.shape)  # type: ignore[no-any-return]

    def symbol(self, node: Node) -> Symbol:
        """Return the result, whose axes have the order in memory that they have in the elements, as NumPy's results."""
        x, keeps = self.x, len(self.shape) == self.x.ndim
        steps = [
            0 if axis in self.axes else step for axis, step in enumerate(x.strides) if keeps or axis not in self.axes
        ]
        return self.trace.symbol(node, [_Strided(self.shape, tuple(steps))])  # type: ignore[no-any-return]

    def quotient(self, node: Node, number: float) -> Node:
        """Return a node divided by a number."""
        divisor = self.trace.of_size(number, node.dtype)
        return self.trace.make("binary", "truediv", (node, divisor), node.dtype)  # type: ignore[no-any-return]


def reduced(
    trace: Any, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], model: Any
) -> "Symbol | None":
    """Return the result of a reduction; None if the library should compute it.

    Parameters
    ----------
    trace : Trace
        The trace.
    name : str
        The function or method, such as ``sum`` or ``ndarray.sum``.
    arguments, keywords
        Of the call.
    model
        An array of the shape and the dtype of the result.
    """
    name = name.removeprefix("ndarray.")
    if name in SCANS:
        return scanned(trace, name, arguments, keywords, model)
    special = _place if name in _PLACES else _statistic if name in _PASSES else _product if name in _PRODUCTS else None
    if special is not None:
        return special(trace, name, arguments, keywords, model)
    if name not in _OPS or not keywords.keys() <= _OPTIONS or not isinstance(arguments[0], Symbol):
        return None
    x, dtype = arguments[0], np.asarray(model).dtype
    if len(arguments) > 2 or not _is_known(name, x.dtype, dtype):
        return None
    asked = _asked(trace, x, arguments[1] if len(arguments) > 1 else keywords.get("axis"), model)
    if asked is None or (x.dtype == _TRUTH and name in ("all", "any") and _are_neighbours(asked)):
        return None  # the library's function ends at the first that decides
    node = trace.cast(x, _TRUTH if name in _OF_TRUTHS else dtype)
    if name == "count_nonzero":
        node = trace.cast(trace.symbol(node), dtype)
    result = asked.combined(node, _OPS[name])
    return asked.symbol(asked.quotient(result, asked.elements) if name == "mean" else result)


def _asked(trace: Any, x: Symbol, axis: Any, model: Any) -> _Reduction | None:
    """Return a reduction along axes; None if the library should do it."""
    axes = tuple(range(x.ndim)) if axis is None else tuple(sorted(normalize_axis_tuple(axis, x.ndim)))
    asked = _Reduction(trace, x, axes, np.shape(model))
    threads_are_few = 1 < math.prod(asked.shape) < trace.real.limits.concurrency
    if not axes or not x.size or x.weak is not None or (threads_are_few and asked.elements > _FEW):
        return None
    return asked


def _place(trace: Any, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], model: Any) -> "Symbol | None":
    """Return where the first extreme is, or the first NaN; None if the library should look for it."""
    (x, *others), (op, no_better) = arguments, _PLACES[name]
    if len(others) > 1 or not keywords.keys() <= {"axis", "keepdims"} or not isinstance(x, Symbol):
        return None
    if x.dtype != _TRUTH and not _is_known(op, x.dtype, x.dtype):
        return None
    asked = _asked(trace, x, others[0] if others else keywords.get("axis"), model)
    if asked is None or _is_found_at_once(asked):
        return None
    node = trace.cast(x, _BYTE) if x.dtype == _TRUTH else x.node
    place = _few_compared(asked, node, no_better) if asked.elements <= _FEW else _looked_for(asked, node, op)
    return trace.symbol(trace.reshaped(trace.cast(trace.symbol(place), np.asarray(model).dtype), asked.shape))  # type: ignore[no-any-return]


def _is_found_at_once(asked: _Reduction) -> bool:
    """Tell whether the library's function takes less time than a loop, which reads all elements twice."""
    x, rank = asked.x, asked.x.ndim
    if asked.elements <= _FEW or asked.trace.real.limits.concurrency > 1:
        return False
    if x.dtype == _TRUTH and asked.axes == tuple(range(rank - len(asked.axes), rank)):  # it ends at the first true one
        return True
    if x.itemsize == 1 and asked.elements == x.size:
        return True
    return _are_neighbours(asked)


def _are_neighbours(asked: _Reduction) -> bool:
    """Tell whether the elements of a result follow one another in memory, and are many."""
    x = asked.x
    steps = strides_of([x.shape[axis] for axis in asked.axes])
    pairs = [(x.strides[axis], step * x.itemsize) for axis, step in zip(asked.axes, steps, strict=True)]
    is_in_memory = isinstance(x.base.node, Input | Result) and asked.trace.real.limits.concurrency == 1
    return is_in_memory and asked.elements >= _LONG and all(one == other for one, other in pairs)


def _few_compared(asked: _Reduction, node: Node, no_better: str) -> Node:
    """Return the place of the best element of few, each of which is compared with the best one before it."""
    make = asked.trace.make
    best, *others = asked.parts(node)
    place = asked.trace.constant(0, _SHORT_INDEX)
    for number, each in enumerate(others, 1):
        better = make("unary", "not", (make("compare", no_better, (each, best), _TRUTH),), _TRUTH)
        if node.dtype.kind == "f":
            better = make("binary", "and", (better, make("compare", "eq", (best, best), _TRUTH)), _TRUTH)
        best = make("select", "", (better, each, best), node.dtype)
        place = make("select", "", (better, asked.trace.constant(number, _SHORT_INDEX), place), _SHORT_INDEX)
    return asked.trace.view(place, broadcast(place.shape, best.shape), best.shape)  # type: ignore[no-any-return]


def _looked_for(asked: _Reduction, node: Node, op: _Op) -> Node:
    """Return the least number of the elements that are the extreme, or NaN."""
    make = asked.trace.make
    extreme = asked.beside(asked.trace.combined(node, op, asked.axes))
    found = make("compare", "eq", (node, extreme), _TRUTH)
    if node.dtype.kind == "f":
        found = make("binary", "or", (found, make("compare", "ne", (node, node), _TRUTH)), _TRUTH)
    # Vectors compare and choose numbers of one size fastest.
    short = node.dtype.itemsize < _INDEX.itemsize and asked.elements <= np.iinfo(_SHORT_INDEX).max
    dtype = _SHORT_INDEX if short else _INDEX
    last = asked.trace.constant(np.iinfo(dtype).max, dtype)
    return asked.trace.combined(make("select", "", (found, asked.places(dtype), last), dtype), "min", asked.axes)  # type: ignore[no-any-return]


def _statistic(
    trace: Any, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], model: Any
) -> "Symbol | None":
    """Return one of `STATISTICS`, or None."""
    (x, *others), dtype = arguments, np.asarray(model).dtype
    if not isinstance(x, Symbol) or not _is_known("std", x.dtype, dtype):
        return None
    if name == "nan_to_num":
        return None if others or keywords or x.dtype != dtype else _with_nodes(trace, name, x.node)
    form = _statistic_and_axis(name, others, keywords)
    if form is None or (x.dtype != dtype and name not in _SPREADS):
        return None
    statistic, axis = form
    asked, correction = _asked(trace, x, axis, model), keywords.get("correction", keywords.get("ddof", 0))
    if asked is None or type(correction) not in (int, float):
        return None
    numbers = (asked.elements, asked.elements - correction) if name in _SPREADS else (correction,)
    if name in _SPREADS and numbers[-1] <= 0:
        return None
    return _with_nodes(trace, statistic, trace.cast(x, dtype), asked, numbers)


def _statistic_and_axis(name: str, others: Sequence[Any], keywords: Mapping[str, Any]) -> "tuple[str, Any] | None":
    """Return the name of a function in `STATISTICS`, and the axis of a call; None if it has other arguments."""
    if name == "special.logsumexp":
        axis, factors, _, return_sign = others
        return ("logsumexp", axis) if factors is None and not return_sign and not keywords else None
    if name in _NORMS:
        kind = keywords.get("ord", 2 if name == "linalg.vector_norm" else None)
        if others or not keywords.keys() <= {"axis", "keepdims", "ord"} or kind not in _NORMS[name]:
            return None
        return _NORMS[name][kind], keywords.get("axis")
    if len(others) > 1 or not keywords.keys() <= _OPTIONS | {"correction", "ddof"}:
        return None
    return name, others[0] if others else keywords.get("axis")


def _with_nodes(
    trace: Any, name: str, x: Node, asked: _Reduction | None = None, numbers: Sequence[float] = ()
) -> Symbol:
    def number(place: int) -> Node:
        return trace.of_size(numbers[place], x.dtype)  # type: ignore[no-any-return]

    def total(node: Node, op: _Op) -> Node:
        assert asked is not None, "a function that reduces has axes"
        return asked.total(node, op)

    node = STATISTICS[name](Elements(x, trace.make, number, total))
    return trace.symbol(node) if asked is None else asked.symbol(asked.shaped(node))


def _product(
    trace: Any, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], model: Any
) -> "Symbol | None":
    """Return the sum of products of two vectors, or None; a call of a library takes longer for short ones."""
    dtype = np.asarray(model).dtype
    if name in _OF_MATRICES and not keywords and is_small(arguments, np.shape(model)):
        return small_product(trace, *arguments) if _is_known("sum", dtype, dtype) else None
    if len(arguments) != 2 or not keywords.keys() <= {"axis"} or not _is_known("max", dtype, dtype):
        return None
    if any(not isinstance(x, Symbol) or x.ndim != 1 or x.dtype != dtype for x in arguments):
        return None
    asked = _asked(trace, arguments[0], None, model)
    if asked is None or trace.real.limits.concurrency > 1:
        return None
    products = trace.make("binary", "mul", [x.node for x in arguments], dtype)
    return trace.symbol(asked.combined(products, "add"))  # type: ignore[no-any-return]


def _is_known(name: str, dtype: Any, result: Any) -> bool:
    """Tell whether loops reduce elements of a dtype to such results."""
    kinds = {"sum": "fiuc", "max": "fiu", "min": "fiu", "prod": "fiu", "mean": "f", "std": "f"}
    fit = all(each.isbuiltin == 1 and each.name != "float16" for each in (dtype, result))
    return fit and (name in _OF_TRUTHS or (result.kind in kinds[name] and (dtype.kind != "c" or result.kind == "c")))


def _parts(shape: Sequence[int], axes: Sequence[int]) -> Iterator[tuple[IndexMap, tuple[int, ...]]]:
    """Yield the map and the shape of each part of an array at one index along axes."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    extents = tuple([shape[axis] for axis in kept])
    for index in np.ndindex(*[shape[axis] for axis in axes]):
        places = dict(zip(axes, index, strict=True))
        yield (
            tuple(
                [
                    Axis(places[axis]) if axis in places else Axis(0, ((kept.index(axis), 1),) * (extent > 1))
                    for axis, extent in enumerate(shape)
                ]
            ),
            extents,
        )
