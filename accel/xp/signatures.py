"""The table of the array standard's functions: their signatures, grouped by how they are computed.

`accel.xp.functions` compiles the functions from this table; ``ci/stubs`` writes the stubs for type checkers from it.
"""

import ast

__all__ = [
    "BINARY",
    "FFT",
    "FUNCTIONS",
    "INNER",
    "LINALG",
    "LOOPS",
    "METHODS",
    "NEW",
    "PARTS",
    "UNARY",
    "elementwise",
    "parsed",
]

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log10 log1p log2 logical_not negative positive real reciprocal sign signbit sin sinh sqrt square tan "
    "tanh trunc"
)
"""Functions ``(x: Array, /, out: Array | None = None, **options: Any) -> Array``; `PARTS` have no such keywords."""

PARTS = frozenset({"imag", "real"})
"""The elementwise functions that are no ufuncs of NumPy's, and return views."""

BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
)
"""Functions ``(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array``."""

METHODS = """
all(a: Array, axis: Axis = None, out: Array | None = None, keepdims: bool = False, **options: Any) -> Array
any(a: Array, axis: Axis = None, out: Array | None = None, keepdims: bool = False, **options: Any) -> Array
max(a: Array, axis: Axis = None, out: Array | None = None, keepdims: bool = False, **options: Any) -> Array
mean(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, \
keepdims: bool = False, **options: Any) -> Array
min(a: Array, axis: Axis = None, out: Array | None = None, keepdims: bool = False, **options: Any) -> Array
prod(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, \
keepdims: bool = False, **options: Any) -> Array
sum(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, \
keepdims: bool = False, **options: Any) -> Array
"""
"""Reductions: computed by the library's method of the same name or what that calls. Our methods are these functions."""

FUNCTIONS = """
argmax(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False, **options: Any) -> Array
argmin(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False, **options: Any) -> Array
argsort(a: Array, axis: int = -1, *, descending: bool = False, stable: bool = True, **options: Any) -> Array
broadcast_arrays(*arrays: Array, **options: Any) -> tuple[Array, ...]
broadcast_to(x: Array, /, shape: int | Sequence[int], **options: Any) -> Array
clip(a: Array, min: Array | Scalar | None = None, max: Array | Scalar | None = None, **options: Any) -> Array
concat(arrays: Sequence[Array], /, axis: int | None = 0, **options: Any) -> Array
count_nonzero(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array
cumulative_prod(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, \
include_initial: bool = False, **options: Any) -> Array
cumulative_sum(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, \
include_initial: bool = False, **options: Any) -> Array
expand_dims(a: Array, axis: int | tuple[int, ...]) -> Array
flip(m: Array, axis: Axis = None) -> Array
isin(element: Array | Scalar, test_elements: Array | Scalar, *, invert: bool = False, **options: Any) -> Array
matmul(x1: Array, x2: Array, /, out: Array | None = None, **options: Any) -> Array
matrix_transpose(x: Array, /) -> Array
meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy", **options: Any) -> tuple[Array, ...]
moveaxis(a: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array
nonzero(a: Array) -> tuple[Array, ...]
permute_dims(a: Array, axes: Sequence[int]) -> Array
repeat(a: Array, repeats: int | Array, axis: int | None = None) -> Array
roll(a: Array, shift: int | tuple[int, ...], axis: Axis = None) -> Array
round(a: Array, decimals: int = 0, out: Array | None = None, **options: Any) -> Array
searchsorted(a: Array, v: Array | Scalar, side: Literal["left", "right"] = "left", *, \
sorter: Array | None = None) -> Array
sort(a: Array, axis: int = -1, *, descending: bool = False, stable: bool = True, **options: Any) -> Array
squeeze(a: Array, axis: int | tuple[int, ...] | None = None) -> Array
stack(arrays: Sequence[Array], axis: int = 0, **options: Any) -> Array
std(a: Array, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False, **options: Any) -> Array
take(a: Array, indices: Array, axis: int | None = None, **options: Any) -> Array
take_along_axis(arr: Array, indices: Array, axis: int = -1) -> Array
tensordot(a: Array, b: Array, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array
tile(A: Array, reps: int | Sequence[int]) -> Array
tril(m: Array, k: int = 0) -> Array
triu(m: Array, k: int = 0) -> Array
unique_all(x: Array, /) -> UniqueAll
unique_counts(x: Array, /) -> UniqueCounts
unique_inverse(x: Array, /) -> UniqueInverse
unique_values(x: Array, /) -> Array
unstack(x: Array, /, axis: int = 0) -> tuple[Array, ...]
var(a: Array, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False, **options: Any) -> Array
vecdot(x1: Array, x2: Array, /, *, axis: int = -1, **options: Any) -> Array
"""
"""Functions that are computed by the library's function of the same name."""

NEW = frozenset({"clip", "dot", "matmul", "where"})
"""The functions, beside the elementwise ones, that never return a view, and may be called often with large arrays."""

LOOPS = frozenset({"count_nonzero", "norm", "std", "var", "vector_norm"})
"""The functions that `accel.xp.compiled_functions` computes for large arrays."""

INNER = {
    "diff": "diff(x: Array, /, n: int, axis: int, *, prepend: Array | None, append: Array | None) -> Array",
    "where": "where(condition: Array | Scalar, x1: Array | Scalar, x2: Array | Scalar, /) -> Array",
}
"""What is computed of functions that are written by hand, in `accel.xp.array_functions`."""

LINALG = """
cholesky(x: Array, /, *, upper: bool = False) -> Array
cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array
det(a: Array) -> Array
diagonal(x: Array, /, *, offset: int = 0) -> Array
eig(a: Array) -> Eig
eigh(a: Array, **options: Any) -> Eigh
eigvals(a: Array) -> Array
eigvalsh(a: Array, **options: Any) -> Array
inv(a: Array) -> Array
matmul(x1: Array, x2: Array, /) -> Array
matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array
matrix_power(a: Array, n: int) -> Array
matrix_rank(A: Array, *, rtol: float | Array | None = None, **options: Any) -> Array
matrix_transpose(x: Array, /) -> Array
outer(x1: Array, x2: Array, /) -> Array
pinv(a: Array, *, rtol: float | Array | None = None, **options: Any) -> Array
qr(a: Array, mode: Literal["reduced", "complete"] = "reduced") -> QR
slogdet(a: Array) -> Slogdet
solve(a: Array, b: Array) -> Array
svd(a: Array, full_matrices: bool = True, **options: Any) -> SVD
svdvals(x: Array, /) -> Array
tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array
trace(x: Array, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array
vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array
vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Array
"""
"""The extension for linear algebra."""

FFT = """
fft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
fftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
fftshift(x: Array, axes: int | Sequence[int] | None = None) -> Array
hfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
ifft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
ifftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
ifftshift(x: Array, axes: int | Sequence[int] | None = None) -> Array
ihfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
irfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
irfftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
rfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
rfftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
"""
"""The extension for Fourier transforms, without the functions that create arrays."""


def elementwise(unary: str = UNARY, binary: str = BINARY) -> str:
    """Return a table of elementwise functions of one and of two operands; by default the standard's."""
    operands, keywords = "x1: Array | Scalar, x2: Array | Scalar, /", "out: Array | None = None, **options: Any"
    rows = [
        f"{name}({'val: Array' if name in PARTS else f'x: Array, /, {keywords}'}) -> Array" for name in unary.split()
    ]
    rows += [f"{name}({operands}, {keywords}) -> Array" for name in binary.split()]
    return "\n".join(rows)


def parsed(table: str) -> list[ast.FunctionDef]:
    """Parse a table with one signature on each line."""
    lines = "".join(f"def {line}: ...\n" for line in table.splitlines() if line)
    return [node for node in ast.parse(lines).body if isinstance(node, ast.FunctionDef)]
