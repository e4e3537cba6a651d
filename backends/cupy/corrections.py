"""`Corrected`: CuPy as a namespace, in which functions are replaced that differ from NumPy's."""

from typing import Any

__all__ = ["Corrected"]


class Corrected:
    """CuPy's functions, in part computed here."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

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
        # Also with weights, because CuPy checks them.
        result = xp.cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
        given = [each.astype(float) for each in (fweights, aweights) if each is not None]
        if not given or not result.size:
            return result
        # CuPy 14.2 subtracts the mean without weights.
        rows = xp.concatenate([_rows(xp, each, rowvar) for each in (m, y) if each is not None])
        weights = given[0] if len(given) == 1 else given[0] * given[1]
        mean, total = xp.average(rows, axis=1, weights=weights), weights.sum()
        freedom = (0 if bias else 1) if ddof is None else ddof
        lost = freedom if aweights is None else freedom * (weights * given[-1]).sum() / total
        deviations = (rows - mean[:, None]).astype(result.dtype)
        products = (deviations * weights) @ deviations.conj().T
        return (products / xp.maximum(total - lost, 0.0)).astype(result.dtype).reshape(result.shape)


def _rows(xp: Any, values: Any, rowvar: bool) -> Any:
    result = xp.atleast_2d(values)
    return result if rowvar or values.ndim == 1 else result.T
