"""A traced function, computed operation by operation: each by a plan of its own, as fused functions compute it.

Sums of floats, and what the library computes, are taken from the fused function: their last bits depend on an order. A
sum is compared with one in higher precision, and so is each function whose last bits may differ.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np

from accel import xp
from accel.fusion.index_maps import strides_of
from accel.fusion.nodes import Input, Node, Operation, Reduction, Result
from accel.tracing import traced as tracing
from accel.tracing.nan_origins import _Values
from accel.tracing.plans import Plan

from .comparison import Run, bits_of

__all__ = ["compared_by_operation"]

_ULPS = 4
_EXACT = frozenset({"abs", "ceil", "conj", "copysign", "floor", "fmod", "imag", "isfinite", "isinf", "isnan"}) | {
    *("nextafter", "real", "round", "sign", "signbit", "sqrt", "square", "trunc"),
}
_NAMES = {"pow": "power", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan"}
_NAMES |= {"atan2": "arctan2", "atanh": "arctanh"}
_TOTALS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def compared_by_operation(program: Any, fused: Any) -> None:
    """Run a program fused, and operation by operation; compare the bits of results and arguments."""
    found: dict[str, Any] = {}

    def plan(trace: Any, outputs: Sequence[Node], name: str, **options: Any) -> Plan:
        first = Plan(trace, outputs, name, **options)
        kept = [each for each in first.nodes if isinstance(each, Reduction | Result) and each not in {*outputs}]
        found["plan"] = Plan(trace, [*outputs, *kept], name, **options)
        found["written"] = trace.write_backs
        return found["plan"]

    if Run(program, program.function, "cpu").error is not None:
        return
    made = program.arguments.made("cpu")
    bound, leaves = fused._bound((*made.values.values(),), {})
    with patch.object(tracing, "Plan", plan):
        trace = fused._trace(bound, leaves)
    inputs = trace.inputs(leaves)
    if trace.overlap(inputs):
        return
    natives = [np.asarray(each) for each in inputs]
    numbers = [each.evaluate(leaves.numbers) for each in trace.numbers]
    values = _ByOperation(numbers, dict(zip(found["plan"].inputs, map(np.copy, natives), strict=True)))
    results = dict(zip(found["plan"].outputs, found["plan"].run(natives, numbers), strict=True))
    values.taken = {node: np.copy(each) for node, each in results.items() if isinstance(node, Reduction | Result)}
    for node, result in results.items():
        _same(result, values.of(node), f"result {node.name if isinstance(node, Operation) else node}")
    for each in found["written"]:
        _same(natives[each.target.number], values.of(each.value), f"argument {each.target.name}")


class _ByOperation(_Values):
    """The elements of nodes; those that are ``taken`` are given."""

    def __init__(self, numbers: Sequence[Any], known: Mapping[Node, Any]) -> None:
        super().__init__(numbers)
        self.known.update(known)
        self.taken: dict[Node, Any] = {}

    def of(self, node: Node) -> Any:
        """Return the elements of a node; those of its operands are computed first."""
        pending = [node]
        while pending:
            operands = [each for each in pending[-1].operands if each not in self.known]
            if operands and pending[-1] not in self.known:
                pending += operands
            else:
                super().of(pending.pop())
        return self.known[node]

    def _computed(self, node: Node) -> Any:
        if isinstance(node, Result):
            return self.taken[node]
        if isinstance(node, Reduction):
            _check_total(node, self.known[node.source], self.taken[node])
            return self.taken[node]
        if not isinstance(node, Operation) or 0 in node.shape:
            return super()._computed(node)
        operands = [self.known[each] for each in node.operands]
        result = _alone(node, operands)
        is_function = node.kind == "call" or node.name == "pow"
        if is_function and node.name not in _EXACT and node.dtype.kind == "f":
            _check_function(node, operands, result)
        return result


class _OneOperation:
    """What a plan asks of a trace, for one operation of arrays."""

    def __init__(self, operands: Sequence[Any]) -> None:
        self.real = xp.zeros(())._library
        self.adapted: list[Any] = []
        self.write_backs: list[Any] = []
        self.nodes = [
            Input(each.shape, each.dtype, number, strides_of(each.shape), f"x{number}")
            for number, each in enumerate(operands)
        ]
        self.inputs = [_Source(node) for node in self.nodes]


class _Source:
    def __init__(self, source: Input) -> None:
        self.source = source


def _alone(node: Operation, operands: Sequence[Any]) -> Any:
    """Return the elements of an operation, computed by itself."""
    arrays = [np.ascontiguousarray(each).reshape(each.shape) for each in operands]
    trace: Any = _OneOperation(arrays)
    one = Operation(node.kind, node.name, tuple(trace.nodes), node.shape, node.dtype)
    (result,) = Plan(trace, [one], "one").run(arrays, ())
    return result


def _check_function(node: Operation, operands: Sequence[Any], found: Any) -> None:
    """Compare with the function in higher precision."""
    wide = np.longdouble if node.dtype == np.float64 else np.float64
    function = getattr(np, _NAMES.get(node.name, node.name))
    with np.errstate(all="ignore"):
        expected = function(*[each.astype(wide) for each in operands])
        rounded = expected.astype(node.dtype)
        limit = _ULPS * np.spacing(np.abs(rounded)).astype(wide)
        near = np.abs(found.astype(wide) - expected) <= limit
    same = (found == rounded) | (np.isnan(found) & np.isnan(expected)) | near
    # The largest numbers may become infinite, and infinities the largest number, within the same distance.
    largest = np.finfo(node.dtype).max
    same |= (np.abs(found) == np.inf) & (np.abs(expected) >= largest) & (np.sign(found) == np.sign(expected))
    if not same.all():
        place = tuple(np.argwhere(~same)[0])
        given = [np.broadcast_to(each, node.shape)[place] for each in operands]
        raise AssertionError(f"{node.name}{(*given,)} of {node.dtype} is {found[place]!r}, not {expected[place]!r}")


def _check_total(node: Reduction, elements: Any, found: Any) -> None:
    """Compare with the reduction in higher precision, or with NumPy's where the order does not matter."""
    function, is_rounded = _TOTALS[node.op], node.op in ("add", "mul") and node.dtype.kind in "fc"
    with np.errstate(all="ignore"):
        if not is_rounded:
            expected = function.reduce(elements, axis=node.axes, dtype=node.dtype)
            if node.dtype.kind in "fc":
                np.testing.assert_array_equal(found, expected)  # -0.0 or 0.0
            else:
                _same(found, expected, f"{node.op} along {node.axes}")
            return
        wide = elements.astype(np.clongdouble if node.dtype.kind == "c" else np.longdouble)
        expected = function.reduce(wide, axis=node.axes)
        count = max(1, elements.size // max(1, found.size))
        if node.op == "add":
            room = (8 + np.log2(count)) * np.add.reduce(np.abs(wide), axis=node.axes)
        else:
            room = count * np.abs(expected)
        limit = room * np.finfo(node.dtype).eps + np.finfo(node.dtype).smallest_subnormal * count
        near = np.abs(found - expected) <= limit
        largest = np.add.reduce(np.abs(wide), axis=node.axes) if node.op == "add" else np.abs(expected)
        special = ~(np.isfinite(wide).all(axis=node.axes) & (largest < np.finfo(node.dtype).max / 8))
    if not (near | special).all():
        raise AssertionError(f"{node.op} along {node.axes}: {found!r} instead of {expected!r}")


def _same(found: Any, expected: Any, what: str) -> None:
    first, second = np.asarray(found), np.asarray(expected)
    assert (first.shape, first.dtype) == (second.shape, second.dtype), f"{what}: form"
    if not np.array_equal(bits_of(first), bits_of(second)):
        raise AssertionError(f"{what}: found\n{first!r}\ninstead of\n{second!r}")
