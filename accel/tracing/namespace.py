"""`Namespace`: the functions of a device's library, for symbols."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from accel.tracing.selections import knowing_selections
from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace

__all__ = ["Namespace"]


class Namespace:
    """The functions of a library, by its names: they record, and take symbols in the place of the library's arrays.

    Elementwise functions, views and new arrays become nodes of the graph; every other function is called between the
    fused parts.
    """

    def __init__(self, trace: Trace, library: Any, path: str = "") -> None:
        self._trace = trace
        self._library = library
        self._path = path

    def __getattr__(self, name: str) -> Any:
        value = self._found(name)
        if callable(value) and not isinstance(value, type | Namespace):
            value = knowing_selections(f"{self._path}{name}", value)
        setattr(self, name, value)
        return value

    def _found(self, name: str) -> Any:
        trace, path = self._trace, self._path
        if not path and (special := getattr(trace.functions, name, None)) is not None:
            return special
        function = getattr(self._library, name)
        if type(function) is type(self._library):  # a namespace within, a module or an object like one
            return Namespace(trace, function, f"{path}{name}.")
        if not callable(function) or isinstance(function, type):
            return function
        ufunc = None if path else getattr(np, name, None)
        if isinstance(ufunc, np.ufunc):
            return _elementwise(trace, ufunc, name, function)
        return partial(_called, trace, f"{path}{name}", function)


def _elementwise(trace: Trace, ufunc: np.ufunc, name: str, function: Any) -> Any:
    def computed(operands: Sequence[Any], options: dict[str, Any]) -> Any:
        if not options and len(operands) == ufunc.nin:
            result = trace.elementwise(ufunc, [trace.operand(each) for each in operands])
            if result is not None:
                return result
        result = trace.call(name, function, operands, options)
        return trace.symbol(result.node, operands) if isinstance(result, Symbol) else result

    def call(*operands: Any, out: Any = None, **options: Any) -> Any:
        out = operands[ufunc.nin] if len(operands) > ufunc.nin else out
        if out is not None and ufunc.nout > 1:
            raise trace.needs_value(f"{name} with out=, which returns several arrays")
        result = computed(operands[: ufunc.nin], options)
        return result if out is None else trace.functions.store(result, out)

    for method in ("accumulate", "reduce", "reduceat"):
        if hasattr(function, method):
            setattr(call, method, partial(_called, trace, f"{name}.{method}", getattr(function, method)))
    if hasattr(function, "at"):
        call.at = partial(_update_at, trace, name, function.at)  # type: ignore[attr-defined]
    return call


def _called(trace: Trace, name: str, function: Any, *operands: Any, **options: Any) -> Any:
    return trace.call(name, function, operands, options)


def _update_at(trace: Trace, name: str, function: Any, x: Symbol, key: Any, *operands: Any) -> None:
    def updated(array: Any, *others: Any) -> Any:
        copy = array.copy()
        function(copy, *others)
        return copy

    x.write(trace.call(f"{name}.at", updated, (x, key, *operands), {}).node)
