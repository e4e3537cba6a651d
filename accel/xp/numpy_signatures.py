"""The tables of the functions of NumPy that the array standard does not have, or has under another name."""

__all__ = [
    "ANY",
    "ARRAYS",
    "BINARY",
    "CREATING",
    "FUNCTIONS",
    "LINALG",
    "LINALG_FUNCTIONS",
    "LINALG_NAMES",
    "LISTS",
    "LOOPS",
    "NAMES",
    "SAME",
    "TRUTHS",
    "UNARY",
]

UNARY = (
    "absolute arccos arccosh arcsin arcsinh arctan arctanh bitwise_not cbrt conjugate deg2rad degrees "
    "exp2 fabs invert rad2deg radians rint"
)
"""Elementwise functions of one operand."""

BINARY = "arctan2 fmax fmin fmod heaviside left_shift logaddexp2 mod power right_shift true_divide"
"""Elementwise functions of two operands."""

FUNCTIONS = """
concatenate(arrays: Sequence[Array], /, axis: int | None = 0, out: Array | None = None, *, \
dtype: DTypeLike | None = None, casting: str = "same_kind", **options: Any) -> Array
cumprod(a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None, \
**options: Any) -> Array
cumsum(a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None, \
**options: Any) -> Array
diag(v: Array, k: int = 0) -> Array
diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array
dot(a: Array | Scalar, b: Array | Scalar, out: Array | None = None, **options: Any) -> Array
hstack(tup: Sequence[Array], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array
inner(a: Array | Scalar, b: Array | Scalar, /) -> Array
kron(a: Array | Scalar, b: Array | Scalar) -> Array
outer(a: Array | Scalar, b: Array | Scalar, out: Array | None = None, **options: Any) -> Array
ravel(a: Array, order: Literal["C", "F", "A", "K"] = "C") -> Array
swapaxes(a: Array, axis1: int, axis2: int) -> Array
trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike | None = None, \
out: Array | None = None, **options: Any) -> Array
transpose(a: Array, axes: Axes = None) -> Array
vdot(a: Array | Scalar, b: Array | Scalar, /) -> Array
vstack(tup: Sequence[Array], *, dtype: DTypeLike | None = None, casting: str = "same_kind") -> Array
"""
"""Functions that programs call most: compiled from their signatures, as those of the standard are."""

ARRAYS = (
    "amax amin angle append argpartition argwhere around bincount choose column_stack compress convolve "
    "corrcoef correlate cov cross delete diagflat digitize dstack ediff1d einsum extract flatnonzero fliplr flipud "
    "float_power gcd insert interp intersect1d isclose iscomplex isneginf isposinf isreal lcm ldexp lexsort median "
    "nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod "
    "nanquantile nanstd nansum nanvar pad partition percentile polyval ptp quantile ravel_multi_index real_if_close "
    "resize rollaxis rot90 select setdiff1d setxor1d sinc trapezoid trim_zeros union1d unwrap vander"
)
"""Functions that return an array, and are called with their arguments as they are."""

LOOPS = frozenset({"nan_to_num", "nanmean", "nanstd", "nansum", "nanvar"})
"""Those of them that `accel.xp.compiled_functions` computes for large arrays."""

LISTS = "array_split dsplit hsplit split vsplit"
"""Functions that return a list of arrays."""

ANY = (
    "atleast_1d atleast_2d atleast_3d average divmod frexp gradient histogram histogram2d ix_ modf polyfit unique "
    "unravel_index"
)
"""Functions that return an array or a tuple of arrays, depending on their arguments."""

TRUTHS = "allclose array_equal iscomplexobj isrealobj"
"""Functions that return a bool of Python."""

CREATING = "bartlett blackman geomspace hamming hanning identity indices kaiser logspace tri tril_indices triu_indices"
"""Functions that create arrays, on the device given by ``device=``."""

SAME = (
    "array bool_ complexfloating copy dtype errstate float16 floating generic index_exp inexact integer intp "
    "issubdtype mgrid ndarray ndim ndindex number ogrid promote_types s_ shape signedinteger size unsignedinteger"
)
"""Names that are NumPy's own, or that have a definition here; ``ndarray`` is `Array`."""


def _names(table: str) -> list[str]:
    return [line.partition("(")[0] for line in table.splitlines() if line]


NAMES = (UNARY, BINARY, " ".join(_names(FUNCTIONS)), ARRAYS, LISTS, ANY, TRUTHS, CREATING, SAME)
"""All names of NumPy in the main namespace."""

LINALG_FUNCTIONS = """
norm(x: Array, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array
"""
"""As `FUNCTIONS`, of `numpy.linalg`."""

LINALG = ("cond", "lstsq", "multi_dot", "tensorinv")
"""The other functions of `numpy.linalg`."""

LINALG_NAMES = (*LINALG, *_names(LINALG_FUNCTIONS))
"""All names of NumPy in the namespace of linear algebra."""
