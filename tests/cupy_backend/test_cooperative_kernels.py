"""Cooperative launches of raw kernels: on CUDA as everywhere; CuPy for ROCm has none."""

import pytest

import accel
from accel import RawKernel
from accel.errors import CapabilityError, KernelLaunchError
from accel.memory import heap_of

from ..kernels import raw_contract


class TestCooperative(raw_contract.Cooperative):
    @pytest.fixture
    def devices(self, cuda_machine):
        return heap_of(accel.Device.CUDA).backend.devices()


def test_cooperative_launches_are_refused_where_cupy_has_none(hip_machine):
    c = raw_contract.container(range(64), "int32")
    kernel = RawKernel.from_source('extern "C" __global__ void f(int* x) {}', enable_cooperative_groups=True)
    with pytest.raises(CapabilityError, match="CuPy on ROCm launches no cooperative kernels"):
        kernel(c, grid=1, block=1)


def test_they_are_refused_on_a_device_that_has_none(cuda_machine):
    cuda_machine.cooperates = False
    kernel = RawKernel.from_source('extern "C" __global__ void f(int* x) {}', enable_cooperative_groups=True)
    with pytest.raises(CapabilityError, match="cuda:0 launches no cooperative kernels; split the kernel"):
        kernel(raw_contract.container(range(64), "int32"), grid=1, block=1)


def test_an_error_says_how_many_blocks_run_at_once(cuda_machine):
    kernel = RawKernel.from_source('extern "C" __global__ void f(int* x) {}', enable_cooperative_groups=True)
    with pytest.raises(KernelLaunchError, match="257 blocks of 32 threads, which must run at once; cuda:0 runs 256"):
        kernel(raw_contract.container(range(64), "int32"), grid=257, block=32)
