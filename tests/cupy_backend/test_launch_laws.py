"""Prepared launches on the stand-in for CuPy, for CUDA and ROCm."""

import pytest

from accel import Device

from ..kernels import launch_laws

pytestmark = pytest.mark.slow  # each kernel is compiled for the processor


@pytest.fixture
def device(gpu_machine):
    return Device("gpu")


class _WithoutArrays:
    """The stand-in has no arrays that compute."""

    examples = 1
    launches = 20
    written = launch_laws.WRITTEN
    memory = tuple(name for name in launch_laws.MEMORY if "array" not in name)


class TestLaunches(_WithoutArrays, launch_laws.LaunchLaws):
    pass


class TestRawLaunches(_WithoutArrays, launch_laws.RawLaunchLaws):
    pass
