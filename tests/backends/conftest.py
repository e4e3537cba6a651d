"""Fixtures for the tests of the simulated device."""

import gc

import pytest

from accel import Device, using
from accel.memory import heap_of
from accel.testing.simulation import drop


@pytest.fixture
def no_races():
    """The backend; the test fails if a race is reported."""
    backend = heap_of(Device.SIM).backend
    drop()
    yield backend
    for device in backend.devices():
        heap_of(device).synchronize()
    assert not backend.races


@pytest.fixture
def sim(no_races):
    """The backend; the test fails if it leaves memory in use, or a race is reported."""
    gc.collect()
    before = [no_races.used(device) for device in no_races.devices()]
    yield no_races
    for device in no_races.devices():
        heap_of(device).synchronize()
    gc.collect()
    assert [no_races.used(device) for device in no_races.devices()] == before


@pytest.fixture
def heap():
    """The heap of the first simulated device."""
    return heap_of(Device.SIM)


@pytest.fixture(params=range(3), ids="seed{}".format)
def seed(request):
    """Three seeds of the random order, each set while the test runs."""
    with using(sim_seed=request.param):
        yield request.param


@pytest.fixture
def little_memory():
    """Devices with only 16 MiB of memory."""
    with using(sim_memory=1 << 24):
        yield
