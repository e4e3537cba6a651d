"""NumPy's functions with arrays of a device compute there, if `accel.xp` has a function of that name."""

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError

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
        lambda x: np.sum(x, None, np.float32, None),
        np.spacing,
        lambda x: np.sin(x, where=x > 0),
        lambda x: np.apply_along_axis(np.sum, 0, x),
    ],
)
def test_what_has_no_function_there_is_refused(call, sim):
    with pytest.raises(DeviceMismatchError, match=r"to_device\('cpu'\)"):
        call(xp.asarray(X, device=sim))


def test_like_an_array_of_the_host():
    made = np.asarray([1, 2], like=xp.ones(3))
    assert type(made) is xp.Array
    assert made.tolist() == [1, 2]


def test_objects_that_are_given_come_back_as_they_are():
    x, none = np.broadcast_arrays(xp.ones(3), None)
    assert type(x) is xp.Array
    assert none.tolist() == [None] * 3
