"""Prepared launches on the stand-in for CuPy, for CUDA and ROCm."""

import pytest

from accel import Device

from ..kernels import launch_laws


@pytest.fixture
def device(gpu_machine):
    return Device("gpu")


class TestLaunches(launch_laws.LaunchLaws):
    examples = 1


class TestRawLaunches(launch_laws.RawLaunchLaws):
    examples = 1
