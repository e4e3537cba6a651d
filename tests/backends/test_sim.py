"""Simulated devices conform to the backend protocol, with every seed."""

import pytest

from accel import Device
from accel.testing import KernelConformance, StreamConformance


@pytest.mark.usefixtures("no_races", "seed", "little_memory")
class TestSim(KernelConformance, StreamConformance):
    device = Device.SIM


@pytest.mark.usefixtures("no_races", "little_memory")
class TestAnother(StreamConformance):
    device = Device.SIM[1]
