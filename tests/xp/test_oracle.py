"""Every function returns what array_api_strict returns: the same values, dtypes, shapes and names of results."""

import re

import array_api_strict
import numpy as np
import pytest

from accel import xp
from accel.xp import numpy_signatures, signatures

from ..tables import rows
from .test_against_strict import assert_same

NUMBERS = np.asarray([[0.5, -1.5, 2.0, 3.25], [7.0, 0.0, -0.5, 2.0], [1.0, 4.5, -8.0, 0.25]])
INPUTS = {
    "x": NUMBERS,
    "y": NUMBERS[::-1] + 0.125,
    "f": np.float32(NUMBERS),
    "i": np.asarray([[3, -1, 2], [0, 7, 3]]),
    "u": np.asarray([4, 0, 2, 200], np.uint8),
    "b": np.asarray([[True, False], [False, False]]),
    "z": NUMBERS + 1j * NUMBERS[::-1],
    "v": np.asarray([1.0, -2.0, 3.0]),
    "w": np.asarray([0.5, 4.0, -1.0]),
    "m": np.asarray([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]),
    "k": np.asarray([2, 0, 1]),
    "scalar": np.asarray(2.5),
    "hollow": np.zeros((0, 3)),
}
CALLS = """
add(x, 2)
all(b, axis=0, keepdims=True)
all(hollow)
any(b, axis=(0, 1))
arange(2, 11, 3)
arange(4)
arange(0, 1, 0.25, dtype=float32)
argmax(x)
argmax(x, axis=1, keepdims=True)
argmin(x, axis=0)
argsort(x, axis=0)
argsort(x, descending=True)
asarray([[1, 2], [3, 4]])
asarray([1, 2], dtype=float32)
asarray(x, copy=True)
asarray(True)
asarray(2j)
astype(x, float32)
astype(i, bool)
astype(b, int8)
atan2(1, x)
bitwise_and(i, 3)
bitwise_right_shift(i, 1)
broadcast_arrays(x, x[0, :])
broadcast_shapes((3, 1), (1, 4), (4,))
broadcast_to(v, (2, 3))
can_cast(int8, int16)
can_cast(x, float32)
clip(x, 0, 2)
clip(x, min=x[0, :])
clip(x)
concat([x, x], axis=1)
concat((x, y), axis=None)
count_nonzero(x)
count_nonzero(x, axis=1, keepdims=True)
cumulative_prod(v)
cumulative_prod(x, axis=1, include_initial=True)
cumulative_sum(x, axis=0)
cumulative_sum(u)
cumulative_sum(i, axis=1, dtype=float64, include_initial=True)
diff(v)
diff(x, axis=0, n=2)
diff(v, prepend=w, append=w)
divide(1, x + 10)
empty((2, 3), dtype=int8).shape
empty_like(f).dtype
equal(x, 2.0)
expand_dims(x, axis=1)
expand_dims(x, axis=(0, -1))
eye(3)
eye(2, 4, k=1, dtype=int32)
finfo(float32)
finfo(z)
flip(x)
flip(x, axis=1)
from_dlpack(x)
from_dlpack(x, copy=True)
full((2, 2), 7)
full(3, True)
full((), 1.5, dtype=float32)
full_like(i, 4)
full_like(x, 4, dtype=int8)
iinfo(uint8)
iinfo(i)
isdtype(float32, "real floating")
isdtype(int8, ("bool", "unsigned integer"))
isdtype(float32, float64)
isin(i, asarray([3, 7]))
linspace(0, 1, 5)
linspace(0, 10, 5, endpoint=False, dtype=float32)
logical_and(b, True)
matmul(m, v)
matmul(x, matrix_transpose(x))
matrix_transpose(x)
max(x)
max(i, axis=0)
maximum(x, 1.0)
mean(x)
mean(f, axis=1, keepdims=True)
meshgrid(v, w)
meshgrid(v, w, indexing="ij")
min(x, axis=(0, 1), keepdims=True)
moveaxis(ones((2, 3, 4)), 0, -1)
moveaxis(ones((2, 3, 4)), (0, 1), (2, 0))
nonzero(x)
ones((2, 3))
ones(2, dtype=complex64)
ones_like(u)
permute_dims(ones((2, 3, 4)), (2, 0, 1))
pow(x, 2)
prod(i)
prod(f, axis=0)
prod(u, dtype=float32)
repeat(v, 2)
repeat(x, asarray([1, 0, 2]), axis=0)
reshape(x, (4, 3))
reshape(x, (2, -1), copy=True)
result_type(i, int8)
result_type(f, 1.5)
result_type(float32, float64, x)
roll(x, 1)
round(x)
round(z)
roll(x, (1, 2), axis=(0, 1))
searchsorted(sort(v), w)
searchsorted(v, w, side="right", sorter=argsort(v))
sort(x)
sort(x, axis=0, descending=True)
squeeze(ones((1, 3, 1)), (0, 2))
squeeze(ones((1, 3)), 0)
stack([x, y])
stack([x, y], axis=-1)
std(x)
std(x, axis=0, correction=1, keepdims=True)
subtract(3, i)
sum(x)
sum(f, axis=1)
sum(u)
sum(i, axis=(0, 1), dtype=float64)
sum(hollow, axis=0)
take(x, k, axis=1)
take(v, k)
take_along_axis(m, argsort(m, axis=0), axis=0)
tensordot(x, y, axes=2)
tensordot(x, x, axes=((1,), (1,)))
tile(v, (2, 2))
tril(x, k=1)
triu(x, k=-1)
unique_all(i)
unique_counts(i)
unique_inverse(i)
unique_values(i)
unstack(x)
unstack(x, axis=1)
var(x, axis=1)
var(f, correction=1.0)
vecdot(x, y)
vecdot(z, z, axis=-2)
where(x > 1, x, y)
where(x > 1, x, 0)
zeros((2, 3), dtype=bool)
zeros(())
zeros_like(x, dtype=int16)
linalg.cholesky(m)
linalg.cholesky(m, upper=True)
linalg.cross(v, w)
linalg.det(m)
linalg.diagonal(x, offset=1)
linalg.eig(m)
linalg.eig(x[:, :3])
linalg.eig(z[:, :3])
linalg.eigh(m)
linalg.eigvals(m)
linalg.eigvals(f[:, :3])
linalg.eigvalsh(m)
linalg.inv(m)
linalg.matmul(m, m)
linalg.matrix_norm(m)
linalg.matrix_norm(m, ord="nuc", keepdims=True)
linalg.matrix_power(m, 3)
linalg.matrix_rank(m)
linalg.matrix_rank(m, rtol=0.5)
linalg.matrix_transpose(x)
linalg.outer(v, w)
linalg.pinv(x)
linalg.pinv(m, rtol=1e-3)
linalg.qr(x)
linalg.qr(x, mode="complete")
linalg.slogdet(m)
linalg.solve(m, v)
linalg.svd(x)
linalg.svd(x, full_matrices=False)
linalg.svdvals(x)
linalg.tensordot(m, v, axes=1)
linalg.trace(m)
linalg.trace(i, offset=1, dtype=float64)
linalg.vecdot(v, w)
linalg.vector_norm(x)
linalg.vector_norm(x, axis=0, ord=1, keepdims=True)
fft.fft(z)
fft.fft(z, n=6, axis=0, norm="ortho")
fft.fftfreq(5)
fft.fftfreq(6, d=0.5, dtype=float32)
fft.fftn(z, norm="forward")
fft.fftshift(x)
fft.hfft(z)
fft.ifft(z)
fft.ifftn(z, s=(2, 2), axes=(0, 1))
fft.ifftshift(x, axes=1)
fft.ihfft(x)
fft.irfft(z, n=5)
fft.irfftn(z)
fft.rfft(x)
fft.rfft(f)
fft.rfftfreq(5)
fft.rfftfreq(6, d=0.5, dtype=float32)
fft.rfftn(x, axes=(0,))
"""

UNARY, BINARY = signatures.UNARY.split(), signatures.BINARY.split()
DTYPES = list(xp.__array_namespace_info__().dtypes())
REAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.25, 7.0, np.inf, -np.inf, np.nan]
VALUES = {
    "b": [True, False],
    "i": [0, 1, -1, 2, 5, 100, -128],
    "u": [0, 1, 2, 5, 100, 255],
    "f": REAL,
    "c": [complex(re, im) for re in REAL[:7] for im in REAL[:7]],
}


def named(library, inputs):
    """Return the names for `eval`: the functions of a library, and the inputs as its arrays."""
    names = {name: getattr(library, name) for name in xp.__all__ if hasattr(library, name)}
    return names | {name: library.asarray(values) for name, values in inputs.items()}


@rows("call", CALLS.split("\n")[1:-1])
def test_calls(call):
    result, expected = (eval(call, named(library, INPUTS)) for library in (xp, array_api_strict))
    assert_same(result, expected, xp.Device.CPU, rounding=(1e-6, 1e-14))


@pytest.mark.parametrize(
    "call", ["isin(i, 3, invert=True)", "vecdot(x, y, axis=0)", "sum(b)", "multiply(i, v)", "add(k, u[:3])"]
)
def test_calls_that_numpy_has_and_strict_has_not(call):
    expected = eval(call, named(np, INPUTS))
    result = eval(call, named(xp, INPUTS))
    np.testing.assert_array_equal(np.asarray(result), expected)
    assert (type(result), result.dtype, result.shape) == (xp.Array, expected.dtype, expected.shape)


def elementwise(name, *arrays):
    """Return the results of both libraries, or None if the function does not take that dtype in the standard."""
    values = [array_api_strict.asarray(array) for array in arrays]
    with np.errstate(all="ignore"):
        try:
            expected = getattr(array_api_strict, name)(*values)
        except TypeError:
            return None
        return getattr(xp, name)(*map(xp.asarray, arrays)), expected


def values_of(dtype):
    dtype = np.dtype(dtype)
    return np.asarray(
        [value for value in VALUES[dtype.kind] if dtype.kind != "i" or value >= 0 or dtype.itemsize], dtype
    )


@rows("name", UNARY)
def test_functions_of_one_operand(name):
    results = [elementwise(name, values_of(dtype)) for dtype in DTYPES]
    assert any(results)
    for result, expected in filter(None, results):
        assert_same(result, expected, xp.Device.CPU, rounding=(1e-6, 1e-14))


def operands(name, one, other):
    """Return all pairs of valid values for a function of two operands, as two arrays."""
    first, second = np.meshgrid(values_of(one), values_of(other))
    if name == "floor_divide":  # strict has NumPy's results for infinities; see test_special_values.py
        finite = np.isfinite(first) & np.isfinite(second)
        return first[finite], second[finite]
    if "shift" in name or (name == "pow" and second.dtype.kind == "i"):
        second = np.abs(np.nan_to_num(second)) % 8 if second.dtype.kind != "b" else second
    return first, second


@rows("name", BINARY)
def test_functions_of_two_operands(name):
    results = [elementwise(name, *operands(name, one, other)) for one in DTYPES for other in DTYPES]
    assert any(results)
    for result, expected in filter(None, results):
        assert_same(result, expected, xp.Device.CPU, rounding=(1e-6, 1e-14))


NO_FUNCTIONS = {
    "Array",
    "Device",
    "__array_api_version__",
    "__array_namespace_info__",
    "default_device",
    "host_copies",
}


def test_every_function_is_called():
    names = set(re.findall(r"^([\w.]+)\(", CALLS, re.MULTILINE)) | set(UNARY) | set(BINARY)
    public = {name for name in xp.__all__ if callable(getattr(xp, name)) and not isinstance(getattr(xp, name), type)}
    public |= {f"{part}.{name}" for part in ("linalg", "fft") for name in getattr(xp, part).__all__}
    of_numpy = {
        *" ".join(numpy_signatures.NAMES).split(),
        *(f"linalg.{name}" for name in numpy_signatures.LINALG_NAMES),
    }
    assert names == public - NO_FUNCTIONS - of_numpy
