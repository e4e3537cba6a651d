"""Prepared launches on the CPU and on the simulated device."""

import pytest

from accel import Device

from . import launch_laws


class TestOnTheCpu(launch_laws.LaunchLaws):
    examples = 1
    launches = 30
    written = launch_laws.WRITTEN + launch_laws.ON_THE_HOST

    @pytest.fixture
    def device(self):
        return Device("cpu")


class TestOnTheSimulatedDevice(launch_laws.LaunchLaws):
    examples = 1
    launches = 15

    @pytest.fixture
    def device(self):
        return Device("sim")
