"""Raw kernels of users, run on the stand-in: their arguments, and what is refused."""

import sys
import threading
from types import ModuleType

import numpy as np
import pytest

import accel
from accel import Device, LayoutTensor, NDBuffer, RawKernel, xp
from accel.dtypes import as_dtype
from accel.errors import (
    CapabilityError,
    DeviceMismatchError,
    DTypeError,
    KernelLaunchError,
    LayoutError,
    ReleasedError,
)
from accel.layout import Layout
from accel.memory import heap_of
from accel.memory.thread_stream import ThreadStream

from ..tables import rows
from .raw_kernels import SIZE, container

pytestmark = pytest.mark.usefixtures("gpu_machine")


class TestArguments:
    def test_a_container(self, scale):
        c = container(range(SIZE))
        event = scale(c, 2, over=c.size)
        assert c.to_numpy().tolist() == list(range(0, 2 * SIZE, 2))
        assert event.done()
        assert event.device is c.device

    def test_a_storage_and_a_range(self, scale):
        c = container(range(100))
        scale(c[10:20], 0, over=10)
        scale(c.storage, 2.0, over=100)
        assert c.to_numpy().tolist() == [0 if 10 <= i < 20 else 2 * i for i in range(100)]

    @pytest.mark.parametrize(
        ("shape", "strides", "offset"),
        [
            ((7,), (-2,), 20),
            ((4, 6), (1, 4), 0),
            ((3, 5), (-5, 1), 50),
            ((2, 3, 4), (1, -2, 6), 9),
            ((2,) * 4, (0,) * 4, 3),
        ],
    )
    def test_a_view_of_any_rank_and_direction(self, shape, strides, offset):
        rank, names = len(shape), "ijkl"[: len(shape)]
        body = "long long rest = threadIdx.x;"
        for axis in range(rank - 1, -1, -1):
            body += f"const long long {names[axis]} = rest % view.extents[{axis}]; rest /= view.extents[{axis}];"
        gather = RawKernel.from_source(f"""
            extern "C" __global__ void gather(accel::View<const int, {rank}> view, int* found) {{
                {body} found[threadIdx.x] = view({", ".join(names)});
            }}
        """)
        numbers = np.arange(64, dtype="int32")
        c, view_of = container(numbers, "int32"), (shape, strides)
        model = np.ndarray(shape, "int32", numbers, offset * 4, [stride * 4 for stride in strides])
        found = container(np.zeros(model.size), "int32")
        gather(NDBuffer(c, *view_of, offset=offset), found, grid=1, block=model.size)
        assert found.to_numpy().tolist() == model.ravel().tolist()

    def test_a_tensor_with_a_layout(self):
        fill = RawKernel.from_source("""
            extern "C" __global__ void fill(accel::View<float, 2> view) {
                view(threadIdx.x, threadIdx.y) = 10 * threadIdx.x + threadIdx.y;
            }
        """)
        c = container(np.zeros(6))
        t = LayoutTensor(c, Layout((2, 3), (3, 1)))
        fill(t, grid=1, block=(2, 3))
        assert t.to_numpy().tolist() == [[0, 1, 2], [10, 11, 12]]
        with pytest.raises(
            LayoutError, match=r"the parameter View<float32, 2> view of fill: mode 0 of .* has no single"
        ):
            fill(LayoutTensor(c, Layout(((2, 2), 1), ((1, 3), 2))), grid=1, block=(2, 3))

    @rows(
        ("declared", "dtype", "number"),
        [
            ("bool", "bool", True),
            ("char", "int8", -128),
            ("unsigned char", "uint8", 255),
            ("short", "int16", -5),
            ("uint16_t", "uint16", 65_535),
            ("const int", "int32", -(2**31)),
            ("unsigned", "uint32", 2**32 - 1),
            ("long long", "int64", -(2**63)),
            ("size_t", "uint64", 2**64 - 1),
            ("half", "float16", 1.5),
            ("hip_bfloat16", "bfloat16", -3.0),
            ("float", "float32", 0.1),
            ("double", "float64", 0.1),
            ("float2", "complex64", 1 + 2j),
            ("double2", "complex128", 1 - 2j),
        ],
    )
    def test_a_number_of_any_type_arrives_bit_by_bit(self, declared, dtype, number):
        show = RawKernel.from_source(f"""
            #include <cuda_fp16.h>
            #include <hip/hip_bfloat16.h>
            extern "C" __global__ void show(char before, {declared} number, unsigned char* bytes) {{
                bytes[threadIdx.x] = reinterpret_cast<const unsigned char*>(&number)[threadIdx.x];
            }}
        """)
        expected = np.array(number, as_dtype(dtype))
        found = accel.zeros(expected.nbytes, "uint8", device="gpu")
        show(7, number, found, grid=1, block=expected.nbytes)
        assert found.to_numpy().tobytes() == expected.tobytes()

    def test_an_array(self, monkeypatch, scale, stream):
        import cupy

        library = ModuleType("array_api_compat.cupy")
        library.empty = library.asarray = lambda shape: cupy.ndarray((shape,), "float64")
        monkeypatch.setitem(sys.modules, "array_api_compat.cupy", library)
        c = container(range(10))
        x = xp.asarray(c)
        scale(x[::-2], 3, over=5, stream=stream)
        assert c.to_numpy().tolist() == [0, 3, 2, 9, 4, 15, 6, 21, 8, 27]

    def test_more_than_2_to_the_31_elements_are_counted_and_reached(self):
        last = RawKernel.from_source("""
            extern "C" __global__ void last(accel::View<const int, 2> view, long long* size, int* found) {
                *size = view.size();
                *found = view(view.extents[0] - 1, 1);
            }
        """)
        size, found = container([0], "int64"), container([0], "int32")
        many = NDBuffer(container([5, 6], "int32"), (1 << 40, 2), (0, 1))
        last(many, size, found, grid=1, block=1)
        assert (size.to_numpy(), found.to_numpy()) == (1 << 41, 6)

    def test_memory_of_no_elements(self, scale, following):
        empty = accel.empty(0, "float32", device="gpu")
        scale(empty, 2, grid=1)
        following(empty, empty, 0, grid=1)
        scale(empty, 2, over=empty.size).wait()

    def test_over_nothing_there_is_no_launch(self, monkeypatch, scale):
        empty = accel.empty(0, "float32", device="gpu")
        monkeypatch.setattr(type(scale.compiled("gpu")), "launch", lambda *given, **extents: pytest.fail("it was"))
        assert scale(empty, 2, over=0).device is empty.device


class TestExtents:
    def test_a_grid_of_three_axes(self):
        place = RawKernel.from_source("""
            extern "C" __global__ void place(accel::View<int, 3> view) {
                view(blockIdx.z, blockIdx.y, blockIdx.x * blockDim.x + threadIdx.x) = 100 * threadIdx.x + gridDim.x;
            }
        """)
        view = NDBuffer(accel.zeros(24, "int32", device="gpu"), (2, 3, 4))
        place(view, grid=(2, 3, 2), block=2)
        assert set(view.to_numpy()[..., 0::2].ravel()) == {2}
        assert set(view.to_numpy()[..., 1::2].ravel()) == {102}

    def test_over_two_axes_there_are_threads_enough(self):
        count = RawKernel.from_source("""
            extern "C" __global__ void count(accel::View<int, 2> view) {
                const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
                if (y < view.extents[0] && x < view.extents[1]) view(y, x) += 1;
            }
        """)
        view = NDBuffer(accel.zeros(5 * 33, "int32", device="gpu"), (5, 33))
        count(view, over=(33, 5), block=(16, 4))
        assert view.to_numpy().tolist() == [[1] * 33] * 5

    def test_shared_memory_is_as_much_as_is_asked_for(self):
        turn = RawKernel.from_source("""
            extern "C" __global__ void turn(int* numbers) {
                extern __shared__ int all[];
                all[threadIdx.x] = numbers[threadIdx.x];
                __syncthreads();
                numbers[threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
            }
        """)
        c = container(range(100), "int32")
        turn(c, grid=1, block=100, shared=400)
        assert c.to_numpy().tolist() == list(range(99, -1, -1))
        with pytest.raises(KernelLaunchError, match=r"INVALID_VALUE|a block of ROCm has at most 65536"):
            turn(c, grid=1, block=100, shared=1 << 20)

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
            KernelLaunchError, match=r"65537 bytes of shared memory .* a block of ROCm has at most 65536"
        ):
            scale(c, 2, over=3, shared=(64 << 10) + 1)
        assert c.to_numpy().tolist() == [1, 1, 1]
        scale(c, 2, over=3, shared=64 << 10)
        assert c.to_numpy().tolist() == [2, 2, 2]

    @pytest.mark.parametrize("gpu_machine", ["cuda"], indirect=True)
    def test_a_thread_whose_first_call_asks_for_much_shared_memory_has_a_context(self, gpu_machine):
        kernel = RawKernel.from_source('extern "C" __global__ void nothing() {}').compiled("gpu")
        seen = []

        def allow():
            seen.append(gpu_machine.local.bound)
            kernel.allow(100 << 10)
            seen.append(kernel.allowed)

        thread = threading.Thread(target=allow)
        thread.start()
        thread.join()
        assert seen == [{0}, 100 << 10]

    @pytest.mark.parametrize(
        ("extents", "said"),
        [
            ({}, "a launch of scale needs either over or grid: write over=threads"),
            ({"grid": 1, "over": 1}, "a launch of scale needs either over or grid"),
            ({"grid": 1 << 31}, "the grid has 2147483648 along x; up to "),
            ({"grid": (1, 65_536)}, "the grid has 65536 along y; up to 65535 blocks of 1 threads are possible here"),
            ({"over": (1, 1, 1 << 17), "block": 1}, "the grid has 131072 along z"),
            ({"grid": 1, "block": (64, 32)}, "2048 threads; up to 1024 are possible"),
            ({"grid": 1, "shared": 1 << 32}, "4294967296 bytes of shared memory were asked for; from 0 to"),
        ],
    )
    def test_what_no_device_has_is_refused_before_anything_is_launched(self, scale, extents, said):
        c = container(np.ones(3))
        with pytest.raises(ValueError, match=said):
            scale(c, 2, **extents)
        assert c.to_numpy().tolist() == [1, 1, 1]

    @pytest.mark.parametrize("gpu_machine", ["hip"], indirect=True)
    def test_more_threads_than_hip_counts_are_refused_there_with_what_to_write(self, gpu_machine, scale):
        c = container(np.ones(3))
        for extents, most in (({"grid": 1 << 24}, 16_777_215), ({"over": 1 << 32, "block": 1024}, 4_194_303)):
            with pytest.raises(ValueError, match=rf"along x; up to {most} blocks .* loop in steps of gridDim.x"):
                scale(c, 2, **extents)
        assert c.to_numpy().tolist() == [1, 1, 1]


class TestRefused:
    def test_memory_of_two_devices(self, following):
        first, second = heap_of(Device.best()).backend.devices()
        with pytest.raises(DeviceMismatchError, match=f"the arguments of next are on {first} and {second}; move them"):
            following(container([1], device=first), container([1], device=second), 1, over=1)

    def test_a_device_that_has_no_kernels(self, scale):
        with pytest.raises(CapabilityError, match="cpu runs no CUDA or HIP; move the arguments of scale"):
            scale(container([1], device="cpu"), 2, over=10**6)

    def test_a_stream_of_another_device_or_of_the_host(self, scale):
        c = container([1])
        with accel.new_stream(Device.best().type + ":1") as other:
            pass
        for stream in (other, ThreadStream()):
            with pytest.raises(DeviceMismatchError, match=f"cannot run scale on memory of {c.device}; write stream="):
                scale(c, 2, over=1, stream=stream)

    def test_a_stream_of_another_library(self, scale):
        import cupy

        with pytest.raises(TypeError, match="is no stream of accel; write stream="):
            scale(container([1]), 2, over=1, stream=cupy.cuda.Stream(non_blocking=True))

    def test_memory_that_was_released(self, scale):
        c = container([1])
        c.release()
        with pytest.raises(ReleasedError, match="View<float32, 1> view of scale"):
            scale(c, 2, over=1)

    def test_an_argument_that_does_not_fit_leaves_all_as_it_was(self, scale):
        c = container([1])
        with pytest.raises(DTypeError, match="float32 factor of scale: values of dtype complex128"):
            scale(c, 2j, over=1)
        assert c.to_numpy().tolist() == [1]
        assert c.storage.owner.keep_alives == 0
