"""Cumulative sums, products and extremes of symbols, as loops of the graph."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from accel.dtypes import DType
from accel.fusion.nodes import Scan
from accel.support.call_sites import call_line
from accel.tracing.symbols import Symbol

__all__ = ["SCANS", "scanned"]

_Op: TypeAlias = Literal["add", "mul", "min", "max"]

_OF_ALL: dict[str, _Op] = {"cumprod": "mul", "cumsum": "add", "cumulative_prod": "mul", "cumulative_sum": "add"}
_OF_FIRST_AXIS: dict[str, _Op] = {
    "add.accumulate": "add",
    "maximum.accumulate": "max",
    "minimum.accumulate": "min",
    "multiply.accumulate": "mul",
}
SCANS = _OF_ALL | _OF_FIRST_AXIS
"""By function, how elements are combined; some combine those along the first axis if none is given, others all."""

_OPTIONS = frozenset({"axis", "dtype", "include_initial"})


def scanned(
    trace: Any, name: str, arguments: Sequence[Any], keywords: Mapping[str, Any], model: Any
) -> "Symbol | None":
    """Return the elements up to each one, combined in order; None if the library should do it."""
    x, *others = arguments
    dtype = np.asarray(model).dtype
    if len(others) > 2 or not keywords.keys() <= _OPTIONS or not _is_known(x, SCANS[name], dtype):
        return None
    axis = others[0] if others else keywords.get("axis", 0 if name in _OF_FIRST_AXIS else None)
    symbol: Symbol = trace.symbol(trace.cast(x, dtype))
    if axis is None:
        symbol, axis = trace.functions.reshape(symbol, (-1,)), 0
    axis = normalize_axis_index(axis, symbol.ndim)
    extent = symbol.shape[axis]
    if symbol.size // extent < trace.real.limits.concurrency:
        return None
    if extent > 1:
        node = Scan(symbol.node, SCANS[name], axis)
        node.line = call_line()
        symbol = trace.symbol(node)
    if keywords.get("include_initial"):
        first = tuple([1 if each == axis else extent for each, extent in enumerate(symbol.shape)])
        initial = trace.functions.full(first, int(SCANS[name] == "mul"), dtype)
        return trace.functions.concat((initial, symbol), axis=axis)  # type: ignore[no-any-return]
    return symbol


def _is_known(x: Any, op: _Op, dtype: DType) -> bool:
    """Tell whether loops combine elements to such totals; products of complex numbers would begin with another sign."""
    if not isinstance(x, Symbol) or x.weak is not None or not x.ndim or not x.size:
        return False
    fit = all(each.isbuiltin == 1 and each.name != "float16" for each in (x.dtype, dtype))
    kinds = "fiuc" if op == "add" else "fiu"
    return fit and dtype.kind in kinds and (x.dtype.kind != "c" or dtype.kind == "c")
