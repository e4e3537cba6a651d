"""What the backend adds to CuPy's special functions: where and when they compute, and SciPy's arguments."""

import gc
import sys

import numpy as np
import pytest
import scipy.special

from accel import Device, new_stream
from accel.abc import SupportsSpecial
from accel.errors import DeviceLostError, DeviceMismatchError
from accel.memory import heap_of
from accel.xp import asarray, special

from .conftest import install
from .standin import special as standin
from .standin.machine import Machine
from .standin.namespace import namespace

VALUES = np.asarray([1.5, 2.0, 7.0])


@pytest.fixture
def machine(monkeypatch, seed):
    """A machine of two devices whose arrays compute special functions."""
    machine = Machine("cuda", seed=seed)
    backend = install(monkeypatch, machine)
    cupy = sys.modules["cupy"]
    for name, module in {"array_api_compat.cupy": namespace(cupy), **standin.modules(cupy)}.items():
        monkeypatch.setitem(sys.modules, name, module)
    yield machine
    if not machine.lost:
        for device in backend.devices():
            heap_of(device).synchronize()
        gc.collect()
        assert [machine.allocations.in_use(device.index) for device in backend.devices()] == [0, 0]
    assert machine.violations == []


@pytest.fixture(params=range(2), ids="device{}".format)
def device(machine, request):
    """Each device; the first is the current one."""
    return Device.CUDA[request.param]


def check(result, expected, device):
    assert result.device is device
    np.testing.assert_array_equal(np.asarray(result.to_device("cpu")), expected)


def test_the_backend_has_special_functions(machine):
    assert isinstance(heap_of(Device.CUDA).backend, SupportsSpecial)


def test_they_compute_on_the_device_of_their_arrays(machine, device):
    x = asarray(VALUES, device=device)
    check(special.erf(x), scipy.special.erf(VALUES), device)
    check(special.xlogy(2.0, x), scipy.special.xlogy(2.0, VALUES), device)
    check(special.betainc(x, x, 0.5), scipy.special.betainc(VALUES, VALUES, 0.5), device)
    assert machine.device == 0


def test_they_compute_in_the_order_of_the_current_stream(device):
    with new_stream(device) as stream:
        x = special.gammaln(asarray(VALUES, device=device))
        for _ in range(5):
            x = special.erf(x)
    stream.synchronize()
    expected = scipy.special.gammaln(VALUES)
    for _ in range(5):
        expected = scipy.special.erf(expected)
    check(x, expected, device)
    stream.close()


def test_operands_on_two_devices_are_refused(machine):
    with pytest.raises(DeviceMismatchError, match="on cuda:0 and cuda:1"):
        special.xlogy(asarray(VALUES, device="cuda:0"), asarray(VALUES, device="cuda:1"))


def test_without_a_second_argument_zeta_is_riemanns(device):
    x = asarray(VALUES, device=device)
    check(special.zeta(x), scipy.special.zetac(VALUES) + 1, device)
    check(special.zeta(x, x), scipy.special.zeta(VALUES, VALUES), device)


def test_polygamma_takes_numbers(device):
    check(special.polygamma(2, asarray(VALUES, device=device)), 2 + VALUES, device)


def test_multigammaln_takes_an_array_of_no_axes(device):
    x, dimensions = asarray(VALUES, device=device), asarray(3, device=device)
    for each in (3, dimensions):
        check(special.multigammaln(x, each), scipy.special.gammaln(VALUES) + 3, device)


def test_what_the_driver_reports_is_translated(machine):
    x = asarray(VALUES, device="cuda:0")
    machine.lose(0)
    with pytest.raises(DeviceLostError):
        special.erf(x)
