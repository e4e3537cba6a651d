"""Fixtures of the tests of `accel.testing`."""

import gc

import pytest

from accel import Device, using
from accel.testing.simulation import drop


@pytest.fixture(autouse=True)
def nothing_is_in_flight():
    """Simulated devices are idle and garbage is collected before and after each test."""
    drop()
    gc.collect()
    yield
    drop()
    gc.collect()


@pytest.fixture(params=["cpu", "sim"])
def place(request):
    """The host, then a simulated device; the default device of the test."""
    with using(device=request.param):
        yield Device(request.param)
