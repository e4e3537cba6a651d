"""Functions of NumPy, called with arrays of a device and with NumPy's own parameters: NumPy's result, or a refusal."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError

from ..tables import rows
from .test_numpy_functions import CASES, GIVEN, same

COMPUTED = """
linalg.pinv(x, rcond=0.1); linalg.pinv(x, 0.1); linalg.eigvals(q); clip(x, a_min=0, a_max=2)
sum(x, axis=1, dtype='float32'); sum(x, None, None, None, True)
mean(x, 0, 'float32'); mean(x, keepdims=True); std(x, ddof=1); std(x, 0, None, None, 1)
var(x, axis=1, ddof=1, keepdims=True); prod(n, dtype='float64')
min(x, axis=(0, 1), keepdims=True); amax(x, keepdims=True); any(b, keepdims=True); all(x, axis=0)
argmax(x, axis=1, keepdims=True); argsort(x, 0, 'stable'); argsort(x, kind='stable'); sort(x, axis=None)
sort(x, stable=True); clip(x, 0, 2); clip(x, None, 1.5); clip(x, min=0); clip(x, v, 4.0); round(x, 1); round(x)
round(x, decimals=1); around(x); reshape(x, 12); reshape(x, shape=(2, 6))
reshape(x, (4, 3), copy=True); reshape(x, (2, 6), order='F'); reshape(x, (2, 6), 'F');
 ravel(x, order='F'); expand_dims(x, (0, 2)); expand_dims(v, axis=-1)
squeeze(x[:1], axis=0); moveaxis(t, 0, -1); moveaxis(t, [0, 1], [1, 0]); flip(x, axis=(0, 1)); flip(x)
roll(x, (1, 2), axis=(0, 1)); roll(x, shift=1); concatenate([x, x], axis=1); concatenate([n, w], dtype='float32')
concatenate([v, w], casting='safe'); stack([v, w], axis=-1); vstack([v, w], dtype='float32'); hstack([x, x])
where(x > 1, x, 0.0); where(b, 1, 2); where(x > 0, x, n[:4]); where(b); take(x, 5)
take_along_axis(x, argsort(x, 0), 0); searchsorted(u, 3.0); searchsorted(u, v, side='right')
searchsorted(w, v, sorter=argsort(w)); count_nonzero(x, axis=0, keepdims=True); nonzero(x > 1); diff(x); diff(w, n=2)
diff(w, prepend=0.0); diff(x, axis=0, append=x[:1]); cumsum(x); cumsum(x, axis=0, dtype='float32'); cumulative_sum(v)
cumulative_sum(x, axis=0, include_initial=True); cumprod(v, dtype='float32'); isin(n, n[:2], invert=True)
tril(x, k=1); triu(x); tile(x, (2, 1)); repeat(x, 2); repeat(w, n[:4], axis=0); broadcast_to(v, (3, 4))
broadcast_arrays(x, v); broadcast_to(v, shape=(2, 4)); unstack(x); meshgrid(v, w); meshgrid(v, w, indexing='ij')
tensordot(q, q, axes=1); tensordot(x, x, ([0], [0])); tensordot(x, x, axes=[[0, 1], [0, 1]]); matmul(q, q)
vecdot(x, x); vecdot(x, x, axis=0); inner(x, x); outer(x, x); matrix_transpose(t); permute_dims(t, (2, 0, 1))
kron(q, q); dot(x, 2); unique_all(n); unique_counts(n); unique_inverse(n); unique(x, axis=0); unique(n, sorted=False)
astype(x, 'int64'); astype(x, 'float32', copy=False); copy(x, order='F'); real(z); imag(z); conj(z); real(x)
angle(z, deg=True); nan_to_num(a, copy=False); linalg.inv(q); linalg.det(q); linalg.solve(q, q); linalg.solve(q, q[0])
linalg.eigvalsh(q @ q.T); linalg.cholesky(q @ q.T); linalg.cholesky(q @ q.T, upper=True); linalg.svdvals(x)
linalg.svd(x, full_matrices=False)[1]; linalg.qr(x, mode='reduced'); linalg.pinv(x); linalg.pinv(x, rtol=0.1)
linalg.matrix_rank(x); linalg.matrix_power(q, 3); linalg.slogdet(q); linalg.norm(x, 1); linalg.norm(x, 'fro')
linalg.norm(x, 2, 0, True); linalg.vector_norm(x, axis=1); linalg.vector_norm(x, ord=1); linalg.matrix_norm(x)
linalg.matrix_norm(x, ord=1); linalg.outer(v, w); linalg.cross(x[:, :3], x[:, :3]); linalg.trace(q)
linalg.trace(t, offset=1); linalg.diagonal(t); linalg.diagonal(t, offset=1); linalg.matmul(q, q); linalg.vecdot(v, w)
linalg.tensordot(q, q, axes=1); linalg.eigh(q @ q.T)[0]; linalg.matrix_transpose(q); linalg.cond(q, 1)
linalg.lstsq(q, q, rcond=None); fft.fft(v); fft.fft(v, n=6, norm='ortho'); fft.ifft(z); fft.rfft(v, 3, -1, 'forward')
fft.irfft(z); fft.fftn(x); fft.rfftn(x, axes=(0,)); fft.fftshift(v)
fft.ifftshift(x, axes=1); fft.hfft(z); fft.ihfft(v); fft.rfft(x, axis=0); ones_like(x); zeros_like(x, dtype='int8')
full_like(x, 2); full_like(n, 2, dtype='float32'); empty_like(x).shape; zeros_like(x, shape=(2,))
ones_like(x, order='F'); full_like(x, v); zeros(3, like=x); ones((2, 2), dtype='int8', like=x); full(3, 2.5, like=x)
arange(5, like=x); arange(1, 6, 2, like=x); eye(3, like=x); identity(2, like=x); array([1, 2], like=x)
array([1, 2], dtype='float32', like=x); asarray([[1.5]], like=x); array([w, w], like=x)
array([v, w], ndmin=3, like=x); array(x, like=x); array(x, copy=False, like=x); asarray(x, dtype='float32', like=x)
array([[1, 2], [3, 4]], order='F', like=x); tri(3, like=x); array(2, like=x); asarray(np.ones(3), like=x)
ascontiguousarray(x, like=x); asanyarray(x.T, like=x); pad(x, ((1, 0), (0, 2)), 'reflect'); percentile(x, 30, 0)
quantile(w, 0.3, method='lower'); average(x, 0, [1, 2, 3]); histogram(w, [0, 2, 5])
digitize(v, u, True); interp(v, u, w, left=0.0); cov(v, w); corrcoef(v, w); convolve(v, w); gradient(x, 2.0)
gradient(w, u); trapezoid(x, axis=0); cross(x[:, :3], x[:, :3], axis=1); einsum('ij->j', x, optimize=True)
nanmax(a, axis=0); bincount(n, weights=n); nansum(x, axis=0, keepdims=True); ptp(x, axis=0); cumulative_prod(v)
array_equal(x, x); isclose(x, x, rtol=0.1); allclose(x, x, equal_nan=True); polyval([1.0, 2.0], v); result_type(x, n)
can_cast(x.dtype, 'float32'); broadcast_shapes((2, 1), (1, 3)); iscomplexobj(x); isrealobj(z); ndim(x); size(x, 0)
shape(x); isscalar(x); atleast_2d(v, w); take(w, n % 2, axis=0, mode='raise'); take(x, [9], mode='clip')
max(x, initial=9.0); std(x, correction=1); sum(x, where=x > 1); sum(x, initial=3.0)
"""
REFUSED = """
apply_along_axis(np.sum, 0, x); array([[v, w], [w, v]], like=x); array([w[0], 2.0], like=x); array_equiv(x, x)
block([[x], [x]]); common_type(x, v); isin(n, n, True)
linalg.eigvalsh(q @ q.T, 'U'); linalg.eigvalsh(q @ q.T, UPLO='U'); linalg.matrix_rank(x, 0.1)
linalg.matrix_rank(x, tol=0.5); linalg.svd(x, compute_uv=False)
linalg.svd(x, hermitian=False)[1]; may_share_memory(x, x); median(x, 0, None, False, True)
fft.fft2(x); fft.rfft2(x); min_scalar_type(x); piecewise(x, [x > 1], [1.0]); fft.ifft2(x)
shares_memory(x, x); sort(x, kind='mergesort'); stack([v, w], dtype='float32')
"""
HOST = "array arange asarray bartlett blackman eye full geomspace hamming hanning identity indices kaiser linspace"
HOST = tuple(
    f"{name}(" for name in f"{HOST} logspace ones fft.fftfreq fft.rfftfreq tri tril_indices triu_indices zeros".split()
)
"""Calls that create arrays have none among their arguments, so NumPy does not ask ours."""


def lines(calls):
    return [each.strip() for each in calls.replace("\n", ";").split(";") if each.strip()]


def on(device):
    return {name: xp.asarray(values, device=device, copy=True) for name, values in GIVEN.items()}


def outcome(call, arrays):
    return eval(call, {**vars(np), "np": np, "fft": np.fft, "linalg": np.linalg}, arrays)


@rows("call", lines(COMPUTED) + [each for each in CASES if not each.startswith(HOST)])
def test_the_result_is_that_of_numpy(call, device):
    with accel.using(host_copies="never"):
        result = outcome(call, on(device))
    same(result, outcome(call, dict(GIVEN)), 0 if device.type == "cpu" else 1e-12)  # NumPy itself computes on the host


@rows("call", lines(REFUSED))
def test_parameters_that_nothing_there_has_are_refused(call, sim):
    with accel.using(host_copies="never"), pytest.raises(DeviceMismatchError, match=r"to_device\('cpu'\)"):
        outcome(call, on(sim))


@rows("call", lines(REFUSED))
@pytest.mark.filterwarnings("ignore")
def test_these_are_computed_by_copies_if_that_is_allowed(call, sim):
    with accel.using(host_copies="allow"):
        result = outcome(call, on(sim))
    expected = outcome(call, {name: values.copy() for name, values in GIVEN.items()})
    assert np.shape(result) == np.shape(expected)


@rows(("dtype", "other"), [(x, y) for x in ("int8", "uint8", "int64", "uint64") for y in ("int8", "uint8", "uint64")])
def test_limits_are_integers_of_any_dtype(dtype, other, device):
    values, limits = np.asarray([0, 1, 100, 120]).astype(dtype), np.asarray([5, 0, 110, 127]).astype(other)
    x, limit = xp.asarray(values, device=device), xp.asarray(limits, device=device)
    expected = np.clip(values.astype(object), limits.astype(object), None).astype(dtype)
    for low, high, wanted in ((limit, None, expected), (None, limit, np.minimum(values, limits.astype(dtype)))):
        found = xp.clip(x, low, high)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.to_device("cpu"), wanted)
    assert xp.clip(x[:0], limit[:0]).shape == (0,)
