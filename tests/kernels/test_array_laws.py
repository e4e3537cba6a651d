"""Kernels on arrays of `accel.xp`, on the CPU and on the simulated device."""

import pytest

from accel import Device

from . import array_laws


class TestOnTheCpu(array_laws.ArrayLaws):
    programs, raw = 5, False

    @pytest.fixture
    def device(self):
        return Device("cpu")


class TestOnTheSimulatedDevice(array_laws.ArrayLaws):
    programs = 3

    @pytest.fixture
    def device(self):
        return Device("sim")
