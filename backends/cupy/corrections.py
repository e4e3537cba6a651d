"""`Corrected`: CuPy as a namespace, in which functions are replaced that differ from NumPy's."""

import warnings
from typing import Any

__all__ = ["Corrected"]

_CREATING = frozenset({"arange", "empty", "eye", "full", "linspace", "ones", "zeros"})
"""Functions to which array-api-compat adds a device only, which is the current one here."""


class Corrected:
    """CuPy's functions, in part computed here."""

    def __init__(self, module: Any, cupy: Any) -> None:
        self._module = module
        self._cupy = cupy

    def __getattr__(self, name: str) -> Any:
        if name == "astype":  # of array-api-compat it takes twice the time
            return self._cupy.ndarray.astype
        return getattr(self._cupy if name in _CREATING else self._module, name)

    def asarray(self, obj: Any, /, *, dtype: Any = None, copy: bool | None = None, order: Any = None) -> Any:
        """Return an array on the current device, as the standard's ``asarray`` does."""
        if copy is None:
            return self._cupy.asarray(obj, dtype, order)
        if copy and dtype is None and isinstance(obj, self._cupy.ndarray):
            return obj.copy(order or "K")
        result = self._cupy.array(obj, dtype, copy, order or "K")
        if not copy and result is not obj:
            raise ValueError("Unable to avoid copy while creating an array as requested")
        return result

    def choose(self, a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
        """Select elements as `numpy.choose` does; CuPy takes one array of all choices only."""
        xp = self._module
        if isinstance(choices, list | tuple):
            choices = xp.stack(xp.broadcast_arrays(*map(xp.asarray, choices)))
        return xp.choose(a, choices, out, mode)

    def cov(
        self,
        m: Any,
        y: Any = None,
        rowvar: bool = True,
        bias: bool = False,
        ddof: int | None = None,
        fweights: Any = None,
        aweights: Any = None,
        *,
        dtype: Any = None,
    ) -> Any:
        """Compute a matrix of covariances, as `numpy.cov` does."""
        xp = self._module
        variables = [m] if y is None else [m, y]
        if (fweights is None and aweights is None) or any(each.ndim > 2 for each in variables):
            return xp.cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
        if ddof is not None and ddof != int(ddof):
            raise ValueError(f"ddof must be an integer; found {ddof!r}")
        # CuPy 14.2 subtracts the mean without weights. For one row it checks the weights, and finds the dtype.
        rows = xp.concatenate([_rows(xp, each, rowvar) for each in variables])
        checked = xp.cov(rows[:1], None, True, True, None, fweights, aweights, dtype=dtype)
        if not checked.size:
            return checked
        given = [each.astype(float) for each in (fweights, aweights) if each is not None]
        weights = given[0] if len(given) == 1 else given[0] * given[1]
        mean, total = xp.average(rows, axis=1, weights=weights), weights.sum()
        freedom = (0 if bias else 1) if ddof is None else ddof
        lost = freedom if aweights is None else freedom * (weights * given[-1]).sum() / total
        if total <= lost:
            warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        deviations = (rows - mean[:, None]).astype(checked.dtype)
        products = (deviations * weights) @ deviations.conj().T
        return (products / xp.maximum(total - lost, 0.0)).astype(checked.dtype).squeeze()


def _rows(xp: Any, values: Any, rowvar: bool) -> Any:
    result = xp.atleast_2d(values)
    return result if rowvar or values.ndim == 1 else result.T
