"""Arrays on a device give the results of NumPy, with any strides."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes

from accel import xp
from accel.errors import ReleasedError
from accel.memory import heap_of

from .effort import EXAMPLES, THOROUGH

pytestmark = pytest.mark.cupy_kernels
DTYPES = ("bool", "uint8", "int64", "float32", "complex64")
FUNCTIONS = {
    "abs": lambda xp, x: xp.abs(x),
    "add": lambda xp, x: x + x,
    "astype": lambda xp, x: xp.astype(x, xp.complex128),
    "concat": lambda xp, x: xp.concat([x, x]),
    "comparison": lambda xp, x: x != 1,
    "copy": lambda xp, x: xp.asarray(x, copy=True),
    "element": lambda xp, x: x[first(x)],
    "in place": lambda xp, x: operator.iadd(xp.asarray(x, copy=True), x),
    "matmul": lambda xp, x: xp.matmul(*two_matrices(xp, x)),
    "nonzero": lambda xp, x: xp.nonzero(x)[0],
    "reshape": lambda xp, x: xp.reshape(x, (-1,)),
    "sum": lambda xp, x: xp.sum(xp.astype(x, xp.complex128), axis=-1),
    "take": lambda xp, x: xp.take(x, xp.asarray([0, 0]), axis=0),
    "where": lambda xp, x: xp.where(x == xp.flip(x), x, xp.zeros_like(x)),
}


def first(x):
    return (0,) * x.ndim


def two_matrices(xp, x):
    flat = xp.reshape(xp.astype(x, xp.float64 if x.dtype.kind != "c" else x.dtype), (-1, 1))
    return flat.T, flat


@st.composite
def looked_at(draw):
    """Values, and a key and an order of axes that make a view of them."""
    shape = draw(array_shapes(max_dims=4, max_side=40))
    while np.prod(shape) > 20_000:
        shape = shape[:-1]
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    values = np.random.default_rng(len(shape)).integers(0, 2 if dtype.kind == "b" else 100, shape).astype(dtype)
    steps = [draw(st.sampled_from([1, 1, -1, 2, -3])) for _ in shape]
    return values, tuple(slice(None, None, step) for step in steps), tuple(draw(st.permutations(range(len(shape)))))


def view(xp, x, key, axes):
    return xp.permute_dims(x[key], axes)


def check(found, expected):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(np.asarray(found.to_device("cpu")), expected, rtol=1e-5, atol=1e-5)


@THOROUGH
@given(looked_at())
def test_a_view_goes_to_the_device_and_back(device, xp, seen):
    values, *how = seen
    check(view(xp, xp.asarray(values), *how), view(np, values, *how))
    check(view(xp, xp.asarray(values, device="cpu"), *how).to_device(device), view(np, values, *how))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@settings(THOROUGH, max_examples=-(-EXAMPLES // 8))  # CuPy compiles each function for each dtype
@given(looked_at())
def test_a_function_of_a_view_is_numpys(device, xp, function, seen):
    values, *how = seen
    result = function(xp, view(xp, xp.asarray(values), *how))
    assert result.device is device
    check(result, np.asarray(function(np, view(np, values, *how))))


@THOROUGH
@given(looked_at())
def test_an_element_becomes_the_number_that_it_is(xp, seen):
    values, *how = seen
    result, expected = view(xp, xp.asarray(values), *how), view(np, values, *how)
    assert complex(result[first(result)]) == complex(expected[first(expected)])
    assert bool(result[first(result)] == 1) == (expected[first(expected)] == 1)


@THOROUGH
@given(looked_at(), st.booleans())
def test_what_is_assigned_to_a_view_is_where_numpy_puts_it(device, xp, seen, value):
    values, *how = seen
    x, expected = xp.asarray(values, copy=True), values.copy()
    view(xp, x, *how)[...] = value
    view(np, expected, *how)[...] = value
    check(x, expected)
    x, expected = xp.asarray(values, copy=True), values.copy()
    x[how[0]] = xp.flip(x[how[0]], axis=0)
    expected[how[0]] = np.flip(expected[how[0]], axis=0).copy()
    check(x, expected)


def test_memory_of_an_array_that_the_library_allocated_is_released(device):
    x = xp.zeros(1000, dtype="float32", device=device)
    storage = x.storage
    before = heap_of(device).live_bytes
    storage.release()
    with pytest.raises(ReleasedError):
        x.tolist()
    del x, storage
    assert heap_of(device).live_bytes == before
