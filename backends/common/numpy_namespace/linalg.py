"""NumPy's linear algebra as the array standard has it."""

from typing import Any

import numpy as np

__all__ = ["eig", "eigvals", "matrix_rank", "pinv", "qr"]

_Array = np.ndarray[Any, np.dtype[Any]]


def __getattr__(name: str) -> Any:
    value = globals()[name] = getattr(np.linalg, name)
    return value


def eig(x: _Array, /) -> tuple[_Array, _Array]:
    """Return eigenvalues and eigenvectors; they are complex, even where NumPy would return real numbers."""
    values, vectors = np.linalg.eig(x)
    return _complex(values), _complex(vectors)


def eigvals(x: _Array, /) -> _Array:
    """Return eigenvalues; they are complex, even where NumPy would return real numbers."""
    return _complex(np.linalg.eigvals(x))


def _complex(values: Any) -> _Array:
    return values.astype(np.result_type(values, np.complex64), copy=False)  # type: ignore[no-any-return]


def matrix_rank(x: _Array, /, *, tol: Any = None, hermitian: bool = False, rtol: Any = None) -> Any:
    """Return the rank of matrices; NumPy would take a vector for one of them."""
    if x.ndim < 2:
        raise np.linalg.LinAlgError(f"the rank is that of a matrix, of 2 axes or more; found shape {x.shape}")
    return np.linalg.matrix_rank(x, tol, hermitian, rtol=rtol)


def pinv(x: _Array, /, *, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the pseudo-inverse; without ``rtol`` NumPy would not use the standard's."""
    return np.linalg.pinv(x, rtol=rtol, hermitian=hermitian)


def qr(x: _Array, /, *, mode: str = "reduced") -> Any:
    """Return both factors; in other modes NumPy would return one, or two of another form."""
    if mode not in {"reduced", "complete"}:
        raise ValueError(f"mode {mode!r} of a QR decomposition is not in the array standard: 'reduced', 'complete'")
    return np.linalg.qr(x, mode)  # type: ignore[call-overload]
