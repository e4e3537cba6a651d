"""The backend passes the conformance tests on a real device."""

import pytest

from accel.memory import heap_of
from accel.testing import KernelConformance, OrderConformance


class TestDevice(KernelConformance, OrderConformance):
    @pytest.fixture
    def heap(self, device):
        import cupy  # there is one where there is a device

        self.device = device
        with cupy.cuda.Device(device.index):  # CuPy computes on its current device only
            yield heap_of(device)

    @pytest.mark.cupy_kernels
    def test_an_array_is_on_the_memory_itself(self, heap, arrays):
        super().test_an_array_is_on_the_memory_itself(heap, arrays)
