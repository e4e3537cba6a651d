"""The table of the array standard's functions: their signatures, grouped by how they are computed.

`accel.xp.functions` compiles the functions from this table; ``ci/stubs`` writes the stubs for type checkers from it.
"""

__all__ = ["BINARY", "FFT", "FUNCTIONS", "INNER", "LINALG", "METHODS", "PARTS", "UNARY", "elementwise"]

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf isnan "
    "log log10 log1p log2 logical_not negative positive real reciprocal sign signbit sin sinh sqrt square tan "
    "tanh trunc"
)
"""Functions ``(x: Array, /, out: Array | None = None, **options: Any) -> Array``; `PARTS` have no such keywords."""

PARTS = frozenset({"imag", "real"})
"""The elementwise functions that are no ufuncs of NumPy's."""

BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal "
    "floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract"
)
"""Functions ``(x1: Array | Scalar, x2: Array | Scalar, /, out: Array | None = None, **options: Any) -> Array``."""

METHODS = """
all(x: Array, /, axis: Axis = None, *, keepdims: bool = False, **options: Any) -> Array
any(x: Array, /, axis: Axis = None, *, keepdims: bool = False, **options: Any) -> Array
max(x: Array, /, axis: Axis = None, *, keepdims: bool = False, **options: Any) -> Array
mean(x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False, **options: Any) -> Array
min(x: Array, /, axis: Axis = None, *, keepdims: bool = False, **options: Any) -> Array
prod(x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False, **options: Any) -> Array
sum(x: Array, /, axis: Axis = None, dtype: DTypeLike | None = None, *, keepdims: bool = False, **options: Any) -> Array
"""
"""Reductions: computed by the library's method of the same name, which is faster than its function."""

FUNCTIONS = """
argmax(x: Array, /, axis: int | None = None, *, keepdims: bool = False, **options: Any) -> Array
argmin(x: Array, /, axis: int | None = None, *, keepdims: bool = False, **options: Any) -> Array
argsort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True, **options: Any) -> Array
broadcast_arrays(*arrays: Array, **options: Any) -> tuple[Array, ...]
broadcast_to(x: Array, /, shape: int | Sequence[int], **options: Any) -> Array
clip(x: Array, /, min: Array | Scalar | None = None, max: Array | Scalar | None = None, **options: Any) -> Array
concat(arrays: Sequence[Array], /, axis: int | None = 0, **options: Any) -> Array
count_nonzero(x: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array
cumulative_prod(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, \
include_initial: bool = False, **options: Any) -> Array
cumulative_sum(x: Array, /, axis: int | None = None, *, dtype: DTypeLike | None = None, \
include_initial: bool = False, **options: Any) -> Array
expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array
flip(x: Array, /, axis: Axis = None) -> Array
isin(x1: Array | Scalar, x2: Array | Scalar, /, *, invert: bool = False, **options: Any) -> Array
matmul(x1: Array, x2: Array, /, out: Array | None = None, **options: Any) -> Array
matrix_transpose(x: Array, /) -> Array
meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy", **options: Any) -> tuple[Array, ...]
moveaxis(x: Array, /, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array
nonzero(x: Array, /) -> tuple[Array, ...]
permute_dims(x: Array, /, axes: Sequence[int]) -> Array
repeat(x: Array, /, repeats: int | Array, axis: int | None = None) -> Array
roll(x: Array, /, shift: int | tuple[int, ...], axis: Axis = None) -> Array
round(x: Array, /, decimals: int = 0, **options: Any) -> Array
searchsorted(x1: Array, x2: Array | Scalar, /, side: Literal["left", "right"] = "left", *, \
sorter: Array | None = None) -> Array
sort(x: Array, /, axis: int = -1, *, descending: bool = False, stable: bool = True, **options: Any) -> Array
squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array
stack(arrays: Sequence[Array], /, axis: int = 0, **options: Any) -> Array
std(x: Array, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False, **options: Any) -> Array
take(x: Array, /, indices: Array, axis: int | None = None, **options: Any) -> Array
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
var(x: Array, /, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False, **options: Any) -> Array
vecdot(x1: Array, x2: Array, /, *, axis: int = -1, **options: Any) -> Array
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
eigh(x: Array, /, **options: Any) -> Eigh
eigvals(x: Array, /) -> Array
eigvalsh(x: Array, /, **options: Any) -> Array
inv(x: Array, /) -> Array
matmul(x1: Array, x2: Array, /) -> Array
matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array
matrix_power(x: Array, n: int, /) -> Array
matrix_rank(x: Array, /, *, rtol: float | Array | None = None, **options: Any) -> Array
matrix_transpose(x: Array, /) -> Array
outer(x1: Array, x2: Array, /) -> Array
pinv(x: Array, /, *, rtol: float | Array | None = None, **options: Any) -> Array
qr(x: Array, /, mode: Literal["reduced", "complete"] = "reduced") -> QR
slogdet(x: Array, /) -> Slogdet
solve(x1: Array, x2: Array, /) -> Array
svd(x: Array, /, full_matrices: bool = True, **options: Any) -> SVD
svdvals(x: Array, /) -> Array
tensordot(x1: Array, x2: Array, /, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array
trace(x: Array, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array
vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array
vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Array
"""
"""The extension for linear algebra."""

FFT = """
fft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
fftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
fftshift(x: Array, /, axes: int | Sequence[int] | None = None) -> Array
hfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
ifft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
ifftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
ifftshift(x: Array, /, axes: int | Sequence[int] | None = None) -> Array
ihfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
irfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
irfftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
rfft(x: Array, /, n: int | None = None, axis: int = -1, norm: Norm = "backward", **options: Any) -> Array
rfftn(x: Array, /, s: Axes = None, axes: Axes = None, norm: Norm = "backward", **options: Any) -> Array
"""
"""The extension for Fourier transforms, without the functions that create arrays."""


def elementwise(unary: str = UNARY, binary: str = BINARY) -> str:
    """Return a table of elementwise functions of one and of two operands; by default the standard's."""
    operands, keywords = "x1: Array | Scalar, x2: Array | Scalar, /", "out: Array | None = None, **options: Any"
    rows = [f"{name}(x: Array, /{'' if name in PARTS else f', {keywords}'}) -> Array" for name in unary.split()]
    rows += [f"{name}({operands}, {keywords}) -> Array" for name in binary.split()]
    return "\n".join(rows)
