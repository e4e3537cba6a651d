"""Each keyword of NumPy's functions and methods: the result is NumPy's, or there is a reason against it."""

import ast
import inspect

import numpy as np
import pytest

from accel import xp

from ..tables import rows

ARRAYS = {
    "X": np.array([[3.0, -1.5, 2.0], [0.25, 5.5, -2.5]]),
    "N": np.array([[4, 0, 2], [4, 1, 7]]),
    "B": np.array([[True, False, True], [True, True, False]]),
    "S": np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]]),
    "V": np.array([0.5, 3.0, 1.5]),
    "U": np.array([1.0, 2.0, 4.0]),
    "I": np.array([4, 0, 2, 4, 1]),
    "Z": np.array([1 + 2j, -3j, 2.0]),
    "F": np.array([1.0, np.nan, np.inf, -np.inf]),
    "T": np.arange(24.0).reshape(2, 3, 4),
}

REDUCED = "axis=0, out=o, keepdims=True"
CALLS = f"""
all(a=B, {REDUCED}, where=B); any(a=B, {REDUCED}, where=B); allclose(a=V, b=V + 1, rtol=0.1, atol=1.0, equal_nan=True)
amax(a=X, {REDUCED}, initial=0.5, where=B); amin(a=X, {REDUCED}, initial=0.5, where=B); angle(z=Z, deg=True)
append(arr=X, values=X, axis=1); arange(1, stop=9, step=2, dtype='float32'); argmax(a=X, {REDUCED})
argmin(a=X, {REDUCED}); argpartition(a=V, kth=1, axis=0, kind='introselect', order=None)[1]
argsort(a=X, axis=0, kind=None, order=None, stable=True); argwhere(a=B); around(a=X, decimals=1, out=o)
array(V, dtype='float32', copy=True, order='F', subok=False, ndmin=2); array_equal(a1=F, a2=F, equal_nan=True)
array_split(ary=V, indices_or_sections=2, axis=0); asarray(V, dtype='float32', order='C', copy=True)
astype(V, 'float32', copy=False); average(a=X, axis=0, weights=X * X, returned=True, keepdims=True); bartlett(M=5)
bincount(I, weights=I * 0.5, minlength=9); blackman(M=5); broadcast_arrays(X, V, subok=False)
broadcast_to(V, shape=(2, 3), subok=False); can_cast(from_='int64', to='int8', casting='unsafe')
choose(a=N % 2, choices=[X, -X], out=o, mode='clip'); clip(a=X, a_min=0, a_max=2, out=o); clip(a=X, min=0, max=2)
column_stack(tup=(V, V)); compress(condition=[True, False], a=X, axis=0, out=o); concat([X, N], dtype='float32')
concat([X, X], axis=1, out=o, casting='same_kind'); concatenate([X, X], axis=1, out=o, casting='same_kind')
concatenate([X, N], dtype='float32'); convolve(a=V, v=V, mode='same'); copy(a=X, order='F', subok=False)
corrcoef(x=X, y=X + X[:, ::-1], rowvar=False, dtype='float64')[0]; correlate(a=V, v=V, mode='full')
count_nonzero(a=N, axis=1, keepdims=True); cov(m=X, y=X * X, rowvar=False, bias=True, ddof=1, dtype='float64')
cov(m=X, fweights=I[:3], aweights=V); cross(a=X, b=X[::-1], axisa=1, axisb=1, axisc=1); cross(a=X, b=X * X, axis=1)
cumprod(a=X, axis=1, dtype='float32', out=o); cumsum(a=X, axis=1, dtype='float32', out=o)
cumulative_prod(X, axis=1, dtype='float32', out=o, include_initial=True)
cumulative_sum(X, axis=1, dtype='float32', out=o, include_initial=True); delete(arr=X, obj=1, axis=1); diag(v=V, k=1)
diagflat(v=V, k=1); diagonal(a=T, offset=1, axis1=0, axis2=2); diff(a=X, n=1, axis=0, prepend=X[:1], append=X[:1])
digitize(x=V, bins=U, right=True); dot(a=X, b=V, out=o); dsplit(ary=T, indices_or_sections=2); dstack(tup=(V, V))
ediff1d(ary=V, to_end=1.0, to_begin=[2.0, 3.0]); einsum('ij->j', X, out=o, optimize=True)
empty(shape=(2, 3), dtype='int8', order='F').shape; expand_dims(a=X, axis=0); extract(condition=B, arr=X)
empty_like(X, dtype='int8', order='C', subok=False, shape=(2,)).shape; eye(N=2, M=3, k=1, dtype='int8', order='F')
finfo(dtype='float32').bits; flatnonzero(a=N); flip(m=X, axis=1); fliplr(m=X); flipud(m=X); from_dlpack(V, copy=True)
full(shape=(2,), fill_value=3, dtype='int8', order='F'); geomspace(start=1, stop=8, num=4, endpoint=False, axis=0)
full_like(a=X, fill_value=2, dtype='int8', order='C', subok=False, shape=(2,)); geomspace(1, 8, dtype='float32')
gradient(f=V, axis=0, edge_order=2); hamming(M=4); hanning(M=4); hsplit(ary=X, indices_or_sections=3)
histogram(a=V, bins=3, range=(0, 8), density=True, weights=U)
histogram2d(x=V, y=U, bins=2, range=[[0, 8], [0, 8]], density=True, weights=U)
hstack(tup=[V, V], dtype='float32', casting='same_kind'); identity(n=2, dtype='int8'); iinfo(int_type='int8').max
imag(val=Z); indices(dimensions=(2, 3), dtype='int8', sparse=True); insert(arr=X, obj=1, values=9.0, axis=1)
interp(x=V, xp=U, fp=V, left=0.0, right=1.0); interp(x=V, xp=U, fp=V, period=3.0)
intersect1d(ar1=I, ar2=I[1:], assume_unique=False, return_indices=True); iscomplex(x=Z); iscomplexobj(x=Z)
isclose(a=F, b=F, rtol=0.1, atol=0.5, equal_nan=True); isdtype(dtype=X.dtype, kind='integral')
isin(element=N, test_elements=N[0], assume_unique=False, invert=True, kind='sort'); isneginf(x=F, out=o)
isposinf(x=F, out=o); isreal(x=Z); isrealobj(x=Z); kaiser(M=4, beta=3.0); kron(a=V, b=U); lexsort(keys=(V, U), axis=0)
linspace(start=0, stop=V, num=4, endpoint=False, retstep=True, dtype='float32', axis=1)
logspace(start=0, stop=2, num=3, endpoint=False, base=2.0, dtype='float32', axis=0)
max(a=X, {REDUCED}, initial=0.5, where=B); min(a=X, {REDUCED}, initial=0.5, where=B)
mean(a=X, dtype='float32', {REDUCED}, where=B); median(a=X, {REDUCED}, overwrite_input=False)
meshgrid(V, U, copy=True, sparse=True, indexing='ij'); moveaxis(a=T, source=0, destination=2)
nan_to_num(x=F, copy=True, nan=1.0, posinf=2.0, neginf=3.0); nanargmax(a=X, {REDUCED}); nanargmin(a=X, {REDUCED})
nancumprod(a=X, axis=1, dtype='float32', out=o); nancumsum(a=X, axis=1, dtype='float32', out=o); ndim(a=X)
nanmax(a=X, {REDUCED}, initial=0.5, where=B); nanmin(a=X, {REDUCED}, initial=0.5, where=B)
nanmean(a=X, dtype='float32', {REDUCED}, where=B); nanmedian(a=X, {REDUCED}, overwrite_input=False)
nanpercentile(a=X, q=30, {REDUCED}, overwrite_input=False, method='linear'); nonzero(a=N)
nanpercentile(a=V, q=30, weights=U, method='inverted_cdf')
nanquantile(a=X, q=0.3, {REDUCED}, overwrite_input=False, method='linear')
nanquantile(a=V, q=0.3, weights=U, method='inverted_cdf')
nanprod(a=X, dtype='float32', {REDUCED}, initial=2.0, where=B)
nansum(a=X, dtype='float32', {REDUCED}, initial=2.0, where=B)
nanstd(a=X, dtype='float64', axis=1, out=o, keepdims=True, ddof=1, where=B, mean=mean(X, 1, keepdims=True))
nanstd(a=X, correction=1); nanvar(a=X, correction=1)
nanvar(a=X, dtype='float64', axis=1, out=o, keepdims=True, ddof=1, where=B, mean=mean(X, 1, keepdims=True))
ones(shape=(2,), dtype='int8', order='F'); ones_like(a=X, dtype='int8', order='C', subok=False, shape=(2,))
outer(a=V, b=U, out=o); pad(array=V, pad_width=1, mode='edge')
partition(a=V, kth=1, axis=0, kind='introselect', order=None)[1]; permute_dims(a=T, axes=(2, 0, 1))
percentile(a=X, q=30, {REDUCED}, overwrite_input=False, method='linear')
percentile(a=V, q=30, weights=U, method='inverted_cdf'); polyval(p=V, x=U)
polyfit(x=V, y=U, deg=1, rcond=0.1, full=False, w=U, cov=False)
prod(a=X, dtype='float32', {REDUCED}, initial=2.0, where=B)
ptp(a=X, {REDUCED}); quantile(a=X, q=0.3, {REDUCED}, overwrite_input=False, method='linear'); ravel(a=X, order='F')
quantile(a=V, q=0.3, weights=U, method='inverted_cdf'); real(val=Z); real_if_close(a=Z * 0, tol=10)
ravel_multi_index(multi_index=(I, I), dims=(2, 3), mode='wrap', order='F'); repeat(a=V, repeats=2, axis=0)
reshape(X, shape=(3, 2), order='F', copy=True); resize(a=V, new_shape=(2, 2)); roll(a=X, shift=1, axis=0)
rollaxis(a=T, axis=2, start=0); rot90(m=X, k=2, axes=(0, 1)); round(a=X, decimals=1, out=o)
searchsorted(a=V, v=U, side='right', sorter=argsort(V)); select(condlist=[V > 1], choicelist=[V], default=7.0)
setdiff1d(ar1=I, ar2=I[:2], assume_unique=False); setxor1d(ar1=I, ar2=I[:2], assume_unique=False); shape(a=X)
sinc(x=V); size(a=X, axis=0); sort(a=X, axis=0, kind=None, order=None, stable=True); squeeze(a=X[:1], axis=0)
split(ary=V, indices_or_sections=3, axis=0); stack(arrays=[X, X], axis=1, out=o, casting='same_kind')
stack(arrays=[X, N], dtype='float32')
std(a=X, dtype='float64', axis=1, out=o, keepdims=True, ddof=1, where=B, mean=mean(X, 1, keepdims=True))
std(a=X, correction=1); sum(a=X, dtype='float32', {REDUCED}, initial=2.0, where=B); swapaxes(a=T, axis1=0, axis2=2)
take(a=X, indices=N, axis=0, out=o, mode='clip'); take_along_axis(arr=X, indices=N % 3, axis=1); tile(A=V, reps=2)
tensordot(a=S, b=S, axes=1); trace(a=T, offset=1, axis1=0, axis2=2, dtype='float32', out=o)
transpose(a=T, axes=(2, 0, 1)); trapezoid(y=X, x=V, axis=1); trapezoid(y=X, dx=0.5); tri(N=2, M=3, k=1, dtype='int8')
tril(m=X, k=1); tril_indices(n=3, k=1, m=4); trim_zeros(filt=I, trim='fb', axis=0); triu(m=X, k=1)
triu_indices(n=3, k=1, m=4); union1d(ar1=I, ar2=I[:2]); unique_all(I); unique_counts(I); unique_inverse(I)
unique(ar=N, return_index=True, return_inverse=True, return_counts=True, axis=0, equal_nan=True, sorted=True)
sort(unique_values(I)); unravel_index(indices=I, shape=(3, 4), order='F'); unstack(X, axis=1)
unwrap(p=V, discont=1.0, axis=0, period=3.0); vander(x=V, N=2, increasing=True); vsplit(ary=X, indices_or_sections=2)
var(a=X, dtype='float64', axis=1, out=o, keepdims=True, ddof=1, where=B, mean=mean(X, 1, keepdims=True))
var(a=X, correction=1); vstack(tup=[V, V], dtype='float32', casting='same_kind')
zeros(shape=(2,), dtype='int8', order='F'); zeros_like(a=X, dtype='int8', order='C', subok=False, shape=(2,))
linalg.cholesky(S, upper=True); linalg.cond(x=S, p=1); linalg.cross(V, U, axis=0); linalg.det(a=S)
linalg.diagonal(T, offset=1); linalg.eig(a=S)[0].real; linalg.eigh(a=S, UPLO='U')[0]; linalg.eigvals(a=S).real
linalg.eigvalsh(a=S, UPLO='U'); linalg.inv(a=S); linalg.lstsq(a=S, b=V, rcond=0.1); linalg.matrix_power(a=S, n=2)
linalg.matrix_norm(X, keepdims=True, ord=1); linalg.matrix_rank(A=S, tol=0.1, hermitian=True)
linalg.matrix_rank(A=S, rtol=0.1); linalg.multi_dot(arrays=[S, S], out=o); linalg.qr(a=S, mode='complete')
linalg.norm(x=X, ord=1, axis=0, keepdims=True); linalg.pinv(a=S, rcond=0.1, hermitian=True)
linalg.pinv(a=S, rtol=0.1); linalg.slogdet(a=S); linalg.solve(a=S, b=V)
linalg.svd(a=S, full_matrices=False, compute_uv=False, hermitian=True); linalg.tensordot(S, S, axes=1)
linalg.tensorinv(a=S, ind=1); linalg.trace(T, offset=1, dtype='float32'); linalg.vecdot(X, X, axis=0)
linalg.vector_norm(X, axis=0, keepdims=True, ord=1); fft.fft(a=V, n=4, axis=0, norm='ortho', out=o)
fft.fftfreq(n=4, d=0.5); fft.fftn(a=X, s=(2, 2), axes=(0, 1), norm='ortho', out=o); fft.fftshift(x=V, axes=0)
fft.hfft(a=Z, n=4, axis=0, norm='ortho', out=o); fft.ifft(a=V, n=4, axis=0, norm='ortho', out=o)
fft.ifftn(a=X, s=(2, 2), axes=(0, 1), norm='ortho', out=o); fft.ifftshift(x=V, axes=0)
fft.ihfft(a=V, n=4, axis=0, norm='ortho', out=o); fft.irfft(a=Z, n=4, axis=0, norm='ortho', out=o)
fft.irfftn(a=X, s=(2, 2), axes=(0, 1), norm='ortho', out=o); fft.rfft(a=V, n=4, axis=0, norm='ortho', out=o)
fft.rfftfreq(n=4, d=0.5); fft.rfftn(a=X, s=(2, 2), axes=(0, 1), norm='ortho', out=o)
"""
"""Calls with keywords; ``o`` is an array of the shape and dtype of the result."""

METHODS = f"""
B.all({REDUCED}, where=B); B.any({REDUCED}, where=B); X.argmax({REDUCED}); X.argmin({REDUCED})
V.argpartition(1, axis=0, kind='introselect', order=None)[1]; X.argsort(axis=0, kind=None, order=None, stable=True)
X.astype(dtype='float32', order='F', casting='same_kind', subok=False, copy=False); X.clip(min=0, max=2, out=o)
X.compress(condition=[True, False], axis=0, out=o); X.copy(order='F'); X.cumprod(axis=1, dtype='float32', out=o)
X.cumsum(axis=1, dtype='float32', out=o); T.diagonal(offset=1, axis1=0, axis2=2); X.dot(V, out=o); X.flatten(order='F')
X.max({REDUCED}, initial=0.5, where=B); X.mean(dtype='float32', {REDUCED}, where=B)
X.min({REDUCED}, initial=0.5, where=B); X.prod(dtype='float32', {REDUCED}, initial=2.0, where=B); X.ravel(order='F')
X.repeat(2, axis=0); X.reshape(3, 2, order='F', copy=True); X.round(decimals=1, out=o)
V.searchsorted(U, side='right', sorter=argsort(V)); X[:1].squeeze(axis=0); X.std(dtype='float64', {REDUCED}, ddof=1)
X.sum(dtype='float32', {REDUCED}, initial=2.0, where=B); X.take(N, axis=0, out=o, mode='wrap'); X.tobytes(order='F')
T.trace(offset=1, axis1=0, axis2=2, dtype='float32', out=o); X.var(dtype='float64', {REDUCED}, ddof=1)
V.sort(axis=0, kind=None, order=None, stable=True); V.partition(1, axis=0, kind='introselect', order=None)
N.choose([X, -X], out=o, mode='wrap'); V.put([4, -1], [9.0], mode='wrap'); X.byteswap(inplace=False)
X.tofile('/dev/null', sep=',', format='%s'); X.dump(file='/dev/null')
"""

REFUSED = {
    ("array", "ndmax"): "sequences would be elements, and elements are numbers",
    ("array", "object"): "the operand is given by position, as that of `asarray` in the standard",
    ("asarray", "a"): "the operand is given by position, as in the standard",
    ("broadcast_to", "array"): "the operand is given by position, as in the standard",
    **{
        (f"unique_{what}", "x"): "the operand is given by position, as in the standard, and to NumPy's own function too"
        for what in ("all", "counts", "inverse", "values")
    },
}
"""Keywords of NumPy's that functions do not have, and why."""

PLACES = frozenset({"device", "like"})
"""Keywords that name a device; NumPy has one. The tests of `tests/xp/test_order.py` call with them."""


def lines(text):
    return [each.strip() for each in text.replace("\n", ";").split(";") if each.strip()]


class Names(dict):
    """The functions of a namespace, and arrays."""

    def __init__(self, namespace, arrays):
        super().__init__(arrays, linalg=namespace.linalg, fft=namespace.fft)
        self.namespace = namespace

    def __missing__(self, name):
        return getattr(self.namespace, name)


def outcome(call, namespace, arrays):
    return eval(call, {}, Names(namespace, arrays))


def same(result, expected):
    if isinstance(expected, tuple | list):
        assert isinstance(result, tuple | list)
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other)
    elif isinstance(expected, np.ndarray | np.generic):
        assert (type(result), result.dtype, result.shape) == (xp.Array, expected.dtype, expected.shape)
        np.testing.assert_allclose(result.to_device("cpu"), expected, rtol=1e-6, atol=1e-12)
    else:
        assert result == expected


@rows("call", lines(CALLS) + lines(METHODS))
def test_the_result_is_that_of_numpy(call, device):
    expected = outcome(call.replace(", out=o", "").replace("out=o, ", ""), np, dict(ARRAYS, V=ARRAYS["V"].copy()))
    arrays = {name: xp.asarray(values, device=device, copy=True) for name, values in ARRAYS.items()}
    if "out=o" in call:
        arrays["o"] = xp.empty(expected.shape, dtype=expected.dtype, device=device)
    with xp.default_device(device):
        result = outcome(call, xp, arrays)
    same(result, expected)
    assert "out=o" not in call or result is arrays["o"]
    if call.startswith("V.sort"):
        assert arrays["V"].tolist() == sorted(ARRAYS["V"])


def called(calls):
    """Return the pairs of a function's name and a keyword in calls."""
    nodes = [node for call in calls for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Call)]
    return {(ast.unparse(node.func), keyword.arg) for node in nodes for keyword in node.keywords}


def keywords(function):
    parameters = inspect.signature(function).parameters.values()
    return [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]


FUNCTIONS = [
    (f"{part}.{name}".strip("."), getattr(ours, name), getattr(theirs, name))
    for part, ours, theirs in (("", xp, np), ("linalg", xp.linalg, np.linalg), ("fft", xp.fft, np.fft))
    for name in ours.__all__
    if inspect.isroutine(getattr(ours, name)) and inspect.isroutine(getattr(theirs, name, None))
]
"""The functions of both libraries; the elementwise functions are in `test_keywords`."""


CALLED = called(lines(CALLS))


@rows(("path", "ours", "theirs"), [each for each in FUNCTIONS if each[1] is not each[2]])
def test_every_keyword_of_numpy_is_in_a_call_above_or_refused_for_a_reason(path, ours, theirs):
    names = keywords(theirs)
    assert [name for name in names if name not in PLACES and (path, name) not in CALLED | REFUSED.keys()] == []
    options = inspect.signature(ours, follow_wrapped=False).parameters
    takes_all = any(each.kind is each.VAR_KEYWORD for each in options.values())
    assert all(name in options or takes_all for name in PLACES.intersection(names))
    for name in names:
        if (path, name) in REFUSED:
            with pytest.raises(TypeError):
                ours(*[ARRAYS["V"]] * (name == "ndmax"), **{name: ARRAYS["V"]})


def test_what_is_refused_is_a_keyword_of_numpy():
    by_path = {path: keywords(theirs) for path, _, theirs in FUNCTIONS}
    assert all(name in by_path[path] for path, name in REFUSED)


OF_ARRAYS = [
    name
    for name in dir(np.ndarray)
    if not name.startswith("_") and callable(getattr(np.ndarray, name)) and callable(getattr(xp.Array, name, None))
]


@rows("name", [name for name in OF_ARRAYS if name not in ("to_device", "view")])
def test_every_keyword_of_numpys_methods_is_in_a_call_above(name):
    calls = {(path.rpartition(".")[2], keyword) for path, keyword in called(lines(METHODS))}
    expected = [each for each in keywords(getattr(np.ndarray, name)) if each != "self"]
    by_position = {
        "choices",
        "indices",
        "kth",
        "repeats",
        "v",
        "other",
        "axis1",
        "axis2",
    }  # NumPy's methods take these so only
    if name in ("fill", "swapaxes"):
        return
    assert [each for each in expected if each not in by_position and (name, each) not in calls] == []


def test_generators_take_the_keywords_of_numpys():
    names = [name for name in dir(np.random.Generator) if not name.startswith("_") and name != "bit_generator"]
    for name in names:
        ours, theirs = (keywords(getattr(kind, name)) for kind in (xp.random.Generator, np.random.Generator))
        assert set(theirs) <= set(ours), name
