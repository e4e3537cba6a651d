"""Fixtures: the backend on the stand-in for CuPy; each test has a simulated machine of its own."""

import gc
import sys
from contextlib import ExitStack
from time import monotonic, sleep

import pytest
from accel.backends.cupy import CupyBackend

from accel import Device, new_stream
from accel.memory import heap_of
from accel.testing.backend_service import serving

from ..kernels.raw_contract import kernel
from .standin.machine import Machine
from .standin.module import modules

_DEVICES = {"cuda": Device.CUDA, "hip": Device.ROCM}
_services = ExitStack()


@pytest.fixture(autouse=True)
def _restored():
    """Restore, after each test, the backends that served the GPUs before it."""
    with _services:
        yield


def install(monkeypatch, machine):
    """Make CuPy find a machine, and return a new backend on it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "cupy" or "array_api_compat.cupy" in name]:
        monkeypatch.delitem(sys.modules, name)
    for name, module in modules(machine).items():
        monkeypatch.setitem(sys.modules, name, module)
    backend = CupyBackend()
    monkeypatch.setattr("accel.backends.cupy.discovery.find_spec", lambda name: sys.modules[name])
    monkeypatch.setattr("accel.backends.cupy.discovery.distributions", list)  # listing the installed packages is slow
    for type in ("cuda", "rocm"):
        _services.enter_context(serving(type, backend))  # memory of a machine that was lost may still be in use
    return backend


@pytest.fixture(params=range(2), ids="seed{}".format)
def seed(request):
    """Two seeds of the random order of work."""
    return request.param


@pytest.fixture
def cuda_machine(monkeypatch, seed):
    """Two devices of CUDA."""
    yield from _in_use(monkeypatch, Machine("cuda", seed=seed))


@pytest.fixture
def hip_machine(monkeypatch, seed):
    """Two devices of ROCm."""
    yield from _in_use(monkeypatch, Machine("hip", seed=seed))


@pytest.fixture(params=["cuda", "hip"])
def gpu_machine(request, monkeypatch, seed):
    """Two devices of either platform, the first of which is ``gpu``."""
    yield from _in_use(monkeypatch, Machine(request.param, seed=seed))


@pytest.fixture
def scale():
    """A kernel that multiplies the elements of a view."""
    return kernel("scale")


@pytest.fixture
def following():
    """A kernel that writes the numbers after those it reads."""
    return kernel("following")


@pytest.fixture
def stream():
    """A stream beside the default one."""
    with new_stream("gpu") as result:
        pass
    yield result
    result.close()


def _in_use(monkeypatch, machine):
    backend = install(monkeypatch, machine)
    yield machine
    if not machine.lost and not machine.fails:
        for device in backend.devices():
            heap_of(device).synchronize()
        deadline = monotonic() + 10
        while any(in_use := [machine.allocations.in_use(device) for device in machine.devices]):
            assert monotonic() < deadline, in_use
            gc.collect()
            sleep(0.001)  # a thread that ends still frees its memory
    machine.allocations.check_guards()
    assert machine.violations == []
