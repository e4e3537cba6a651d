"""NumPy's functions with arrays of a device compute there, if `accel.xp` has a function of that name."""

import gc
from weakref import ref

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import CapabilityError, DeviceMismatchError, DTypeError
from accel.xp import numpy_on_devices

from ..tables import rows

X = np.random.default_rng(0).normal(size=(4, 6))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.sum(x, None, np.float32, None, False, 1.0),
        lambda x: np.sum(x, out=xp.zeros((), dtype="float32", device="sim")),
        lambda x: np.sum(x, where=X > 0),
        # NumPy 2.4 keeps the operands of its own ``reduce`` for ever if this raises.
        lambda x: x.__array_ufunc__(np.logical_and, "reduce", x, initial=True),
        lambda x: np.add.outer([1, 2, 3, 4, 5, 6], x),
        lambda x: np.std(x, ddof=1, correction=1),
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


def test_like_an_array_of_the_host():
    result = np.asarray([1, 2], like=xp.ones(3))
    assert type(result) is xp.Array
    assert result.tolist() == [1, 2]


def test_objects_that_are_given_come_back_as_they_are():
    x, none = np.broadcast_arrays(xp.ones(3), None)
    assert type(x) is xp.Array
    assert none.tolist() == [None] * 3


SAME_NAME = {
    "ddof": lambda x, n: np.std(x, ddof=1),
    "dtype of a mean": lambda x, n: np.mean(n, dtype=np.float32),
    "limits of another kind": lambda x, n: np.clip(n, 0.5, 2.5),
    "limits by NumPy's names": lambda x, n: np.clip(x, a_min=0, a_max=1),
    "decimals": lambda x, n: np.round(x, 1),
    "out by position": lambda x, n: np.argmax(x, 0, None),
    "options that were not given": lambda x, n: np.sum(x, keepdims=np._NoValue),
    "an option after out": lambda x, n: np.nansum(x, axis=0, keepdims=True),
    "a dtype, and an option after out": lambda x, n: np.nanprod(x, axis=0, dtype="float32", keepdims=True),
    "a list of indices": lambda x, n: np.take(x, [0, 1], axis=1),
    "a list of repeats": lambda x, n: np.repeat(x, [1, 0, 2, 1], axis=0),
    "a list of values": lambda x, n: np.searchsorted(np.sort(x[0]), [0.5, 0.25]),
    "a list as operand": lambda x, n: np.add(n, [1, 2, 3, 4, 5, 6]),
    "a list to choose from": lambda x, n: np.where(x > 0, [1, 2, 3, 4, 5, 6], n),
    "a list of elements": lambda x, n: np.isin(n, [1, 2]),
    "dtype of a comparison": lambda x, n: np.equal(x, n, dtype=bool),
    "dtype of a predicate": lambda x, n: np.isnan(x, dtype=bool),
    "dtype of absolute values": lambda x, n: np.abs(x + 1j, dtype=np.float64),
    "real eigenvalues": lambda x, n: np.linalg.eigvals(np.eye(3, like=x)),
    "complex eigenvalues": lambda x, n: np.linalg.eigvals(np.asarray([[0.0, -1.0], [1.0, 0.0]], like=x)),
    "real eigenvectors": lambda x, n: np.linalg.eig(np.eye(3, like=x)).eigenvectors,
    "singular values near zero": lambda x, n: np.linalg.pinv(np.asarray([[1.0, 0.0], [0.0, 1e-14]], like=x)),
    "rcond": lambda x, n: np.linalg.pinv(np.asarray([[1.0, 0.0], [0.0, 1e-3]], like=x), rcond=0.1),
    "norm of None": lambda x, n: np.fft.fft(x, norm=None),
    "a range of arrays": lambda x, n: np.linspace(x[0], x[1], 3),
    "elements of a mean": lambda x, n: np.mean(x, axis=1, where=x > -1),
    "elements of a deviation": lambda x, n: np.std(x, where=n > 0, ddof=1),
    "a correction": lambda x, n: np.var(x, axis=0, correction=1),
    "a mean that is known": lambda x, n: np.std(x, axis=1, mean=np.mean(x, axis=1, keepdims=True)),
    "a list that says which elements": lambda x, n: np.sum(x, axis=1, where=[True, False, True, True, False, True]),
    "all elements": lambda x, n: np.sum(x, where=True),
    "elements of a sum of ufuncs": lambda x, n: np.add.reduce(x, axis=1, where=n > 0, initial=0.5),
    "sums up to each row": lambda x, n: np.add.accumulate(n),
    "products up to each column": lambda x, n: np.multiply.accumulate(x, axis=1),
    "each element with each": lambda x, n: np.subtract.outer(x, n[0]),
    "each element with a number": lambda x, n: np.multiply.outer(n, np.float32(2)),
}


@rows("name", SAME_NAME)
def test_defaults_and_dtypes_are_those_of_numpy(name, sim):
    whole = np.arange(24).reshape(4, 6) - 12
    with accel.using(host_copies="never"):
        result = SAME_NAME[name](xp.asarray(X, device=sim), xp.asarray(whole, device=sim))
    expected = SAME_NAME[name](X, whole)
    assert result.device is sim
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(result.to_device("cpu")), expected)


@rows("name", ["sum", "prod", "max", "min", "amax", "nansum", "mean", "any", "all", "var"])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_reductions_of_chosen_elements_have_the_bits_of_numpy(name, axis, sim):
    initial = {} if name in {"mean", "any", "all", "var"} else {"initial": 1.5}
    x, chosen = xp.asarray(X, device=sim), xp.asarray(X > -1, device=sim)
    expected = getattr(np, name)(X, axis=axis, where=X > -1, keepdims=True, **initial)
    with accel.using(host_copies="never"):
        result = getattr(np, name)(x, axis=axis, where=chosen, keepdims=True, **initial)
        out = xp.empty(expected.shape, dtype=expected.dtype, device=sim)
        assert getattr(np, name)(x, axis=axis, where=chosen, keepdims=True, out=out, **initial) is out
    for each in (result, out):
        assert (each.device, each.dtype, each.shape) == (sim, expected.dtype, expected.shape)
        assert each.tobytes() == expected.tobytes()


def test_what_the_library_of_a_device_lacks_is_computed_on_the_host_if_copies_are_allowed(sim, monkeypatch):
    def lacking(*arguments, **keywords):
        raise CapabilityError("no sum with where=")

    x = xp.asarray(X, device=sim)
    monkeypatch.setattr(xp.Array, "sum", lacking)
    numpy_on_devices._method.cache_clear()
    try:
        with pytest.raises(DeviceMismatchError, match=r"NumPy's sum cannot read it there; write x\.to_device\('cpu'\)"):
            np.sum(x, where=x > 0)
        with accel.using(host_copies="allow"):
            result = np.sum(x, where=x > 0)
    finally:
        numpy_on_devices._method.cache_clear()
    assert result.device is sim
    assert float(result) == np.sum(X, where=X > 0)


def test_a_number_of_the_host_with_each_element(sim):
    x, two = xp.asarray(X, device=sim), xp.asarray(2.0)
    for result in (np.multiply.outer(two, x), np.multiply.outer(x, two)):
        assert result.device is sim
        np.testing.assert_array_equal(np.asarray(result.to_device("cpu")), X * 2)


def test_a_dtype_that_numpy_refuses_is_refused(sim):
    with pytest.raises(TypeError, match="Cannot cast ufunc 'multiply'"):
        np.multiply(xp.asarray(X, device=sim), 2, dtype=int)


def test_modes_that_the_standard_lacks_are_numpys(sim):
    with accel.using(host_copies="allow"):
        result = np.linalg.qr(xp.asarray(X, device=sim), mode="r")
    np.testing.assert_allclose(np.asarray(result.to_device("cpu")), np.linalg.qr(X, mode="r"))


@pytest.mark.parametrize("function", [np.logspace, np.geomspace])
def test_a_range_that_only_numpy_computes_is_refused(function, sim):
    one = xp.ones((), device=sim)
    with pytest.raises(DeviceMismatchError, match=r"to_device\('cpu'\)"):
        function(one, one + 1)


@pytest.mark.parametrize("axis", [None, 1, (0, 1)])
def test_the_size_along_several_axes(axis, sim):
    x = xp.asarray(X, device=sim)
    assert np.size(x, axis) == xp.size(x, axis) == np.size(X, axis)


@rows("call", [lambda x: x.sum(axis=7), lambda x: x @ x, lambda x: xp.reshape(x, (5,)), lambda x: x.sum(bad=1)])
def test_a_call_that_fails_keeps_no_array_alive(call, sim):
    x = xp.asarray(X, device=sim)
    reference, failed = ref(x), False
    gc.disable()
    try:
        call(x)
    except (CapabilityError, ValueError):  # `pytest.raises` would keep the traceback
        failed = True
    finally:
        del x
        alive = reference() is not None
        gc.enable()
    assert failed
    assert not alive
