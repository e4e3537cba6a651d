"""Fixtures for `accel.xp`: the reference implementation, and a second device that computes."""

import os

import pytest

from accel.device import Device
from accel.memory import heap_of
from accel.testing.simulation import drop

# Read by array_api_strict when it is imported.
os.environ["ARRAY_API_STRICT_API_VERSION"] = "2025.12"


@pytest.fixture(scope="session")
def strict():
    import array_api_strict

    assert array_api_strict.__array_api_version__ == "2025.12"
    return array_api_strict


@pytest.fixture
def sim():
    """The simulated device; fails the test if a race was detected."""
    backend = heap_of(Device.SIM).backend
    drop()
    yield Device.SIM
    for device in backend.devices():
        backend.synchronize(device)
    assert not backend.races
