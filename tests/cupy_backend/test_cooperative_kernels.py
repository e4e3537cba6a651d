"""Cooperative launches of raw kernels: on CUDA as everywhere; CuPy for ROCm has none."""

import pytest

import accel
from accel import RawKernel
from accel.errors import CapabilityError
from accel.memory import heap_of

from ..kernels import raw_contract


class TestCooperative(raw_contract.Cooperative):
    @pytest.fixture
    def devices(self, cuda_machine):
        return heap_of(accel.Device.CUDA).backend.devices()


def test_cooperative_launches_are_refused_where_cupy_has_none(hip_machine):
    c = raw_contract.container(range(64), "int32")
    kernel = RawKernel.from_source('extern "C" __global__ void f(int* x) {}', enable_cooperative_groups=True)
    with pytest.raises(CapabilityError, match="CuPy launches no cooperative kernels on ROCm"):
        kernel(c, grid=1, block=1)
