"""What the tests of `accel.xp` share: the oracle, and a second device that computes."""

import gc
import os

import pytest

from accel.device import Device
from accel.memory import heap
from accel.registry import providers
from accel.xp import home

# Read by array_api_strict when it is imported.
os.environ["ARRAY_API_STRICT_API_VERSION"] = "2025.12"


@pytest.fixture(scope="session")
def strict():
    import array_api_strict

    assert array_api_strict.__array_api_version__ == "2025.12"
    return array_api_strict


@pytest.fixture
def sim(monkeypatch):
    """Devices ``sim`` and ``sim:1``, whose arrays NumPy computes with behind their backs."""
    cpu = providers.get("cpu")
    devices = (Device.SIM, Device.SIM[1])
    elsewhere = type("Elsewhere", (type(cpu),), {"name": "elsewhere", "devices": lambda _: devices})()
    monkeypatch.setitem(providers._loaded, "sim", elsewhere)
    yield Device.SIM
    gc.collect()
    for device in devices:
        heap._heaps.pop(device, None)
        home._homes.pop(device, None)
