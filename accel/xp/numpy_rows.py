"""The signatures of the functions of NumPy that are called with their arguments as they are, for types and docstrings.

The names and defaults of the parameters are NumPy's; ``...`` is the default of what has no effect if it is not given.
"""

__all__ = ["CORE", "LINALG"]

_OF_UFUNCS = (
    'where: Array | bool = True, casting: str = "same_kind", order: str = "K", dtype: DTypeLike | None = None, '
    "subok: bool = True, signature: Any = None"
)
_TO_ONE = f"out: Array | None = None, *, {_OF_UFUNCS}"
_TO_TWO = f"out: tuple[Array | None, Array | None] = (None, None), *, {_OF_UFUNCS}"
_OPERANDS = "x1: Array | Scalar, x2: Array | Scalar, /"
_FOR_REDUCTIONS = "keepdims: bool = ..., initial: Scalar = ..., where: Array | bool = ..."
_FOR_MOMENTS = "*, where: Array | bool = ..., mean: Array = ..., correction: float = ..."
_FOR_QUANTILES = (
    "q: Array | float, axis: Axis = None, out: Array | None = None, overwrite_input: bool = False, "
    'method: str = "linear"'
)
_WHERE = "*, device: DeviceLike | None = None, like: Array | None = None"

CORE = f"""
divmod({_OPERANDS}, {_TO_TWO}) -> tuple[Array, Array]
float_power({_OPERANDS}, {_TO_ONE}) -> Array
frexp(x: Array, /, {_TO_TWO}) -> tuple[Array, Array]
gcd({_OPERANDS}, {_TO_ONE}) -> Array
lcm({_OPERANDS}, {_TO_ONE}) -> Array
ldexp({_OPERANDS}, {_TO_ONE}) -> Array
modf(x: Array, /, {_TO_TWO}) -> tuple[Array, Array]
amax(a: Array, axis: Axis = None, out: Array | None = None, {_FOR_REDUCTIONS}) -> Array
amin(a: Array, axis: Axis = None, out: Array | None = None, {_FOR_REDUCTIONS}) -> Array
angle(z: Array, deg: bool = False) -> Array
append(arr: Array, values: Any, axis: int | None = None) -> Array
argpartition(a: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect", \
order: None = None) -> Array
argwhere(a: Array) -> Array
around(a: Array, decimals: int = 0, out: Array | None = None) -> Array
bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array
choose(a: Array, choices: Array | Sequence[Array], out: Array | None = None, \
mode: Literal["raise", "wrap", "clip"] = "raise") -> Array
column_stack(tup: Sequence[Array]) -> Array
compress(condition: Any, a: Array, axis: int | None = None, out: Array | None = None) -> Array
convolve(a: Array, v: Array, mode: Literal["full", "same", "valid"] = "full") -> Array
corrcoef(x: Array, y: Array | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None) -> Array
correlate(a: Array, v: Array, mode: Literal["full", "same", "valid"] = "valid") -> Array
cov(m: Array, y: Array | None = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, \
fweights: Array | None = None, aweights: Array | None = None, *, dtype: DTypeLike | None = None) -> Array
cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array
delete(arr: Array, obj: Any, axis: int | None = None) -> Array
diagflat(v: Array, k: int = 0) -> Array
digitize(x: Array, bins: Array, right: bool = False) -> Array
dstack(tup: Sequence[Array]) -> Array
ediff1d(ary: Array, to_end: Any = None, to_begin: Any = None) -> Array
einsum(*operands: Any, out: Array | None = None, optimize: Any = False, **kwargs: Any) -> Array
extract(condition: Array, arr: Array) -> Array
flatnonzero(a: Array) -> Array
fliplr(m: Array) -> Array
flipud(m: Array) -> Array
insert(arr: Array, obj: Any, values: Any, axis: int | None = None) -> Array
interp(x: Array | Scalar, xp: Array, fp: Array, left: float | None = None, right: float | None = None, \
period: float | None = None) -> Array
intersect1d(ar1: Array, ar2: Array, assume_unique: bool = False, return_indices: bool = False) -> Any
isclose(a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, \
equal_nan: bool = False) -> Array
iscomplex(x: Array) -> Array
isneginf(x: Array, out: Array | None = None) -> Array
isposinf(x: Array, out: Array | None = None) -> Array
isreal(x: Array) -> Array
lexsort(keys: Array | Sequence[Array], axis: int = -1) -> Array
median(a: Array, axis: Axis = None, out: Array | None = None, overwrite_input: bool = False, \
keepdims: bool = False) -> Array
nan_to_num(x: Array, copy: bool = True, nan: float = 0.0, posinf: float | None = None, \
neginf: float | None = None) -> Array
nanargmax(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = ...) -> Array
nanargmin(a: Array, axis: int | None = None, out: Array | None = None, *, keepdims: bool = ...) -> Array
nancumprod(a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array
nancumsum(a: Array, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array
nanmax(a: Array, axis: Axis = None, out: Array | None = None, {_FOR_REDUCTIONS}) -> Array
nanmean(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, \
keepdims: bool = ..., *, where: Array | bool = ...) -> Array
nanmedian(a: Array, axis: Axis = None, out: Array | None = None, overwrite_input: bool = False, \
keepdims: bool = ...) -> Array
nanmin(a: Array, axis: Axis = None, out: Array | None = None, {_FOR_REDUCTIONS}) -> Array
nanpercentile(a: Array, {_FOR_QUANTILES}, keepdims: bool = ..., *, weights: Array | None = None) -> Array
nanprod(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, \
{_FOR_REDUCTIONS}) -> Array
nanquantile(a: Array, {_FOR_QUANTILES}, keepdims: bool = ..., *, weights: Array | None = None) -> Array
nanstd(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, ddof: float = 0, \
keepdims: bool = ..., {_FOR_MOMENTS}) -> Array
nansum(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, \
{_FOR_REDUCTIONS}) -> Array
nanvar(a: Array, axis: Axis = None, dtype: DTypeLike | None = None, out: Array | None = None, ddof: float = 0, \
keepdims: bool = ..., {_FOR_MOMENTS}) -> Array
pad(array: Array, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Array
partition(a: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect", \
order: None = None) -> Array
percentile(a: Array, {_FOR_QUANTILES}, keepdims: bool = False, *, weights: Array | None = None) -> Array
polyval(p: Array, x: Array | Scalar) -> Array
ptp(a: Array, axis: Axis = None, out: Array | None = None, keepdims: bool = ...) -> Array
quantile(a: Array, {_FOR_QUANTILES}, keepdims: bool = False, *, weights: Array | None = None) -> Array
ravel_multi_index(multi_index: Array | tuple[Array, ...], dims: tuple[int, ...], \
mode: Literal["raise", "wrap", "clip"] = "raise", order: Literal["C", "F"] = "C") -> Array
real_if_close(a: Array, tol: float = 100) -> Array
resize(a: Array, new_shape: int | tuple[int, ...]) -> Array
rollaxis(a: Array, axis: int, start: int = 0) -> Array
rot90(m: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array
select(condlist: Sequence[Array], choicelist: Sequence[Array | Scalar], default: Array | Scalar = 0) -> Array
setdiff1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Array
setxor1d(ar1: Array, ar2: Array, assume_unique: bool = False) -> Array
sinc(x: Array) -> Array
trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Array
trim_zeros(filt: Array, trim: Literal["fb", "f", "b"] = "fb", axis: Axis = None) -> Array
union1d(ar1: Array, ar2: Array) -> Array
unwrap(p: Array, discont: float | None = None, axis: int = -1, *, period: float = ...) -> Array
vander(x: Array, N: int | None = None, increasing: bool = False) -> Array
array_split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]
dsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]
hsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]
split(ary: Array, indices_or_sections: int | Sequence[int], axis: int = 0) -> list[Array]
vsplit(ary: Array, indices_or_sections: int | Sequence[int]) -> list[Array]
atleast_1d(*arys: Array) -> Any
atleast_2d(*arys: Array) -> Any
atleast_3d(*arys: Array) -> Any
average(a: Array, axis: Axis = None, weights: Any = None, returned: bool = False, *, keepdims: bool = ...) -> Any
gradient(f: Array, *varargs: Array | Scalar, axis: Axis = None, edge_order: Literal[1, 2] = 1) -> Any
histogram(a: Array, bins: Array | int = 10, range: tuple[float, float] | None = None, density: bool | None = None, \
weights: Array | None = None) -> tuple[Array, Array]
histogram2d(x: Array, y: Array, bins: Any = 10, range: Any = None, density: bool | None = None, \
weights: Array | None = None) -> tuple[Array, Array, Array]
ix_(*args: Array) -> tuple[Array, ...]
polyfit(x: Array, y: Array, deg: int, rcond: float | None = None, full: bool = False, w: Array | None = None, \
cov: bool | str = False) -> Any
unique(ar: Array, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, \
axis: int | None = None, *, equal_nan: bool = True, sorted: bool = True) -> Any
unravel_index(indices: Array | int, shape: tuple[int, ...], order: Literal["C", "F"] = "C") -> tuple[Array, ...]
allclose(a: Array | Scalar, b: Array | Scalar, rtol: float = 1e-05, atol: float = 1e-08, \
equal_nan: bool = False) -> bool
array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool
iscomplexobj(x: Array) -> bool
isrealobj(x: Array) -> bool
bartlett(M: int, {_WHERE}) -> Array
blackman(M: int, {_WHERE}) -> Array
geomspace(start: Array | complex, stop: Array | complex, num: int = 50, endpoint: bool = True, \
dtype: DTypeLike | None = None, axis: int = 0, {_WHERE}) -> Array
hamming(M: int, {_WHERE}) -> Array
hanning(M: int, {_WHERE}) -> Array
identity(n: int, dtype: DTypeLike | None = None, {_WHERE}) -> Array
indices(dimensions: Sequence[int], dtype: DTypeLike | None = ..., sparse: bool = False, {_WHERE}) -> Any
kaiser(M: int, beta: float, {_WHERE}) -> Array
logspace(start: Array | complex, stop: Array | complex, num: int = 50, endpoint: bool = True, \
base: Array | float = 10.0, dtype: DTypeLike | None = None, axis: int = 0, {_WHERE}) -> Array
tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = ..., {_WHERE}) -> Array
tril_indices(n: int, k: int = 0, m: int | None = None, {_WHERE}) -> tuple[Array, Array]
triu_indices(n: int, k: int = 0, m: int | None = None, {_WHERE}) -> tuple[Array, Array]
"""
"""Those of the main namespace."""

LINALG = """
cond(x: Array, p: Any = None) -> Array
lstsq(a: Array, b: Array, rcond: float | None = None) -> tuple[Array, ...]
multi_dot(arrays: Sequence[Array], *, out: Array | None = None) -> Array
tensorinv(a: Array, ind: int = 2) -> Array
"""
"""Those of linear algebra."""
