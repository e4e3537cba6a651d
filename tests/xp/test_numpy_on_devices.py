"""NumPy's functions with arrays of a device compute there, if `accel.xp` has a function of that name."""

import re

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, DTypeError

X = np.random.default_rng(0).normal(size=(4, 6))

CALLS = {
    "a ufunc": np.sin,
    "two operands": lambda x: np.maximum(x, 0.0),
    "a number of NumPy first": lambda x: np.subtract(np.float64(2.0), x),
    "dtype of a ufunc": lambda x: np.add(x, 1, dtype=np.float32),
    "a reduction": lambda x: np.sum(x, axis=0, keepdims=True),
    "a reduction by a method": lambda x: [np.add.reduce(x), np.maximum.reduce(x, axis=1)],
    "a list of arrays": lambda x: np.concatenate([x, x], axis=1),
    "linalg": lambda x: np.linalg.inv(np.dot(x, x.T)),
    "fft": np.fft.rfft,
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "where": lambda x: np.where(x > 0, x, -x),
    "several results": np.modf,
    "like": lambda x: [
        np.zeros_like(x),
        np.full_like(x, 2.0, shape=(2,)),
        np.ones(3, like=x),
        np.asarray([1, 2], like=x),
    ],
    "an array of elements": lambda x: np.array([x[0, 0], x[1, 1]], like=x),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_values_are_those_of_numpy(name, sim):
    with accel.using(host_copies="never"):
        found, expected = CALLS[name](xp.asarray(X, device=sim)), CALLS[name](X)
    many = isinstance(expected, list | tuple)
    for ours, theirs in zip(found if many else [found], expected if many else [expected], strict=True):
        assert ours.device is sim
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(np.asarray(ours.to_device("cpu")), theirs)


def test_out_is_written_there(sim):
    x, target = xp.asarray(X, device=sim), xp.zeros((4, 6), device=sim)
    assert np.add(x, x, out=target) is target
    np.testing.assert_array_equal(np.asarray(target.to_device("cpu")), X + X)


@pytest.mark.parametrize(
    "call",
    [
        np.add.accumulate,
        lambda x: np.sum(x, out=xp.zeros((), dtype="float32", device="sim")),
        lambda x: np.apply_along_axis(np.sum, 0, x),
    ],
)
def test_what_has_no_function_there_is_refused(call, sim):
    with pytest.raises(DeviceMismatchError, match=r"to_device\('cpu'\)"):
        call(xp.asarray(X, device=sim))


def test_only_the_elements_of_out_where_a_condition_is_true_are_written(sim):
    x, target = xp.asarray(X, device=sim), xp.zeros((4, 6), device=sim)
    for divide in (np.divide, np.true_divide):
        assert divide(1.0, x, out=target, where=x > 0) is target
        np.testing.assert_array_equal(np.asarray(target.to_device("cpu")), np.where(X > 0, 1.0 / X, 0.0))


def test_out_of_a_dtype_that_cannot_hold_the_result_is_refused(sim):
    x = xp.asarray(X, device=sim)
    with pytest.raises(DTypeError, match=r"out=xp\.empty\(shape, dtype='float64'\)"):
        np.add(x, x, out=xp.zeros((4, 6), dtype="int64", device=sim))


def test_arrays_made_like_another_have_the_axes_that_were_asked_for(sim):
    x = xp.asarray(X, device=sim)
    assert np.array([x[0], x[1]], ndmin=4, like=x).shape == (1, 1, 2, 6)


@pytest.mark.parametrize(
    ("call", "named"), [(np.add.accumulate, "xp.add("), (np.fft.fft2, None), (np.linalg.eigvals, "xp.linalg.eigvals(")]
)
def test_the_error_names_functions_that_exist(call, named, sim):
    with pytest.raises(DeviceMismatchError) as caught:
        call(xp.ones((2, 2), device=sim))
    assert re.findall(r"xp\.[\w.]+\(", str(caught.value)) == ([named, "xp.asarray("] if named else [])


def test_like_an_array_of_the_host():
    made = np.asarray([1, 2], like=xp.ones(3))
    assert type(made) is xp.Array
    assert made.tolist() == [1, 2]
