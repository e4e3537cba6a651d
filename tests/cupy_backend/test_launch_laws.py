"""Prepared launches on the stand-in for CuPy, for CUDA and ROCm."""

import pytest

from accel import Device

from ..kernels import launch_laws

pytestmark = pytest.mark.slow  # each kernel is compiled for the processor


@pytest.fixture
def device(gpu_machine):
    return Device("gpu")


class TestLaunches(launch_laws.LaunchLaws):
    examples = 1
    launches = 20


class TestRawLaunches(launch_laws.RawLaunchLaws):
    examples = 1
    launches = 20
