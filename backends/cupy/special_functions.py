"""`SpecialFunctions`: CuPy's special functions, with SciPy's arguments."""

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["SpecialFunctions"]


class SpecialFunctions:
    """The functions of `cupyx.scipy.special`; those that take fewer kinds of arguments than SciPy's are extended."""

    def __init__(self, cupy: ModuleType) -> None:
        self._cupy = cupy
        self._module = import_module("cupyx.scipy.special")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def logsumexp(
        self, a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
    ) -> Any:
        """Take a number as the factor too."""
        if isinstance(b, int | float | complex):
            b = self._cupy.asarray(b, dtype=np.result_type(a.dtype, b))
        return self._module.logsumexp(a, axis, b, keepdims, return_sign)

    def multigammaln(self, a: Any, d: Any) -> Any:
        """Take the number of dimensions also from an array of no axes."""
        return self._module.multigammaln(a, d.item() if isinstance(d, self._cupy.ndarray) else d)

    def polygamma(self, n: Any, x: Any) -> Any:
        """Take Python numbers too."""
        return self._module.polygamma(self._cupy.asarray(n), self._cupy.asarray(x))

    def spherical_yn(self, n: Any, z: Any, derivative: bool = False) -> Any:
        """Compute the derivative from values; CuPy 14's own is wrong for the orders 0 and 1."""
        values = self._module.spherical_yn(n, z)
        return n / z * values - self._module.spherical_yn(n + 1, z) if derivative else values

    def stdtr(self, df: Any, t: Any) -> Any:
        """Compute it from the incomplete beta function; CuPy has none of its own."""
        df, t = df + 0.0, t + 0.0  # squares of integers may overflow
        tail = self._module.betainc(df / 2, 0.5, df / (t * t + df)) / 2
        return self._cupy.where(t < 0, tail, 1 - tail)

    def zeta(self, x: Any, q: Any = None) -> Any:
        """Compute Riemann's function if there is no second argument."""
        return self._module.zetac(x) + 1 if q is None else self._module.zeta(x, q)
