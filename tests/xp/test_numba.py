"""Functions that numba compiled, called with our arrays; `tests/dropin/consumers/numba.py` compares their results."""

import gc
import sys

import numba
import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import DeviceMismatchError, ReleasedError


@numba.njit
def first_and_rest(x):
    return x[0], x[1:]


@numba.njit
def negated(x):
    x[0] = -x[0]


def test_memory_is_shared_and_let_go_of():
    x = xp.arange(3.0)
    before = sys.getrefcount(x)
    first, rest = first_and_rest(x)
    rest[0] = 9.0
    assert (first, x.tolist()) == (0.0, [0.0, 9.0, 2.0])
    del rest
    gc.collect()
    assert sys.getrefcount(x) == before


def test_other_devices_follow_host_copies():
    x = xp.arange(3.0, device="sim")
    with pytest.raises(DeviceMismatchError, match=r"numba cannot read it there; write x\.to_device"):
        first_and_rest(x)
    before = xp.host_copies()
    with accel.using(host_copies="allow"):
        assert first_and_rest(x)[0] == 0.0
    assert (xp.host_copies() - before).copies == 1


def test_released_memory_is_refused():
    x = xp.arange(3.0)
    first_and_rest(x)
    x.storage.release()
    with pytest.raises(ReleasedError):
        first_and_rest(x)


def test_what_is_written_is_in_the_array():
    x = xp.arange(1.0, 4.0)
    negated(x)
    assert x.tolist() == [-1.0, 2.0, 3.0]


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_shared_elements_and_copies_are_not_written(device):
    x = xp.broadcast_to(xp.ones(1), (3,)) if device == "cpu" else xp.ones(3, device=device)
    type = numba.typeof(x)
    del x  # numba keeps the error, whose traceback has the variables
    with pytest.raises(numba.TypingError, match="setitem"):
        negated.compile((type,))


def test_types_are_those_of_numpy_arrays():
    for view in (lambda x: x, lambda x: x.T, lambda x: x[:, ::2], lambda x: x[0], lambda x: x[0, 0]):
        for dtype in ("bool", "int8", "uint64", "float32", "complex128"):
            ours, theirs = view(xp.ones((3, 4), dtype=dtype)), view(np.ones((3, 4), dtype))
            if theirs.ndim:
                assert str(numba.typeof(ours)) == f"accel.{numba.typeof(theirs)}"


def test_pending_work_is_waited_for():
    source, target = accel.full(1000, 3.0), accel.zeros(1000)
    x = xp.asarray(target)
    target.copy_from_async(source, stream=accel.new_stream("cpu"))
    assert first_and_rest(x)[0] == 3.0


def test_the_type_follows_what_an_array_is():
    x, y = xp.ones((3, 4)), xp.ones((3, 4))
    assert numba.typeof(x) is numba.typeof(y)
    assert len({numba.typeof(each) for each in (x, x.T, x[:, ::2], x[0], x.astype("float32"), x.to_device("sim"))}) == 6


def test_functions_with_a_signature_take_arrays_of_numpy_alone():
    typed = numba.njit("float64(float64[:])")(lambda x: x[0])
    x = xp.arange(3.0)
    assert typed(np.asarray(x)) == 0.0
    with pytest.raises(TypeError, match="unbox"):
        typed(x)
