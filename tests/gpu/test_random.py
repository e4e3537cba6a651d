"""Random numbers on a device: CuPy's generator draws there, with NumPy's parameters, shapes and dtypes."""

import copy
import os
import pickle

import numpy as np
import pytest

from accel import xp
from accel.errors import CapabilityError
from accel.xp.arrays import wrap

from ..tables import rows

CALLS = """
random(); random(5); random((2, 3), dtype=np.float32); integers(10); integers(2, 9, size=(2, 2)); uniform(-1, 1, (3,))
integers(0, 5, 7, dtype='uint8', endpoint=True); standard_normal(4, dtype='float32'); exponential(2.0, 3)
standard_exponential(3); poisson(4.0, 5); gamma(2.0, size=3); standard_gamma(2.0, 3); beta(1.0, 2.0, 3)
chisquare(3.0, 3); f(2.0, 3.0, 3); hypergeometric(3, 4, 2, 3); geometric(0.3, 3); logseries(0.4, 3); power(2.0, 3)
binomial(9, 0.3, 5)
"""
# The kernels of CuPy's generators are machine code for GPUs: a fake driver launches them, and they compute nothing.
executed = pytest.mark.skipif("ACCEL_FAKE_CUDA" in os.environ, reason="machine code for GPUs")


@pytest.fixture
def gpu(request):
    """The first of the devices that are tested."""
    return request.config.getoption("--accel-devices").split(",")[0]


@rows("call", [each.strip() for each in CALLS.replace("\n", ";").split(";") if each.strip()])
def test_numbers_have_the_shape_and_dtype_of_numpys(call, gpu):
    rng = xp.random.default_rng(7, device=gpu)
    result = eval(f"rng.{call}", {"rng": rng, "np": np})
    expected = np.asarray(eval(f"rng.{call}", {"rng": np.random.default_rng(7), "np": np}))
    assert type(result) is xp.Array
    assert (result.device, result.dtype, result.shape) == (rng.device, expected.dtype, expected.shape)


def test_arrays_are_parameters_and_out_is_written(gpu):
    rng = xp.random.default_rng(7, device=gpu)
    low = xp.asarray([1.0, 2.0], device=gpu)
    assert rng.uniform(low, 3.0).shape == (2,)
    assert rng.random(out=low) is low


def test_what_the_generator_lacks_is_refused_with_a_remedy(gpu):
    rng = xp.random.default_rng(7, device=gpu)
    with pytest.raises(CapabilityError, match=r"has no normal; draw on the host, and move the result"):
        rng.normal(0.0, 1.0, 3)


def state_of(rng):
    return wrap(rng._library, rng.bit_generator._state)


def test_copies_and_pickles_have_the_state_of_the_generator(gpu):
    rng = xp.random.default_rng(7, device=gpu)
    rng.random(3)
    state_of(rng)[:5] = 9  # a fake driver leaves it 0
    expected = state_of(rng).tolist()
    for other in (copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        assert other.device is rng.device
        assert type(other.bit_generator) is type(rng.bit_generator)
        assert state_of(other).tolist() == expected
        assert other.random((2, 3)).shape == (2, 3)
        state_of(other)[:5] = 8
    assert state_of(rng).tolist() == expected


def test_a_state_without_a_name_is_refused_with_a_remedy(gpu, monkeypatch):
    rng = xp.random.default_rng(7, device=gpu)
    monkeypatch.delattr(rng.bit_generator, "_state")
    with pytest.raises(CapabilityError, match=r"write default_rng\(seed, device="):
        pickle.dumps(rng)


@executed
def test_copies_draw_the_same_numbers(gpu):
    rng = xp.random.default_rng(7, device=gpu)
    rng.random(3)
    other = pickle.loads(pickle.dumps(rng))
    assert other.random(100).tolist() == rng.random(100).tolist()


@executed
def test_numbers_follow_from_the_seed_and_are_in_their_range(gpu):
    first, second = (xp.random.default_rng(7, device=gpu).random(1000).to_device("cpu").to_numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert 0 <= first.min() < first.max() < 1
    assert abs(first.mean() - 0.5) < 0.1
    whole = xp.random.default_rng(7, device=gpu).integers(2, 9, 1000).to_device("cpu").to_numpy()
    assert set(whole) == set(range(2, 9))
