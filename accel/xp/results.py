"""Named tuples for the functions that return several arrays."""

from typing import NamedTuple

from accel.xp.arrays import Array

__all__ = ["QR", "SVD", "Eig", "Eigh", "Slogdet", "UniqueAll", "UniqueCounts", "UniqueInverse"]


class UniqueAll(NamedTuple):
    """Unique values with their first indices, the inverse and the counts."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """Unique values and how often each occurs."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """Unique values, and for each element the index of its value among them."""

    values: Array
    inverse_indices: Array


class Eig(NamedTuple):
    """Complex eigenvalues and eigenvectors of general matrices."""

    eigenvalues: Array
    eigenvectors: Array


class Eigh(NamedTuple):
    """Eigenvalues and eigenvectors of symmetric matrices."""

    eigenvalues: Array
    eigenvectors: Array


class QR(NamedTuple):
    """Factors of a QR decomposition."""

    Q: Array
    R: Array


class Slogdet(NamedTuple):
    """Sign and logarithm of the absolute value of determinants."""

    sign: Array
    logabsdet: Array


class SVD(NamedTuple):
    """Factors of a singular value decomposition."""

    U: Array
    S: Array
    Vh: Array
