"""Where a NaN in the results of a traced function comes from.

Every operation of the graph is computed and kept. From the elements that are NaN in what the function returns or
writes, the search goes back to their operands: to those at the same place, and of `where` to the one that was chosen.
It ends at operations that have made a NaN of operands without one. So a NaN that nobody chose is none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from accel.errors import NanError
from accel.fusion.index_maps import IndexMap, broadcast
from accel.fusion.nodes import (
    Constant,
    Empty,
    Input,
    Node,
    Operation,
    Position,
    Reduction,
    Reshape,
    Result,
    Scalar,
    Scan,
    Shape,
    Update,
    View,
    in_order,
)
from accel.tracing.plans import Plan
from accel.tracing.trace import Trace
from accel.xp.arrays import wrap

__all__ = ["NanOrigins"]

_Mask: TypeAlias = Any
_Test: TypeAlias = Callable[[Any], Any]

_UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
_TOTALS = {"add": "sum", "mul": "product", "max": "maximum", "min": "minimum"}
_MAKES_NONE = (Constant, Empty, Input, Position, Reshape, Scalar, Update, View)
"""Nodes whose elements are given, or those of other nodes."""


class Origin(NamedTuple):
    """An operation that made elements of a kind of operands that have none.

    Attributes
    ----------
    node : Node
        The operation, or the result of a call of the library.
    first : tuple of int
        The index of the first such element.
    elements : int
        How many there are.
    """

    node: Node
    first: tuple[int, ...]
    elements: int


class NanOrigins:
    """Looks for what makes a NaN, before a traced function runs.

    Parameters
    ----------
    trace : Trace
        The trace.
    outputs : sequence of Node
        What the function returns.
    name : str
        Its name.
    """

    def __init__(self, trace: Trace, outputs: Sequence[Node], name: str) -> None:
        self._name = name
        self._ends = [*outputs, *(each.value for each in trace.write_backs)]
        self._nodes = in_order(self._ends)
        kept = [each for each in self._nodes if not isinstance(each, _MAKES_NONE) and each.size]
        self._plan = Plan(trace, kept, name, pure=True)

    def check(self, inputs: Sequence[Any], numbers: Sequence[Any]) -> None:
        """Compute all operations, and raise the error of the first that has made a NaN.

        Raises
        ------
        NanError
            If one has; no argument was written.
        """
        plan, values = self._plan, _Values(numbers)
        with np.errstate(all="ignore"):  # the function itself runs after this, and warns
            natives = [*inputs, *plan.run(inputs, numbers)]
            for node, native in zip((*plan.inputs, *plan.outputs), natives, strict=True):
                values.known[node] = np.asarray(wrap(plan.library, native).to_device("cpu"))
        ends = {node: _is_nan(values.of(node)) for node in self._ends}
        origins = self._origins(values, ends, _is_nan)
        if origins:
            raise self._error(values, min(origins, key=lambda each: each.node.serial))

    def _origins(self, values: "_Values", ends: Mapping[Node, _Mask], test: _Test) -> list[Origin]:
        """Return where elements come from that pass a test: from which masks, and back."""
        masks = {node: mask.copy() for node, mask in ends.items()}
        origins = []
        for node in reversed(self._nodes):
            mask = masks.get(node)
            if mask is None or not mask.any():
                continue
            made = mask.copy()
            for operand, wanted, reached in _operands(values, node, mask, test):
                before = masks.setdefault(operand, np.zeros(operand.shape, bool))
                before |= wanted
                made &= ~reached
            if not isinstance(node, _MAKES_NONE) and made.any():
                index = tuple(np.argwhere(made)[0].tolist())
                origins.append(Origin(node, index, int(made.sum())))
        return origins

    def _error(self, values: "_Values", origin: Origin) -> NanError:
        node, index, count = origin
        said = f"{_described(values, origin)}, at {_line(node)}"
        if node.shape:
            more = f", and {count - 1} more" if count > 1 else ""
            said += f"; it is the element {index} of {node.shape}{more}"
        infinities: dict[Node, _Mask] = {}
        for operand, place in _at(node, index):
            if np.isinf(values.of(operand)[place]):
                infinities.setdefault(operand, np.zeros(operand.shape, bool))[place] = True
        for each in self._origins(values, infinities, np.isinf)[-1:]:
            said += f". The infinity was made by {_described(values, each)}, at {_line(each.node)}"
        return NanError(
            f"Not A Number: the fused function {self._name} makes a NaN by {said}. It reaches a result or an argument; "
            f"nothing was written: check the operands, or choose others by xp.where before the operation"
        )


class _Values:
    """The elements of nodes, on the host."""

    def __init__(self, numbers: Sequence[Any]) -> None:
        self.known: dict[Node, Any] = {}
        self._numbers = numbers

    def of(self, node: Node) -> Any:
        """Return the elements of a node."""
        if node not in self.known:
            self.known[node] = self._computed(node)
        return self.known[node]

    def _computed(self, node: Node) -> Any:  # noqa: PLR0911 - one for each kind of node
        if isinstance(node, Constant):
            return np.asarray(node.value, node.dtype)
        if isinstance(node, Scalar):
            return np.asarray(node.dtype.type(self._numbers[node.number]))
        if isinstance(node, Position):
            return np.arange(node.size).reshape(node.shape)
        if isinstance(node, View):
            return np.broadcast_to(self.of(node.source)[_places(node.map, node.shape)], node.shape)
        if isinstance(node, Reshape):
            return self.of(node.source).reshape(node.shape)
        if isinstance(node, Reduction):
            return _UFUNCS[node.op].reduce(self.of(node.source), axis=node.axes)
        if isinstance(node, Scan):
            return _UFUNCS[node.op].accumulate(self.of(node.source), axis=node.axis)
        if isinstance(node, Update):
            if not node.shape:  # a view of an array without axes may have some
                return self.of(node.value).reshape(()) if node.value.size else self.of(node.target)
            elements = self.of(node.target).copy()
            elements[_places(node.map, node.value.shape)] = self.of(node.value)
            return elements
        return np.zeros(node.shape, node.dtype)  # what has no elements, or none of meaning


def _operands(values: _Values, node: Node, mask: _Mask, test: _Test) -> Iterable[tuple[Node, _Mask, _Mask]]:
    """Return the operands of elements, the elements of each that pass a test, and for which elements they are read."""
    if isinstance(node, View):
        yield node.source, _scattered(mask, node.map, node.shape, node.source.shape), mask
    elif isinstance(node, Reshape):
        yield node.source, mask.reshape(node.source.shape), mask
    elif isinstance(node, Update):
        places = _places(node.map, node.value.shape)
        before = mask.copy()
        if node.value.size:
            before[places] = False
        yield node.value, np.broadcast_to(mask[places], node.value.shape), mask
        yield node.target, before, mask
    elif isinstance(node, Operation):
        yield from _of_operation(values, node, mask, test)
    elif isinstance(node, Reduction):
        passed = test(values.of(node.source))
        yield node.source, passed & np.expand_dims(mask, node.axes), passed.any(axis=node.axes)
    elif isinstance(node, Scan):
        passed, along = test(values.of(node.source)), partial(np.logical_or.accumulate, axis=node.axis)
        later = np.flip(along(np.flip(mask, node.axis)), node.axis)
        yield node.source, passed & later, along(passed)
    else:  # each element depends on all those of the operands
        for operand in node.operands:
            passed = test(values.of(operand))
            yield operand, passed, np.broadcast_to(passed.any(), mask.shape)


def _of_operation(values: _Values, node: Operation, mask: _Mask, test: _Test) -> Iterable[tuple[Node, _Mask, _Mask]]:
    chosen = [mask] * len(node.operands)
    if node.kind == "select":
        condition = np.broadcast_to(values.of(node.operands[0]), node.shape)
        chosen = [np.zeros_like(mask), mask & condition, mask & ~condition]
    for operand, which in zip(node.operands, chosen, strict=True):
        reached = which & np.broadcast_to(test(values.of(operand)), node.shape)
        yield operand, _scattered(reached, broadcast(operand.shape, node.shape), node.shape, operand.shape), reached


def _scattered(mask: _Mask, index_map: IndexMap, shape: Shape, target: Shape) -> _Mask:
    """Return which elements of the array of a view are those of a mask of the view."""
    if not target:
        return mask.any()
    elements = np.zeros(target, bool)
    elements[tuple(each[mask] for each in _places(index_map, shape))] = True
    return elements


def _places(index_map: IndexMap, shape: Shape) -> tuple[Any, ...]:
    """Return the index along each axis of the viewed array, for each element of a view."""
    indices = np.indices(shape, sparse=True)
    places: list[Any] = []
    for start, steps, turn in index_map:
        place = np.asarray(start)
        for axis, step in steps:
            place = place + step * indices[axis]
        if turn is not None:
            place = turn.first + turn.pace * (place % turn.extent)
        places.append(np.broadcast_to(place, shape))
    return tuple(places)


def _at(node: Node, index: tuple[int, ...]) -> Iterable[tuple[Node, tuple[int, ...]]]:
    """Return the operands of an element of an operation, and the index of each."""
    if isinstance(node, Operation):
        for operand in node.operands:
            maps = broadcast(operand.shape, node.shape)
            yield operand, tuple([sum(step * index[axis] for axis, step in each.steps) for each in maps])


def _described(values: _Values, origin: Origin) -> str:
    node, index, _ = origin
    if isinstance(node, Result):
        return f"the call of {node.call.name}"
    if isinstance(node, Reduction | Scan):
        return f"a {'cumulative ' * isinstance(node, Scan)}{_TOTALS[node.op]}"
    assert isinstance(node, Operation), "all others make no elements"
    operands = ", ".join(str(values.of(each)[place]) for each, place in _at(node, index))
    return f"{node.name or node.kind}({operands})"


def _line(node: Node) -> str:
    file, line, function = node.line or ("", 0, "")
    return f"{PurePath(file).name}:{line} in {function}"


def _is_nan(elements: Any) -> Any:
    return np.zeros(elements.shape, bool) if elements.dtype.kind in "biu" else np.isnan(elements)
