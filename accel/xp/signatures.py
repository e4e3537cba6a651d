"""The table of the array standard's functions: their signatures, grouped by how they are computed.

`accel.xp.functions` compiles the functions from this table; ``ci/stubs`` writes the stubs for type checkers from it.
"""

__all__ = ["BINARY", "FFT", "FUNCTIONS", "INNER", "LINALG", "METHODS", "UNARY", "elementwise"]

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log10 log1p log2 logical_not negative positive real reciprocal sign signbit sin sinh sqrt square tan "
    "tanh trunc"
)
"""Functions ``(x: Array, /) -> Array``."""

BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
)
"""Functions ``(x1: Array | Scalar, x2: Array | Scalar, /) -> Array``."""

METHODS = """
all(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array
any(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array
max(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array
mean(x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Array
min(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array
prod(x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Array
sum(x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False) -> Array
"""
"""Reductions: computed by the library's method of the same name, which is faster than its function."""

FUNCTIONS = """
argmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array
argmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array
argsort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array
broadcast_arrays(*arrays: Array) -> tuple[Array, ...]
broadcast_to(x: Array, /, shape: int | Sequence[int]) -> Array
clip(x: Array, /, min: Array | Scalar | None = None, max: Array | Scalar | None = None) -> Array
concat(arrays: Sequence[Array], /, axis: int | None = 0) -> Array
count_nonzero(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array
cumulative_prod(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, \
include_initial: bool = False) -> Array
cumulative_sum(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, \
include_initial: bool = False) -> Array
expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array
flip(x: Array, /, axis: Axis = None) -> Array
isin(x1: Array | Scalar, x2: Array | Scalar, /, *, invert: bool = False) -> Array
matmul(x1: Array, x2: Array, /) -> Array
matrix_transpose(x: Array, /) -> Array
meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]
moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array
nonzero(x: Array, /) -> tuple[Array, ...]
permute_dims(x: Array, /, axes: Sequence[int]) -> Array
repeat(x: Array, repeats: int | Array, /, axis: int | None = None) -> Array
roll(x: Array, /, shift: int | tuple[int, ...], axis: Axis = None) -> Array
round(x: Array, /, decimals: int = 0) -> Array
searchsorted(x1: Array, x2: Array | Scalar, /, side: Literal["left", "right"] = "left", *, \
sorter: Array | None = None) -> Array
sort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array
squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array
stack(arrays: Sequence[Array], /, axis: int = 0) -> Array
std(x: Array, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False) -> Array
take(x: Array, indices: Array, /, axis: int | None = None) -> Array
take_along_axis(x: Array, indices: Array, /, axis: int = -1) -> Array
tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array
tile(x: Array, repetitions: int | Sequence[int], /) -> Array
tril(x: Array, /, k: int = 0) -> Array
triu(x: Array, /, k: int = 0) -> Array
unique_all(x: Array, /) -> UniqueAll
unique_counts(x: Array, /) -> UniqueCounts
unique_inverse(x: Array, /) -> UniqueInverse
unique_values(x: Array, /) -> Array
unstack(x: Array, /, axis: int = 0) -> tuple[Array, ...]
var(x: Array, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False) -> Array
vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array
"""
"""Functions that are computed by the library's function of the same name."""

INNER = {
    "diff": "diff(x: Array, /, n: int, axis: int, *, prepend: Array | None, append: Array | None) -> Array",
    "where": "where(condition: Array | Scalar, x1: Array | Scalar, x2: Array | Scalar, /) -> Array",
}
"""What is computed of functions that are written by hand, in `accel.xp.array_functions`."""

LINALG = """
cholesky(x: Array, /, *, upper: bool = False) -> Array
cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array
det(x: Array, /) -> Array
diagonal(x: Array, /, *, offset: int = 0) -> Array
eig(x: Array, /) -> Eig
eigh(x: Array, /) -> Eigh
eigvals(x: Array, /) -> Array
eigvalsh(x: Array, /) -> Array
inv(x: Array, /) -> Array
matmul(x1: Array, x2: Array, /) -> Array
matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array
matrix_power(x: Array, n: int, /) -> Array
matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array
matrix_transpose(x: Array, /) -> Array
outer(x1: Array, x2: Array, /) -> Array
pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array
qr(x: Array, /, mode: Literal["reduced", "complete"] = "reduced") -> QR
slogdet(x: Array, /) -> Slogdet
solve(x1: Array, x2: Array, /) -> Array
svd(x: Array, /, full_matrices: bool = True) -> SVD
svdvals(x: Array, /) -> Array
tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array
trace(x: Array, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array
vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array
vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Array
"""
"""The extension for linear algebra."""

FFT = """
fft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array
fftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward") -> Array
fftshift(x: Array, /, axes: int | Sequence[int] | None = None) -> Array
hfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array
ifft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array
ifftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward") -> Array
ifftshift(x: Array, /, axes: int | Sequence[int] | None = None) -> Array
ihfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array
irfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array
irfftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward") -> Array
rfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array
rfftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward") -> Array
"""
"""The extension for Fourier transforms, without the functions that create arrays."""


def elementwise() -> str:
    """Return the table of the elementwise functions of one and of two operands."""
    operands = "x1: Array | Scalar, x2: Array | Scalar, /"
    rows = [f"{name}(x: Array, /) -> Array" for name in UNARY.split()]
    rows += [f"{name}({operands}) -> Array" for name in BINARY.split()]
    return "\n".join(rows)
