"""What the tests of the detectors share."""

import gc

import pytest

from accel import Device, using
from accel.testing.simulation import drop


@pytest.fixture(autouse=True)
def nothing_is_in_flight():
    """Each test begins and ends with idle simulated devices, and no memory that waits to be collected."""
    drop()
    gc.collect()
    yield
    drop()
    gc.collect()


@pytest.fixture(params=["cpu", "sim"])
def place(request):
    """The host, and a simulated device; it is the default one."""
    with using(device=request.param):
        yield Device(request.param)
