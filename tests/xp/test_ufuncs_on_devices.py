"""Every ufunc of NumPy, in every form of call, with arrays of a device: NumPy's result, NumPy's error, or a refusal."""

import warnings

import numpy as np
import pytest

from accel import xp
from accel.device import Device
from accel.errors import DeviceMismatchError

UFUNCS = sorted({each.__name__ for each in vars(np).values() if isinstance(each, np.ufunc)})
WITHOUT = {"bitwise_count", "isnat", "matvec", "spacing", "vecmat"}
"""The ufuncs that `accel.xp` has not."""

DTYPES = ("bool", "int8", "float32", "complex64")
OTHERS = ("bool", "uint8", "float32")
NUMBERS = (True, 2, 2.5, 2j)


def values(dtype, shape=(2, 3)):
    result = np.random.default_rng(0).integers(0, 4, shape).astype(dtype)
    return result + np.array(0.25, dtype) if result.dtype.kind in "fc" else result


def forms(function, dtype):
    """Yield calls, as functions of arrays, with their arrays."""
    several = [values(dtype, (3, 3)[: 2 if function.signature else None])] * function.nin
    yield function, several
    if function.signature:
        return
    for other in OTHERS:
        yield lambda *x, t=other: function(*x, dtype=t), several
        yield lambda *x, t=other: function(*x, dtype=t, casting="no"), several
        if function.nin == 2:
            mixed = [several[0], values(other, (3,))]
            yield function, mixed
            yield lambda *x: function(*x, casting="no"), mixed
        if function.nout == 1:
            with_out = [*several, values(other, (3, 3))]
            yield function, with_out
            yield lambda *x: function(*x[:-1], out=x[-1]), with_out
            yield lambda *x: function(*x[:-1], out=x[-1], where=x[0] > 1), with_out
    yield lambda *x: function(*x, where=x[0] == x[0]), several
    yield lambda *x: function(*x, order="F", subok=False), several
    if function.nin == 2:
        yield from of_two(function, several[0])


def of_two(function, x):
    for number in NUMBERS:
        yield lambda x, n=number: function(x, n), [x]
        yield lambda x, n=number: function(n, x), [x]
        yield lambda x, n=number: function(n, n, out=x), [x]
    yield lambda x: function.outer(x, x), [x]


def reductions(function, dtype):
    """Yield calls of the methods that reduce."""
    x = values(dtype, (3, 3))
    for other in OTHERS:
        yield lambda x, out: function.reduce(x, out=out), [x, values(other, (3,))]
    for axis in (0, 1, -1, None, (0, 1), 2):
        yield lambda x, axis=axis: function.reduce(x, axis=axis), [x]
        yield lambda x, axis=axis: function.reduce(x, axis, keepdims=True), [x]
    yield lambda x: function.reduce(x, dtype=np.float64), [x]
    yield lambda x: function.reduce(x, initial=2), [x]
    yield lambda x: function.reduce(x, where=x > 1, initial=2), [x]
    yield function.reduce, [x[:0]]
    yield function.accumulate, [x]
    yield lambda x: function.reduceat(x, [0, 1]), [x]


def outcome(form, arrays):
    try:
        result = form(*arrays)
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        return error
    return result if isinstance(result, tuple) else (result,)


def has_result(result, expected, device):
    """Check a result against NumPy's, and tell whether there was one."""
    if isinstance(result, DeviceMismatchError):
        assert "to_device('cpu')" in str(result)
        return False
    assert isinstance(result, Exception) == isinstance(expected, Exception), (result, expected)
    if isinstance(expected, Exception):
        return False
    for ours, theirs in zip(result, expected, strict=True):
        assert type(ours) is xp.Array
        assert (ours.device, ours.dtype, ours.shape) == (device, theirs.dtype, theirs.shape)
        np.testing.assert_allclose(np.asarray(ours.to_device("cpu")), theirs, rtol=1e-6)
    return True


def count_results(function, device, calls):
    """Check all calls, and tell how many had a result on the device."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in DTYPES:
            for form, arrays in calls(function, dtype):
                expected = outcome(form, [each.copy() for each in arrays])
                ours = outcome(form, [xp.asarray(each, device=device, copy=True) for each in arrays])
                count += has_result(ours, expected, device)
    return count


@pytest.mark.parametrize("name", UFUNCS)
def test_the_result_is_that_of_numpy_or_the_call_is_refused(name, sim):
    assert (count_results(getattr(np, name), sim, forms) == 0) == (name in WITHOUT)


def reduce_with_all():
    """Check the reductions of all ufuncs of two operands, and return the names of those that compute on no device."""
    of_two = [each for each in map(vars(np).get, UFUNCS) if each.nin == 2 and not each.signature]
    return [each.__name__ for each in of_two if not count_results(each, Device.SIM, reductions)]


@pytest.mark.slow
def test_reductions_are_those_of_numpy_or_refused(python):
    # In a process of its own: NumPy keeps the operands for ever if such a call is refused.
    code = f"import runpy; print(*runpy.run_path({__file__!r})['reduce_with_all']())"
    # The standard's `floor_divide` differs from NumPy's, and `divmod` has two results.
    assert set(python(code).split()) == {"divmod", "floor_divide"}
