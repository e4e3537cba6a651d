"""Raw kernels of users, run on the stand-in: their contract, and what only GPUs have."""

import sys
import threading
from types import ModuleType

import numpy as np
import pytest
from accel.backends.cupy.compiler_options import effective
from accel.backends.cupy.platforms import CUDA, ROCM

import accel
from accel import Device, RawKernel, xp
from accel.errors import CapabilityError, DeviceLostError, KernelLaunchError
from accel.memory import heap_of

from ..kernels import raw_contract
from ..kernels.raw_contract import SIZE, SOURCE, container, kernel

pytestmark = pytest.mark.usefixtures("gpu_machine")
OVERRIDDEN = {
    "cuda": ["-ftz=false", "--ftz=false", "-ftz", "-arch=sm_90", "--gpu-architecture=compute_90", "-dlto"],
    "hip": ["-fno-gpu-flush-denormals-to-zero", "-fno-cuda-flush-denormals-to-zero"],
}


@pytest.fixture
def devices(gpu_machine):
    return heap_of(Device.best()).backend.devices()


class TestArguments(raw_contract.Arguments):
    def test_an_array(self, monkeypatch, scale, stream):
        import cupy

        library = ModuleType("array_api_compat.cupy")
        library.empty = library.asarray = lambda shape: cupy.ndarray((shape,), "float64")
        monkeypatch.setitem(sys.modules, "array_api_compat.cupy", library)
        c = container(range(10))
        x = xp.asarray(c)
        scale(x[::-2], 3, over=5, stream=stream)
        assert c.to_numpy().tolist() == [0, 3, 2, 9, 4, 15, 6, 21, 8, 27]

    def test_over_nothing_there_is_no_launch(self, monkeypatch, scale):
        empty = accel.empty(0, "float32", device="gpu")
        monkeypatch.setattr(type(scale.compiled("gpu")), "launch", lambda *args, **extents: pytest.fail("it was"))
        assert scale(empty, 2, over=0).device is empty.device


class TestExtents(raw_contract.Extents):
    def test_shared_memory_may_be_more_than_every_kernel_is_given(self, cuda_machine):
        fill = RawKernel.from_source("""
            extern "C" __global__ void fill(int* numbers) {
                extern __shared__ int all[];
                all[20 * 1024 + threadIdx.x] = 7;
                numbers[threadIdx.x] = all[20 * 1024 + threadIdx.x];
            }
        """)
        c = container(range(32), "int32")
        for shared in (100 << 10, 90 << 10, 101 << 10):
            c.fill(0)
            fill(c, grid=1, block=32, shared=shared)
            assert set(c.to_numpy()) == {7}

    @pytest.mark.parametrize("gpu_machine", ["hip"], indirect=True)
    def test_more_shared_memory_than_hip_has_is_refused_before_the_launch(self, gpu_machine, scale):
        c = container(np.ones(3))
        with pytest.raises(
            KernelLaunchError, match=r"65537 bytes of shared memory .* a block of rocm:0 has at most 65536"
        ):
            scale(c, 2, over=3, shared=(64 << 10) + 1)
        assert c.to_numpy().tolist() == [1, 1, 1]
        scale(c, 2, over=3, shared=64 << 10)
        assert c.to_numpy().tolist() == [2, 2, 2]

    @pytest.mark.parametrize("gpu_machine", ["hip"], indirect=True)
    def test_a_device_of_rocm_may_have_more(self, gpu_machine, scale):
        gpu_machine.shared = 160 << 10
        c = container(np.ones(3))
        scale(c, 2, over=3, shared=160 << 10)
        assert c.to_numpy().tolist() == [2, 2, 2]

    def test_static_shared_memory_counts_too(self, gpu_machine):
        fill = RawKernel.from_source("""
            extern "C" __global__ void fill(int* numbers) {
                __shared__ int some[10 * 1024];
                extern __shared__ int more[];
                some[1024 + threadIdx.x] = more[1024 + threadIdx.x] = 7;
                numbers[threadIdx.x] = some[1024 + threadIdx.x] + more[1024 + threadIdx.x];
            }
        """)
        c = container(range(32), "int32")
        for shared in (8 << 10, 20 << 10):
            fill(c, grid=1, block=32, shared=shared)
            assert set(c.to_numpy()) == {14}
        with pytest.raises(
            KernelLaunchError, match=r"besides the 409.. that the kernel declares; a block of .* at most"
        ):
            fill(c, grid=1, block=32, shared=(227 - 39) << 10)

    @pytest.mark.parametrize("gpu_machine", ["cuda"], indirect=True)
    def test_a_thread_whose_first_call_asks_for_much_shared_memory_has_a_context(self, gpu_machine):
        nothing, results = kernel("nothing").compiled("gpu"), []

        def allow():
            results.append(gpu_machine.local.context)
            nothing.allow(100 << 10)
            results.extend((gpu_machine.local.context, nothing.allowed))

        thread = threading.Thread(target=allow)
        thread.start()
        thread.join()
        assert results == [None, 0, 100 << 10]

    @pytest.mark.parametrize("gpu_machine", ["hip"], indirect=True)
    def test_more_threads_than_hip_counts_are_refused_there_with_what_to_write(self, gpu_machine, scale):
        c = container(np.ones(3))
        for extents, most in (({"grid": 1 << 24}, 16_777_215), ({"over": 1 << 32, "block": 1024}, 4_194_303)):
            with pytest.raises(ValueError, match=rf"along x; up to {most} blocks .* loop in steps of gridDim.x"):
                scale(c, 2, **extents)
        assert c.to_numpy().tolist() == [1, 1, 1]


class TestRefused(raw_contract.Refusals):
    def test_a_stream_of_another_library(self, scale):
        import cupy

        with pytest.raises(TypeError, match="is no stream of accel; write stream="):
            scale(container([1]), 2, over=1, stream=cupy.cuda.Stream(non_blocking=True))


class TestOrder(raw_contract.Order):
    def test_the_current_stream_is_the_one_that_is_used(self, scale, stream):
        c = container(np.ones(SIZE))
        with stream:
            scale(c, 2, over=SIZE)
        assert not stream.native.done
        assert set(c.to_numpy()) == {2}

    def test_a_kernel_without_memory_and_stream_runs_on_the_first_device(self):
        assert kernel("nothing")(1, grid=1).device == Device.best()

    def test_a_device_that_is_lost_says_so(self, gpu_machine, scale):
        c = container(np.ones(SIZE))
        gpu_machine.lose(0)
        with pytest.raises(DeviceLostError):
            scale(c, 2, over=SIZE)


class TestCompiled(raw_contract.Compilation):
    @pytest.mark.parametrize("gpu_machine", OVERRIDDEN, indirect=True)
    def test_an_option_that_cupy_overrides_is_refused_with_the_reason(self, gpu_machine):
        for option in OVERRIDDEN[gpu_machine.flavour]:
            scale = RawKernel.from_source(SOURCE, "scale", options=["-DX=1", option])
            with pytest.raises(CapabilityError, match=rf"the option {option} of scale has no effect: CuPy .*; "):
                scale.compiled("gpu")

    @pytest.mark.parametrize(
        ("platform", "options"),
        [
            (CUDA, ("-ftz=true", "--ftz=true", "-use_fast_math", *OVERRIDDEN["hip"])),
            (ROCM, ("-fgpu-flush-denormals-to-zero", *OVERRIDDEN["cuda"])),
        ],
    )
    def test_options_that_agree_with_cupys_or_that_it_does_not_know_are_left_to_the_compiler(self, platform, options):
        assert effective(options, "scale", platform) == ("-std=c++17", *options)
        assert effective(("--std=c++20", *options), "scale", platform) == ("--std=c++20", *options)

    @pytest.mark.parametrize("options", ["-DWIDTH=4", [4], (b"-DWIDTH=4",)])
    def test_options_that_are_no_sequence_of_text_are_refused(self, options):
        with pytest.raises(TypeError, match=r"options are a sequence of str; found .*: write options=\['-DWIDTH=4'\]"):
            RawKernel.from_source(SOURCE, "scale", options=options)
