"""Functions of symbols that choose elements, or limit them, and powers, for which NumPy has shortcuts."""

from typing import Any

import numpy as np

from accel.tracing.models import model_function
from accel.tracing.operand_kinds import is_exact
from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace

__all__ = ["Choices"]

_TRUTH = np.dtype(np.bool_)
_PRODUCTS = range(3, 9)
"""Exponents for which products are within 4 units in the last place."""


class Choices:
    """Functions of a trace with names of the array standard."""

    _trace: Trace

    def where(self, condition: Any, /, *choices: Any) -> Any:
        """Return elements of two arrays, by a condition."""
        if len(choices) != 2:
            return self._trace.call("nonzero", self._trace.real.namespace.nonzero, (condition,), {})
        trace = self._trace
        condition, one, other = trace.operand(condition), *map(trace.operand, choices)
        dtype = np.result_type(*[_promoted(each) for each in (one, other)])
        chosen = [trace.cast(_wrapped(each, dtype), dtype) for each in (one, other)]
        operands = trace.functions.asarray(condition).node, *chosen
        truth = operands[0] if operands[0].dtype == _TRUTH else trace.make("cast", "", operands[:1], _TRUTH)
        return trace.symbol(trace.make("select", "", (truth, *operands[1:]), dtype), (condition, one, other))

    def clip(self, x: Any, /, min: Any = None, max: Any = None, **options: Any) -> Any:
        """Return elements within limits."""
        trace = self._trace
        symbol, low, high = trace.operand(x), *[None if each is None else trace.operand(each) for each in (min, max)]
        model = model_function("clip")(*[_small(each) for each in (symbol, low, high)])
        fit = all(is_exact(each, model.dtype) for each in (low, high))
        if options or not fit or model.dtype.kind not in "fiu" or model.dtype.isbuiltin != 1:
            return trace.call("clip", trace.real.namespace.clip, (x, min, max), options)
        node = trace.cast(symbol, model.dtype)
        for name, limit in (("max", low), ("min", high)):
            if limit is not None:
                node = trace.make("binary", name, (node, trace.cast(limit, model.dtype)), model.dtype)
        return trace.symbol(node, (symbol, low, high))

    def pow(self, x1: Any, x2: Any, /, **options: Any) -> Any:
        """Return a power, by the shortcuts that NumPy's operator has for exponents that are numbers."""
        trace = self._trace
        base, exponent = trace.operand(x1), trace.operand(x2)
        if not options and type(exponent) in (int, float) and isinstance(base, Symbol) and base.weak is None:
            shortcut = self._power(base, exponent)
            if shortcut is not None:
                return shortcut
        result = None if options or _is_of_integers(base, exponent) else trace.elementwise(np.power, (base, exponent))
        return trace.call("pow", trace.real.namespace.pow, (x1, x2), options) if result is None else result

    def _power(self, base: Symbol, exponent: float) -> Any:
        namespace, is_float = self._trace.namespace, base.dtype.kind == "f"
        # NumPy has another power for its scalars, which results without axes are.
        is_array = base.dtype.kind != "b" or base.ndim > 0 or base.base.source is not None
        if exponent == 2 and (is_float or (type(exponent) is int and base.dtype.kind in "biuc" and is_array)):
            return namespace.square(base)
        if exponent == 0.5 and base.dtype.kind in "iu":
            return namespace.sqrt(self._trace.functions.astype(base, np.result_type(base.dtype, 0.5)))
        if exponent == 0.5 and is_float:
            special = namespace.logical_or(namespace.equal(base, 0), namespace.equal(base, -np.inf))
            return namespace.sqrt(self.where(special, namespace.abs(base), base))
        if exponent == -1 and is_float:
            return namespace.reciprocal(base)
        if is_float and exponent in _PRODUCTS:
            return self._product(base, int(exponent))
        return None

    def _product(self, base: Symbol, exponent: int) -> Symbol:
        """Return a power as products: squares of squares, and the base once more where the exponent is odd."""
        if exponent == 1:
            return base
        half = self._product(base, exponent // 2)
        square = self._trace.namespace.square(half)
        return self._trace.namespace.multiply(square, base) if exponent % 2 else square  # type: ignore[no-any-return]


def _wrapped(value: Any, dtype: Any) -> Any:
    """Return a choice of `where`, whose integers NumPy takes modulo the range of the dtype, also those of Python."""
    if type(value) is int and dtype.kind in "iu":
        return np.asarray(value).astype(dtype).item()
    if isinstance(value, Symbol) and value.weak is int and dtype.kind in "iu":
        return value.tracer.functions.copied(value)
    return value


def _is_of_integers(*operands: Any) -> bool:
    """Tell whether a power is one of integers, which refuses negative exponents."""
    return all(isinstance(each, int) or (isinstance(each, Symbol) and each.dtype.kind in "biu") for each in operands)


def _promoted(value: Any) -> Any:
    return value if not isinstance(value, Symbol) else value.dtype if value.weak is None else value.weak(0)


def _small(value: Any) -> Any:
    return np.zeros((), value.dtype) if isinstance(value, Symbol) and value.weak is None else _promoted_or_none(value)


def _promoted_or_none(value: Any) -> Any:
    return None if value is None else _promoted(value)
