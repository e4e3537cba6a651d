"""Functions of symbols that NumPy writes in Python, by others: they are computed as there, in the loops."""

from typing import Any

import numpy as np

from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace

__all__ = ["Composites", "is_float"]

_MOST_DECIMALS = 22
"""Powers of ten up to this are exact."""


class Composites:
    """Functions of a trace that are composed of elementwise ones."""

    _trace: Trace

    def round(self, a: Any, /, decimals: int = 0, **options: Any) -> Any:
        """Return numbers rounded to a number of decimals, halves to the even one."""
        namespace = self._trace.namespace
        is_known = not options and isinstance(a, Symbol) and type(decimals) is int and abs(decimals) <= _MOST_DECIMALS
        if is_known and is_float(a):
            if not decimals:
                return namespace.rint(a)
            power = 10.0 ** abs(decimals)
            before, after = (namespace.multiply, namespace.divide)[:: 1 if decimals > 0 else -1]
            return after(namespace.rint(before(a, power)), power)
        if is_known and a.dtype.kind in "iu" and decimals >= 0 and a.weak is None:
            return self._trace.symbol(a.node, (a,))
        return self._trace.call("round", self._trace.real.namespace.round, (a, decimals), options)

    def around(self, a: Any, /, decimals: int = 0, **options: Any) -> Any:
        """Return numbers rounded to a number of decimals, halves to the even one."""
        return self.round(a, decimals, **options)

    def nan_to_num(
        self, x: Any, /, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None, **options: Any
    ) -> Any:
        """Return numbers in the place of NaN and infinities."""
        chosen = [value for value in (nan, posinf, neginf) if value is not None]
        if options or not copy or not is_float(x) or any(type(value) not in (int, float) for value in chosen):
            values = {"copy": copy, "nan": nan, "posinf": posinf, "neginf": neginf, **options}
            return self._trace.call("nan_to_num", self._trace.real.namespace.nan_to_num, (x,), values)
        limits, namespace, where = np.finfo(x.dtype), self._trace.namespace, self._trace.functions.where
        highest, lowest = (limits.max if posinf is None else posinf), (limits.min if neginf is None else neginf)
        number = where(namespace.isnan(x), nan, x)
        number = where(namespace.equal(x, np.inf), float(highest), number)
        return where(namespace.equal(x, -np.inf), float(lowest), number)

    def isclose(self, a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
        """Tell which elements are almost equal."""
        trace, namespace = self._trace, self._trace.namespace
        is_known = all(type(each) in (int, float) and np.isfinite(each) for each in (rtol, atol))
        if not is_known or not (is_float(a) and is_float(b)):
            options = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan}
            return trace.call("isclose", trace.real.namespace.isclose, (a, b), options)
        room = namespace.add(namespace.multiply(namespace.abs(b), rtol), atol)
        near = namespace.less_equal(namespace.abs(namespace.subtract(a, b)), room)
        close = namespace.logical_or(namespace.logical_and(near, namespace.isfinite(b)), namespace.equal(a, b))
        if equal_nan:
            both = namespace.logical_and(namespace.isnan(a), namespace.isnan(b))
            close = namespace.logical_or(close, both)
        return close


def is_float(x: Any) -> bool:
    """Tell whether loops compute with an array of floats."""
    return isinstance(x, Symbol) and x.weak is None and x.dtype in (np.float32, np.float64)
