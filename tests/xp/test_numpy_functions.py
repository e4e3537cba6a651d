"""Functions of `accel.xp` that have NumPy's names and parameters, compared with NumPy."""

import inspect
import re

import numpy as np
import pytest

from accel import xp
from accel.errors import CapabilityError, DeviceMismatchError
from accel.xp import numpy_signatures
from accel.xp.calls import member

from ..tables import rows

GIVEN = {
    "x": np.array([[3.0, -1.5, 2.0, 0.25], [5.5, 2.5, -4.0, 1.0], [0.5, 7.0, 1.0, -2.0]]),
    "v": np.array([0.1, 0.5, 0.9, 0.3]),
    "w": np.array([4.0, 2.0, 7.0, 1.0]),
    "u": np.array([1.0, 2.0, 4.0, 8.0]),
    "n": np.array([4, 0, 2, 4, 1]),
    "m": np.array([[2, 1, 5, 0], [7, 2, 3, 3]]),
    "b": np.array([True, False, True, True]),
    "a": np.array([1.0, np.nan, 3.0, -np.inf]),
    "f": np.array([1.0, np.nan, 3.0, 0.5]),
    "z": np.array([1 + 2j, -3j, 2.0]),
    "q": np.array([[4.0, 1.0], [2.0, 3.0]]),
    "t": np.arange(24.0).reshape(2, 3, 4),
    "s": np.array(2.5),
}
CALLS = """
absolute(x); amax(x, 0); amin(x, axis=1); angle(z); append(v, w); append(x, x, 0); arccos(v); arccosh(u); arcsin(v)
arcsinh(v); arctan(v); arctan2(v, w); arctanh(v); argwhere(b); around(x, 1); bincount(n); bincount(n, minlength=9)
bitwise_not(n); cbrt(w); choose(n[:3] % 2, [v[:3], w[:3]]); column_stack((v, w))
compress([True, False, True], x, 0); concatenate([v, w]); concatenate((x, x), 1); concatenate([x, x], axis=None)
conjugate(z); convolve(v, w, 'same')
copy(x); corrcoef(x); correlate(v, w, 'full'); cov(x); cov(x, rowvar=False, ddof=0); cross(x[0, :3], x[1, :3])
cumprod(v); cumsum(x, 1); cumsum(x, 0, 'float32'); deg2rad(v); degrees(v); delete(v, 1); delete(x, [0, 2], 1); diag(v)
diag(x, 1); diagflat(v); diagonal(x, 1); digitize(v, u); dot(x, w); dot(v, w); dstack((v, w)); ediff1d(w); exp2(v)
einsum('ij,kj->ik', x, x); einsum('ii', q); einsum('ij,j', x, w); extract(b, v); fabs(x); flatnonzero(b); fliplr(x)
flipud(x); float_power(w, 2); fmax(a, v); fmin(a, v); fmod(w, 3); gcd(n, 6); heaviside(x, 0.5); hstack((v, w))
inner(v, w); insert(v, 1, 9.0); interp(v, u, w); intersect1d(n, [2, 4, 9]); invert(n); isclose(v, v + 1e-9)
iscomplex(z); isneginf(a); isposinf(a); isreal(z); kron(v, w[:2]); lcm(n, 6); ldexp(v, 2); left_shift(n, 1)
lexsort((v, w)); logaddexp2(v, w); median(x); median(x, 1); median(x, axis=0, keepdims=True); mod(w, 3); nan_to_num(a)
nan_to_num(a, nan=5.0, neginf=0.0); nanargmax(f); nanargmin(f); nancumprod(f); nancumsum(f); nanmax(f); nanmean(f)
nanmedian(f); nanmin(f); nanpercentile(f, 30); nanprod(f); nanquantile(f, 0.3); nanstd(f, ddof=1); nansum(f); nanvar(f)
outer(v, w); pad(x, 1); pad(v, (1, 2), mode='edge'); pad(v, 2, constant_values=3.0); partition(w, 2)[2]
argpartition(w, 2)[2]; percentile(x, 30); percentile(x, [25, 75], axis=1); percentile(w, 40, method='nearest')
polyval(v, w); power(w, 2); power(x, 2.0); ptp(x); ptp(x, 1); quantile(x, [0.1, 0.9], 0); rad2deg(v); radians(v)
ravel(x); ravel(x, 'F'); ravel_multi_index((n[:2] % 3, n[2:4] % 4), (3, 5)); real_if_close(z * 0); resize(v, (2, 3))
right_shift(n, 1); rint(x); rollaxis(t, 2); rot90(x); rot90(x, 2); select([b, v > 0.2], [v, w], 7.0); setdiff1d(n, [4])
setxor1d(n, [4, 9]); sinc(v); swapaxes(t, 0, 2); trace(q); trace(x, 1); transpose(x); transpose(t, (1, 0, 2))
trapezoid(w); trapezoid(w, u); trapezoid(x, dx=0.5, axis=0); trim_zeros(n[1:] * 0); true_divide(w, 2); union1d(n, [9])
unwrap(w * 3); vander(v); vander(v, 3, increasing=True); vdot(v, w); vstack((v, w)); vstack([x, v])
array_split(w, 3); dsplit(t, 2); hsplit(x, 2); split(w, 2); split(x, [1], axis=1); vsplit(x, 3)
atleast_1d(s); atleast_2d(v); atleast_3d(x); atleast_1d(s, v); average(w); average(w, weights=u); average(x, 0)
average(x, axis=1, weights=u, returned=True); divmod(w, 3); frexp(w); gradient(w); gradient(x); gradient(x, axis=0)
histogram(w, 3); histogram(w, bins=4, range=(0, 8)); histogram2d(v, w, 2); ix_(n[:2], n[2:]); modf(w); polyfit(v, w, 2)
unique(n); unique(n, return_counts=True); unique(n, return_index=True, return_inverse=True); unravel_index(n, (3, 4))
allclose(v, v + 1e-12); allclose(v, w); array_equal(v, v); array_equal(v, w); iscomplexobj(z); isrealobj(z)
bartlett(5); blackman(5); geomspace(1, 8, 4); hamming(4); hanning(4); identity(3); indices((2, 3)); kaiser(4, 3.0)
logspace(0, 2, 3); tri(3); tri(2, 3, 1); tril_indices(3); triu_indices(3, 1)
linalg.cond(q); linalg.lstsq(q, v[:2]); linalg.multi_dot([q, q, q]); linalg.norm(x); linalg.norm(x, axis=1)
linalg.tensorinv(q, ind=1); linalg.svd(q, False); linalg.qr(q, 'complete')
array([1, 2]); array([1, 2], 'float32'); array(3.5); ndim(x); shape(x); size(x); size(x, 1)
sum(x, 0); sum(x, 1, 'float32'); prod(x, 0); mean(x, 0); max(x, 1); min(x, 0); all(b, 0); any(b, 0); argmax(x, 0)
argmin(x, 1); sort(x, 0); argsort(w, 0); std(x, 0); var(x, 1); diff(w, 2); diff(x, 1, 0); concat([v, w], 0); flip(x, 0)
roll(w, 1, 0); repeat(w, 2, 0); stack([v, w], 1); squeeze(x[:1]); squeeze(x[:1], 0); expand_dims(v, 0); tril(x, 1)
triu(x, -1); count_nonzero(x, 1); take(w, n[:2] % 2, 0)
take_along_axis(x, argsort(x, 1), 1); tensordot(q, q, 1); unstack(x, axis=1); where(b); where(x > 1); where(b, v, w)
searchsorted(u, v, 'right'); cumulative_sum(v, axis=0); zeros([2, 3]); zeros((2, 3), 'int32'); ones([2], int)
ones(2, 'int8')
full([2, 2], 7.0); full(2, 3, 'float32'); reshape(x, [4, -1]); reshape(x, -1); reshape(x, (2, 6))
broadcast_to(v, [2, 4])
permute_dims(t, [2, 0, 1]); tile(v, 2); tile(v, [2, 1]); eye(3, 4, 1); arange(0, 6, 2, 'float32'); linspace(0, 1).sum()
zeros_like(x, 'int64'); ones_like(x, int); full_like(x, 2, 'int32'); asarray([1, 2], 'float32'); fft.fft(v, 3)
fft.fftn(x, (2, 2), (0, 1)); fft.irfft(z, 4); fft.fftshift(v, 0)
round(x); round(x, 1); round(x, decimals=-1); fft.fftfreq(6, 0.5); fft.rfftfreq(6, 0.5)
"""
CASES = [each.strip() for each in CALLS.replace("\n", ";").split(";") if each.strip()]
CALLED = {name for case in CASES for name in re.findall(r"(\w+)\(", case)}


def evaluate(case, namespace, arrays):
    names = {name: getattr(namespace, name) for name in CALLED if hasattr(namespace, name)}
    return eval(case, {**names, "linalg": namespace.linalg, "fft": namespace.fft}, arrays)


def same(result, expected, rounding=1e-12):
    if isinstance(expected, tuple | list):
        assert isinstance(result, type(expected)) or type(expected).__name__.endswith("Result")
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            same(one, other, rounding)
    elif isinstance(expected, np.ndarray | np.generic):
        assert type(result) is xp.Array
        assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(result.to_device("cpu"), expected, rtol=rounding)
    else:
        assert result == expected
        assert isinstance(result, xp.Array) or type(result) is type(expected)


@rows("case", CASES)
def test_the_result_is_that_of_numpy(case, device):
    ours = {name: xp.asarray(values, device=device) for name, values in GIVEN.items()}
    with xp.default_device(device):
        result = evaluate(case, xp, ours)
    same(result, evaluate(case, np, GIVEN))


def test_every_name_is_called_above():
    names = {name for names in numpy_signatures.NAMES for name in names.split()} - set(numpy_signatures.SAME.split())
    assert names | {*numpy_signatures.LINALG_NAMES} <= CALLED


@rows("name", numpy_signatures.ARRAYS.split() + numpy_signatures.ANY.split())
def test_functions_have_the_signature_of_numpy(name):
    function = getattr(xp, name)
    assert (function.__name__, function.__module__) == (name, "accel.xp")
    try:
        expected = inspect.signature(getattr(np, name))
    except ValueError:  # NumPy's own has none
        return
    assert inspect.signature(function) == expected


@rows("name", numpy_signatures.SAME.split())
def test_names_without_elements_are_those_of_numpy(name):
    assert hasattr(xp, name)
    if name not in ("array", "copy", "mgrid", "ndarray", "ndim", "ogrid", "shape", "size"):
        assert getattr(xp, name) is getattr(np, name)


def test_an_array_is_an_instance_of_the_class_by_the_name_of_numpy():
    assert isinstance(xp.array([1]), xp.ndarray)


def test_array_copies_and_asarray_does_not():
    x = xp.ones(3)
    xp.array(x)[0] = 5
    assert x[0] == 1
    xp.array(x, copy=None)[0] = 5
    assert x[0] == 5


def test_arrays_are_made_on_a_device(device):
    for make in (xp.identity, xp.tri, xp.hanning):
        assert make(3, device=device).device is device
    assert {each.device for each in xp.tril_indices(3, device=device)} == {device}
    assert xp.array([1], device=device).device is device


def test_out_is_written_and_returned(device):
    x, target = xp.asarray(GIVEN["x"], device=device), xp.zeros(4, device=device)
    assert xp.median(x, 0, out=target) is target
    same(target, np.median(GIVEN["x"], 0))
    with pytest.raises(ValueError, match=r"out has shape \(4,\), and the result has \(3,\)"):
        xp.median(x, 1, out=target)


def test_a_transpose_is_a_view(device):
    x = xp.zeros((2, 3), device=device)
    xp.transpose(x)[0] = 1.0
    xp.ravel(x)[-1] = 5.0
    assert [float(each) for each in x.ravel()] == [1, 0, 0, 1, 0, 5]


def test_devices_are_not_mixed(sim):
    x, y = xp.ones(3), xp.ones(3, device=sim)
    with pytest.raises(DeviceMismatchError, match=r"are on cpu and sim; move one"):
        xp.concatenate([x, y])
    with pytest.raises(TypeError, match=r"found numpy\.ndarray: write xp\.asarray\(values, device='sim'\)"):
        xp.hstack([y, np.ones(3)])
    same(xp.hstack([x, np.ones(3)]), np.ones(6))


def test_a_function_that_a_library_lacks_is_named():
    library = xp.ones(1)._library
    with pytest.raises(CapabilityError, match=r"on cpu has no function linalg\.nothing; compute it on the host"):
        member(library, "linalg.nothing")
