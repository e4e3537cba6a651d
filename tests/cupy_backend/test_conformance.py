"""The CUDA and ROCm backend conforms to the protocol, as far as a machine without such devices can tell."""

import pytest

from accel import Device
from accel.testing import KernelConformance, OrderConformance


@pytest.mark.usefixtures("cuda_machine")
class TestCuda(KernelConformance, OrderConformance):
    device = Device.CUDA


@pytest.fixture
def second_is_current(cuda_machine):
    """CuPy computes on its current device only."""
    cuda_machine.set_device(1)
    yield
    cuda_machine.set_device(0)


@pytest.mark.usefixtures("second_is_current")
class TestAnotherCuda(OrderConformance):
    device = Device.CUDA[1]


@pytest.mark.usefixtures("hip_machine")
class TestRocm(KernelConformance, OrderConformance):
    device = Device.ROCM
