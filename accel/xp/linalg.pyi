# Written by ci/stubs. Do not edit.
from builtins import bool as _bool
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from accel.dtypes import DTypeLike
from accel.xp.arrays import Array
from accel.xp.results import QR, SVD, Eig, Eigh, Slogdet

_Axis: TypeAlias = int | tuple[int, ...] | None
__all__ = [
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "trace",
    "vecdot",
    "vector_norm",
]

def cholesky(x: Array, /, *, upper: _bool = False) -> Array:
    """Return the Cholesky factors of symmetric, positive-definite matrices.

    `cholesky` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.cholesky.html

    >>> xp.linalg.cholesky(xp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    Array([[2., 0.],
           [1., 2.]], dtype=float64, device=cpu)
    """

def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Return the cross products of vectors of three elements.

    `cross` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.cross.html

    >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0]))
    Array([0, 0, 1], dtype=int64, device=cpu)
    """

def det(a: Array) -> Array:
    """Return the determinants of matrices.

    `det` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.det.html

    >>> xp.linalg.det(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).round(6)
    Array(6., dtype=float64, device=cpu)
    """

def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Return the diagonals of matrices.

    `diagonal` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.diagonal.html

    >>> xp.linalg.diagonal(xp.asarray([[1, 2], [3, 4]]))
    Array([1, 4], dtype=int64, device=cpu)
    """

def eig(a: Array) -> Eig:
    """Return the eigenvalues and eigenvectors of square matrices.

    `eig` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.eig.html

    >>> xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).eigenvalues
    Array([2.+0.j, 3.+0.j], dtype=complex128, device=cpu)
    """

def eigh(a: Array, **options: Any) -> Eigh:
    """Return the eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    `eigh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.eigh.html

    >>> xp.linalg.eigh(xp.asarray([[2.0, 1.0], [1.0, 2.0]])).eigenvalues
    Array([1., 3.], dtype=float64, device=cpu)
    """

def eigvals(a: Array) -> Array:
    """Return the eigenvalues of square matrices.

    `eigvals` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.eigvals.html

    >>> xp.linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    Array([2.+0.j, 3.+0.j], dtype=complex128, device=cpu)
    """

def eigvalsh(a: Array, **options: Any) -> Array:
    """Return the eigenvalues of symmetric or Hermitian matrices.

    `eigvalsh` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.eigvalsh.html

    >>> xp.linalg.eigvalsh(xp.asarray([[2.0, 1.0], [1.0, 2.0]]))
    Array([1., 3.], dtype=float64, device=cpu)
    """

def inv(a: Array) -> Array:
    """Return the inverses of square matrices.

    `inv` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.inv.html

    >>> xp.linalg.inv(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    Array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float64, device=cpu)
    """

def matmul(x1: Array, x2: Array, /) -> Array:
    """Return the matrix product.

    The same as `matmul`.
    The matrices are on the last two axes, and the other axes broadcast.
    An operand of one axis is a vector: that axis is not in the result.

    `matmul` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.matmul.html

    >>> xp.linalg.matmul(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
    """

def matrix_norm(x: Array, /, *, keepdims: _bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array:
    """Return the norms of matrices.

    `matrix_norm` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.matrix_norm.html

    >>> xp.linalg.matrix_norm(xp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    Array(5., dtype=float64, device=cpu)
    """

def matrix_power(a: Array, n: int) -> Array:
    """Return square matrices to the power of an integer.

    `matrix_power` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.matrix_power.html

    >>> xp.linalg.matrix_power(xp.asarray([[1, 1], [0, 1]]), 3)
    Array([[1, 3],
           [0, 1]], dtype=int64, device=cpu)
    """

def matrix_rank(A: Array, *, rtol: float | Array | None = None, **options: Any) -> Array:
    """Return the ranks of matrices: how many singular values are not small.

    `matrix_rank` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.matrix_rank.html

    >>> xp.linalg.matrix_rank(xp.asarray([[1.0, 2.0], [2.0, 4.0]]))
    Array(1, dtype=int64, device=cpu)
    """

def matrix_transpose(x: Array, /) -> Array:
    """Return matrices with their rows and columns exchanged.

    The same as `matrix_transpose`.

    `matrix_transpose` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.matrix_transpose.html

    >>> xp.linalg.matrix_transpose(xp.asarray([[1, 2], [3, 4]]))
    Array([[1, 3],
           [2, 4]], dtype=int64, device=cpu)
    """

def outer(x1: Array, x2: Array, /) -> Array:
    """Return the products of all pairs of elements of two vectors.

    `outer` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.outer.html

    >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([1, 10]))
    Array([[ 1, 10],
           [ 2, 20]], dtype=int64, device=cpu)
    """

def pinv(a: Array, *, rtol: float | Array | None = None, **options: Any) -> Array:
    """Return the pseudo-inverses of matrices (Moore and Penrose).

    `pinv` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.pinv.html

    >>> xp.linalg.pinv(xp.asarray([[2.0, 0.0], [0.0, 0.0]]))
    Array([[0.5, 0. ],
           [0. , 0. ]], dtype=float64, device=cpu)
    """

def qr(a: Array, mode: Literal["reduced", "complete"] = "reduced") -> QR:
    """Return the QR factors of matrices: orthonormal columns, and an upper triangle.

    `qr` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.qr.html

    >>> abs(xp.linalg.qr(xp.asarray([[3.0, 0.0], [4.0, 5.0]])).R).round(6)
    Array([[5., 4.],
           [0., 3.]], dtype=float64, device=cpu)
    """

def slogdet(a: Array) -> Slogdet:
    """Return the signs and the logarithms of the magnitudes of determinants, which do not overflow.

    `slogdet` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.slogdet.html

    >>> xp.linalg.slogdet(xp.asarray([[-1.0, 0.0], [0.0, 1.0]])).sign
    Array(-1., dtype=float64, device=cpu)
    """

def solve(a: Array, b: Array) -> Array:
    """Return the solutions of square linear equations.

    `solve` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.solve.html

    >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 8.0]))
    Array([1., 2.], dtype=float64, device=cpu)
    """

def svd(a: Array, full_matrices: _bool = True, **options: Any) -> SVD:
    """Return the singular value decompositions of matrices.

    `svd` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.svd.html

    >>> xp.linalg.svd(xp.asarray([[3.0, 0.0], [0.0, 4.0]])).S
    Array([4., 3.], dtype=float64, device=cpu)
    """

def svdvals(x: Array, /) -> Array:
    """Return the singular values of matrices.

    `svdvals` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.svdvals.html

    >>> xp.linalg.svdvals(xp.asarray([[3.0, 0.0], [0.0, 4.0]]))
    Array([4., 3.], dtype=float64, device=cpu)
    """

def tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """Return the sums of products over several axes of two arrays.

    `tensordot` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.tensordot.html

    >>> xp.linalg.tensordot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]), axes=1)
    Array([21, 43], dtype=int64, device=cpu)
    """

def trace(x: Array, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array:
    """Return the sums along the diagonals of matrices.

    `trace` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.trace.html

    >>> xp.linalg.trace(xp.asarray([[1, 2], [3, 4]]))
    Array(5, dtype=int64, device=cpu)
    """

def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Return the sums of products of vectors; those of the first operand are conjugated.

    The same as `vecdot`.

    `vecdot` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.vecdot.html

    >>> xp.linalg.vecdot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 10]))
    Array([21, 43], dtype=int64, device=cpu)
    """

def vector_norm(x: Array, /, *, axis: _Axis = None, keepdims: _bool = False, ord: float = 2) -> Array:
    """Return the norms of vectors, or of the flattened array.

    `vector_norm` of the array standard: https://data-apis.org/array-api/latest/API_specification/generated/array_api.linalg.vector_norm.html

    >>> xp.linalg.vector_norm(xp.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1)
    Array([ 5., 10.], dtype=float64, device=cpu)
    """

def cond(x: Array, p: Any = None) -> Array:
    """Return the condition numbers of matrices.

    `cond` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.linalg.cond.html

    >>> xp.linalg.cond(xp.asarray([[2.0, 0.0], [0.0, 1.0]]))
    Array(2., dtype=float64, device=cpu)
    """

def lstsq(a: Array, b: Array, rcond: float | None = None) -> tuple[Array, ...]:
    """Return the solutions of linear equations with the least squares of the residuals.

    `lstsq` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.linalg.lstsq.html

    >>> xp.linalg.lstsq(xp.asarray([[1.0], [1.0]]), xp.asarray([1.0, 3.0]))[0]
    Array([2.], dtype=float64, device=cpu)
    """

def multi_dot(arrays: Sequence[Array], *, out: Array | None = None) -> Array:
    """Return the product of several matrices, in the order of multiplications that takes the least time.

    `multi_dot` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.linalg.multi_dot.html

    >>> xp.linalg.multi_dot([xp.asarray([[1, 2]]), xp.asarray([[3], [4]]), xp.asarray([[10]])])
    Array([[110]], dtype=int64, device=cpu)
    """

def tensorinv(a: Array, ind: int = 2) -> Array:
    """Return the inverse of an array for `tensordot`.

    `tensorinv` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.linalg.tensorinv.html

    >>> xp.linalg.tensorinv(xp.reshape(xp.eye(4), (4, 2, 2)), ind=1).shape
    (2, 2, 4)
    """

def norm(x: Array, ord: Any = None, axis: _Axis = None, keepdims: _bool = False) -> Array:
    """Return the norms of vectors or matrices, or of the flattened array.

    `norm` of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.linalg.norm.html

    >>> xp.linalg.norm(xp.asarray([3.0, 4.0]))
    Array(5., dtype=float64, device=cpu)
    """
