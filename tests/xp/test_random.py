"""Random numbers: those of NumPy's generator for the same seed, on the host and on simulated devices."""

import copy
import pickle

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceMismatchError

from ..tables import rows

CALLS = """
rng.random(); rng.random(5); rng.random((2, 3), dtype=np.float32); rng.integers(10); rng.integers(2, 9, size=(2, 2))
rng.integers(0, 5, 7, dtype='uint8', endpoint=True); rng.normal(1.0, 2.0, 4); rng.standard_normal(4, dtype='float32')
rng.uniform(-1, 1, (3,)); rng.exponential(2.0, 3); rng.standard_exponential(3); rng.poisson(4.0, 5)
rng.gamma(2.0, size=3); rng.standard_gamma(2.0, 3); rng.beta(1.0, 2.0, 3); rng.chisquare(3.0, 3); rng.f(2.0, 3.0, 3)
rng.dirichlet([1.0, 2.0, 3.0], 2); rng.multinomial(9, [0.2, 0.8], 2); rng.multivariate_normal([0.0, 1.0], np.eye(2), 2)
rng.multivariate_hypergeometric([3, 4], 2, 3); rng.hypergeometric(3, 4, 2, 3); rng.negative_binomial(3, 0.4, 3)
rng.geometric(0.3, 3); rng.gumbel(size=3); rng.laplace(size=3); rng.logistic(size=3); rng.lognormal(size=3)
rng.logseries(0.4, 3); rng.noncentral_chisquare(3.0, 1.0, 3); rng.noncentral_f(3.0, 2.0, 1.0, 3); rng.pareto(2.0, 3)
rng.power(2.0, 3); rng.rayleigh(1.0, 3); rng.standard_cauchy(3); rng.standard_t(3.0, 3); rng.triangular(0, 1, 2, 3)
rng.vonmises(0.0, 1.0, 3); rng.binomial(9, 0.3, 5); rng.wald(1.0, 2.0, 3); rng.weibull(2.0, 3); rng.zipf(3.0, 3)
rng.permutation(7); rng.permutation(X); rng.permutation(X, axis=1); rng.permutation(v); rng.permutation([3, 1, 2])
rng.permuted(X); rng.permuted(X, axis=0); rng.permuted(X, axis=-1); rng.permuted(v)
rng.choice(5); rng.choice(5, 3, replace=False); rng.choice(v, 4); rng.choice(X, 2, axis=1); rng.choice(X, (2, 2))
rng.choice(v, 3, p=[0.1, 0.2, 0.3, 0.2, 0.1, 0.1]); rng.choice(v, 3, False, None, 0, False); rng.choice([5, 6, 7], 2)
"""
X = np.arange(12.0).reshape(3, 4)
V = np.arange(6, dtype="int32")


def same(result, expected):
    expected = np.asarray(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result.to_device("cpu").to_numpy(), expected)


@rows("call", [each.strip() for each in CALLS.replace("\n", ";").split(";") if each.strip()])
def test_the_numbers_are_those_of_numpy(call, device):
    ours = {"X": xp.asarray(X, device=device), "v": xp.asarray(V, device=device)}
    rng = xp.random.default_rng(7, device=device)
    result = eval(call, {"np": np, "rng": rng} | ours)
    assert isinstance(result, xp.Array)
    assert result.device is rng.device
    same(result, eval(call, {"np": np, "rng": np.random.default_rng(7), "X": X, "v": V}))


def test_every_method_of_numpy_is_there(device):
    rng = xp.random.default_rng(7, device=device)
    public = {name for name in dir(np.random.Generator) if not name.startswith("_")}
    assert public <= set(dir(rng))
    assert {name for name in public if f"rng.{name}(" not in CALLS} == {"bit_generator", "bytes", "shuffle", "spawn"}


def test_shuffle_changes_the_order_in_place(device):
    for axis in (0, 1, -1):
        x, expected = xp.asarray(X, device=device, copy=True), X.copy()
        xp.random.default_rng(7, device=device).shuffle(x[:, 1:], axis)
        np.random.default_rng(7).shuffle(expected[:, 1:], axis)
        same(x, expected)


def test_out_is_written_and_returned(device):
    rng, theirs = xp.random.default_rng(7, device=device), np.random.default_rng(7)
    x = xp.zeros((2, 3), device=device)
    assert rng.random(out=x) is x
    same(x, theirs.random((2, 3)))
    assert rng.permuted(x, out=x) is x
    with pytest.raises(ValueError, match=r"out has shape \(2, 3\) and dtype float64, and the numbers have \(2,\)"):
        rng.standard_normal(2, out=x)
    with pytest.raises(ValueError, match=r"write out=xp\.empty"):
        rng.standard_normal(dtype="float32", out=x)


def test_arrays_are_parameters(device):
    means = xp.asarray([1.0, 100.0], device=device)
    rng, theirs = xp.random.default_rng(7, device=device), np.random.default_rng(7)
    if device is not Device.CPU:
        with pytest.raises(DeviceMismatchError, match=r"numpy\.random cannot read it there; write x\.to_device"):
            rng.normal(means)
    before = xp.host_copies()
    with accel.using(host_copies="allow"):
        same(rng.normal(means, scale=means), theirs.normal([1.0, 100.0], scale=[1.0, 100.0]))
    assert (xp.host_copies() - before).copies == (0 if device is Device.CPU else 2)


def test_what_decides_the_numbers(device):
    with accel.using(device=device):
        for seed in (5, [1, 2], np.random.SeedSequence(5), np.random.PCG64(5)):
            same(xp.random.default_rng(copy.deepcopy(seed)).random(3), np.random.default_rng(seed).random(3))
        rng = xp.random.default_rng(rng=np.random.default_rng(5))
        same(rng.random(3), np.random.default_rng(5).random(3))
        assert xp.random.default_rng(rng) is rng
        assert not (xp.random.default_rng().random(8) == xp.random.default_rng().random(8)).all()
    with pytest.raises(TypeError, match="two names of one argument"):
        xp.random.default_rng(1, rng=2)
    with pytest.raises(ValueError, match="this generator is on"):
        xp.random.default_rng(rng, device="sim" if device is Device.CPU else "cpu")


def test_copies_pickles_and_spawned_generators_go_on_by_themselves(device):
    rng = xp.random.default_rng(7, device=device)
    rng.random()
    copies = copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))
    expected = rng.random(3).tolist()
    assert [each.random(3).tolist() for each in copies] == [expected, expected]
    assert [each.device for each in copies] == [rng.device] * 2
    children, theirs = rng.spawn(2), copy.deepcopy(rng._native).spawn(2)
    assert len({child.random().item() for child in children}) == 2
    assert len(theirs) == 2
    assert repr(rng) == f"Generator(PCG64) on {rng.device}"
    assert len(rng.bytes(3)) == 3


def test_bad_arguments_are_refused_as_numpy_does(device):
    rng = xp.random.default_rng(7, device=device)
    for call in (
        lambda: rng.normal(scale=-1.0),
        lambda: rng.integers(5, 2),
        lambda: rng.choice(0),
        lambda: rng.choice(3, 5, replace=False),
        lambda: rng.random(-1),
    ):
        with pytest.raises(ValueError, match=r"."):
            call()
    other = xp.ones(3, device="sim" if device is Device.CPU else "cpu")
    with pytest.raises(DeviceMismatchError):
        rng.permutation(other)
    with pytest.raises(DeviceMismatchError, match=f"this generator is on {device}, and the array on"):
        rng.random(out=other)
    with pytest.raises(ValueError, match="write to a copy"):
        rng.shuffle(xp.broadcast_to(xp.ones(1, device=device), (3,)))
