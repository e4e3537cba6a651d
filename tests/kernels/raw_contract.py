"""What each device that runs CUDA or HIP promises of raw kernels: arguments, extents, refusals, order, compilation.

A subclass of each class runs on a backend. The fixture `devices` of its module returns at least two devices.
"""

import pickle
from functools import partial
from time import sleep

import numpy as np
import pytest

import accel
from accel import LayoutTensor, NDBuffer, RawKernel
from accel.dtypes import as_dtype
from accel.errors import (
    CapabilityError,
    DeviceMismatchError,
    DTypeError,
    KernelLaunchError,
    KernelSyntaxError,
    LayoutError,
    ReadOnlyError,
    ReleasedError,
)
from accel.layout import Layout
from accel.memory import heap_of
from accel.memory.thread_stream import ThreadStream

from ..tables import rows
from ..threads import run_at_once

SIZE = 1000
SOURCE = r"""
#define INDEX const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x

extern "C" __global__ void scale(accel::View<float, 1> view, float factor) {
    INDEX;
    if (i < view.size()) view(i) *= factor;
}
extern "C" __global__ void following(const float* source, float* target, long long count) {
    INDEX;
    if (i < count) target[i] = source[i] + 1;
}
extern "C" __global__ void fill(accel::View<float, 2> view) {
    view(threadIdx.x, threadIdx.y) = 10 * threadIdx.x + threadIdx.y;
}
extern "C" __global__ void place(accel::View<int, 3> view) {
    view(blockIdx.z, blockIdx.y, blockIdx.x * blockDim.x + threadIdx.x) = 100 * threadIdx.x + gridDim.x;
}
extern "C" __global__ void count(accel::View<int, 2> view) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < view.extents[0] && x < view.extents[1]) view(y, x) += 1;
}
extern "C" __global__ void turn(int* numbers) {
    extern __shared__ int all[];
    all[threadIdx.x] = numbers[threadIdx.x];
    __syncthreads();
    numbers[threadIdx.x] = all[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void last(accel::View<const int, 2> view, long long* size, int* item) {
    *size = view.size();
    *item = view(view.extents[0] - 1, 1);
}
extern "C" __global__ void number(int* target) { *target = NUMBER; }
extern "C" __global__ void nothing(int number) {}
"""
NUMBERS = [
    ("bool", "bool", True),
    ("char", "int8", -128),
    ("unsigned char", "uint8", 255),
    ("short", "int16", -5),
    ("uint16_t", "uint16", 65_535),
    ("const int", "int32", -(2**31)),
    ("unsigned", "uint32", 2**32 - 1),
    ("long long", "int64", -(2**63)),
    ("size_t", "uint64", 2**64 - 1),
    ("size_t", "uint64", (1 << 48) + 1),
    ("half", "float16", 1.5),
    ("hip_bfloat16", "bfloat16", -3.0),
    ("float", "float32", 0.1),
    ("double", "float64", 0.1),
    ("float2", "complex64", 1 + 2j),
    ("double2", "complex128", 1 - 2j),
]
TOO_MUCH_SHARED = r"a block of \S+ has at most \d+|with 1048576 bytes .* at most 232448"
SHOW = "#include <cuda_fp16.h>\n#include <hip/hip_bfloat16.h>\n" + "\n".join(
    f"""extern "C" __global__ void show{place}(char before, {declared} number, unsigned char* bytes) {{
        bytes[threadIdx.x] = reinterpret_cast<const unsigned char*>(&number)[threadIdx.x];
    }}"""
    for place, (declared, _, _) in enumerate(NUMBERS)
)


def kernel(name, source=SOURCE):
    return RawKernel.from_source(source, name, options=["-DNUMBER=42"])


def container(values, dtype="float32", device="gpu"):
    return accel.container(np.asarray(values, dtype), device=device)


class Contract:
    @pytest.fixture
    def device(self, devices):
        return devices[0]

    @pytest.fixture
    def container(self, device):
        """A function that returns a container on the first device, or on another."""
        return partial(container, device=device)

    @pytest.fixture
    def stream(self, device):
        """A stream beside the default one."""
        with accel.new_stream(device) as stream:
            pass
        yield stream
        stream.close()


class Arguments(Contract):
    def test_a_container_a_storage_and_a_slice(self, container):
        scale, c = kernel("scale"), container(range(SIZE))
        event = scale(c, 2, over=c.size)
        assert c.to_numpy().tolist() == list(range(0, 2 * SIZE, 2))
        assert event.done()
        assert event.device is c.device
        scale(c[10:20], 0, over=10)
        scale(c.storage, 2.0, over=SIZE)
        assert c.to_numpy().tolist() == [0 if 10 <= i < 20 else 4 * i for i in range(SIZE)]

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
    def test_a_view_of_any_rank_and_direction(self, container, shape, strides, offset):
        rank, names = len(shape), "ijkl"[: len(shape)]
        body = "long long rest = threadIdx.x;"
        for axis in range(rank - 1, -1, -1):
            body += f"const long long {names[axis]} = rest % view.extents[{axis}]; rest /= view.extents[{axis}];"
        gather = RawKernel.from_source(f"""
            extern "C" __global__ void gather(accel::View<const int, {rank}> view, int* items) {{
                {body} items[threadIdx.x] = view({", ".join(names)});
            }}
        """)
        numbers = np.arange(64, dtype="int32")
        model = np.ndarray(shape, "int32", numbers, offset * 4, [stride * 4 for stride in strides])
        items = container(np.zeros(model.size), "int32")
        gather(NDBuffer(container(numbers, "int32"), shape, strides, offset=offset), items, grid=1, block=model.size)
        assert items.to_numpy().tolist() == model.ravel().tolist()

    def test_a_tensor_with_a_layout(self, container):
        c = container(np.zeros(6))
        t = LayoutTensor(c, Layout((2, 3), (3, 1)))
        kernel("fill")(t, grid=1, block=(2, 3))
        assert t.to_numpy().tolist() == [[0, 1, 2], [10, 11, 12]]
        nested = LayoutTensor(c, Layout(((2, 2), 1), ((1, 3), 2)))
        with pytest.raises(
            LayoutError, match=r"the parameter View<float32, 2> view of fill: mode 0 of .* has no single"
        ):
            kernel("fill")(nested, grid=1, block=(2, 3))

    def test_a_number_of_any_type_arrives_bit_by_bit(self, device):
        # It may be at the first address of the device, which is one of the numbers.
        memory = accel.zeros(100, "uint8", device=device)
        for place, (_, dtype, number) in enumerate(NUMBERS):
            expected = np.array(number, as_dtype(dtype))
            result = accel.zeros(expected.nbytes, "uint8", device=device)
            RawKernel.from_source(SHOW, f"show{place}")(7, number, result, grid=1, block=expected.nbytes)
            assert result.to_numpy().tobytes() == expected.tobytes(), dtype
        memory.release()

    def test_more_than_2_to_the_31_elements_are_counted_and_reached(self, container):
        size, item = container([0], "int64"), container([0], "int32")
        many = NDBuffer(container([5, 6], "int32"), (1 << 40, 2), (0, 1))
        kernel("last")(many, size, item, grid=1, block=1)
        assert (size.to_numpy(), item.to_numpy()) == (1 << 41, 6)

    def test_memory_of_no_elements(self, device):
        empty = accel.empty(0, "float32", device=device)
        kernel("scale")(empty, 2, grid=1)
        kernel("following")(empty, empty, 0, grid=1)
        event = kernel("scale")(empty, 2, over=empty.size)
        event.wait()
        assert event.device is empty.device

    def test_memory_of_each_device(self, devices, container):
        containers = [container([1, 2, 3], device=device) for device in devices]
        scale = kernel("scale")
        for c in containers:
            scale(c, 2, over=3)
        assert [c.to_numpy().tolist() for c in containers] == [[2, 4, 6]] * len(devices)


class Extents(Contract):
    def test_a_grid_of_three_axes(self, device):
        view = NDBuffer(accel.zeros(24, "int32", device=device), (2, 3, 4))
        kernel("place")(view, grid=(2, 3, 2), block=2)
        assert set(view.to_numpy()[..., 0::2].ravel()) == {2}
        assert set(view.to_numpy()[..., 1::2].ravel()) == {102}

    def test_over_two_axes_there_are_threads_enough(self, device):
        view = NDBuffer(accel.zeros(5 * 33, "int32", device=device), (5, 33))
        kernel("count")(view, over=(33, 5), block=(16, 4))
        assert view.to_numpy().tolist() == [[1] * 33] * 5

    def test_shared_memory_is_as_much_as_is_asked_for(self, container):
        c = container(range(100), "int32")
        kernel("turn")(c, grid=1, block=100, shared=400)
        assert c.to_numpy().tolist() == list(range(99, -1, -1))
        with pytest.raises(KernelLaunchError, match=TOO_MUCH_SHARED):
            kernel("turn")(c, grid=1, block=100, shared=1 << 20)

    @rows(
        "extents, said",
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
    def test_what_no_device_has_is_refused_before_anything_is_launched(self, container, extents, said):
        c = container(np.ones(3))
        with pytest.raises(ValueError, match=said):
            kernel("scale")(c, 2, **extents)
        assert c.to_numpy().tolist() == [1, 1, 1]


TURN = """
#include <cooperative_groups.h>
extern "C" __global__ void turn_all(accel::View<int, 1> x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    x(i) += 10;
    cooperative_groups::this_grid().sync();
    const int other = x(n - 1 - i);
    cooperative_groups::this_grid().sync();
    x(i) = other;
}
"""


class Cooperative(Contract):
    @pytest.fixture
    def turn_all(self):
        return RawKernel.from_source(TURN, enable_cooperative_groups=True)

    def test_all_blocks_wait_for_each_other(self, container, turn_all):
        c = container(range(64), "int32")
        for each in (turn_all, pickle.loads(pickle.dumps(turn_all))):
            each(c, grid=4, block=16)
        assert c.to_numpy().tolist() == list(range(20, 84))
        turn_all(c, over=64, block=32).wait()
        assert c.to_numpy().tolist() == list(range(93, 29, -1))

    def test_more_blocks_than_run_at_once_are_refused(self, container, turn_all):
        c = container(np.zeros(32 * 1024), "int32")
        with pytest.raises(KernelLaunchError, match=r"(?i)cooperative"):
            turn_all(c, grid=1024, block=32)
        assert not c.to_numpy().any()


class Refusals(Contract):
    def test_memory_of_two_devices(self, devices, container):
        first, second = devices[:2]
        said = f"the arguments of following are on {first} and {second}; move them"
        with pytest.raises(DeviceMismatchError, match=said):
            kernel("following")(container([1], device=first), container([1], device=second), 1, over=1)

    def test_a_device_that_has_no_kernels(self, container):
        with pytest.raises(CapabilityError, match="cpu runs no CUDA or HIP; move the arguments of scale"):
            kernel("scale")(container([1], device="cpu"), 2, over=10**6)

    def test_a_stream_of_another_device_or_of_the_host(self, devices, container):
        c = container([1])
        with accel.new_stream(devices[1]) as other:
            pass
        for stream in (other, ThreadStream()):
            with pytest.raises(DeviceMismatchError, match=f"cannot run scale on memory of {c.device}; write stream="):
                kernel("scale")(c, 2, over=1, stream=stream)

    def test_memory_that_was_released(self, container):
        c = container([1])
        c.release()
        with pytest.raises(ReleasedError, match="View<float32, 1> view of scale"):
            kernel("scale")(c, 2, over=1)

    def test_an_argument_that_does_not_fit_leaves_all_as_it_was(self, container):
        c, fixed = container([1]), container([1])
        with pytest.raises(DTypeError, match="float32 factor of scale: values of dtype complex128"):
            kernel("scale")(c, 2j, over=1)
        with pytest.raises(LayoutError, match="a bare pointer needs contiguous memory"):
            kernel("following")(NDBuffer(container(range(9)), (3,), (2,)), c, 1, over=1)
        fixed.storage.owner.readonly = True
        with pytest.raises(ReadOnlyError, match="it is not const, and its argument is read-only"):
            kernel("scale")(fixed, 2, over=1)
        assert c.to_numpy().tolist() == [1]
        assert c.storage.owner.keep_alives == 0


class Order(Contract):
    """Streams run late, so a missing wait gives wrong results with some seed."""

    def test_a_launch_comes_after_copies_in_flight_on_other_streams(self, device, container, stream):
        source, target = accel.zeros(SIZE, "float32", device=device), container(np.zeros(SIZE))
        source.copy_from_async(accel.full(SIZE, 4, "float32"), stream=stream)
        kernel("following")(source, target, SIZE, over=SIZE)
        assert set(target.to_numpy()) == {5}

    def test_launches_on_two_streams_keep_their_order_where_one_writes(self, container, stream):
        source, target = container(np.ones(SIZE)), container(np.zeros(SIZE))
        kernel("scale")(source, 3, over=SIZE, stream=stream)
        kernel("following")(source, target, SIZE, over=SIZE)
        kernel("scale")(source, 0, over=SIZE, stream=stream)
        assert set(target.to_numpy()) == {4}
        assert set(source.to_numpy()) == {0}

    def test_the_host_reads_and_writes_when_it_is_over(self, container, stream):
        c = container(np.ones(SIZE))
        kernel("scale")(c, 2, over=SIZE, stream=stream)
        assert set(c.to_numpy()) == {2}
        kernel("scale")(c, 2, over=SIZE, stream=stream)
        c.fill(7)
        assert set(c.to_numpy()) == {7}

    def test_a_later_copy_waits_too(self, device, container, stream):
        c, target = container(np.ones(SIZE)), accel.zeros(SIZE, "float32")
        kernel("scale")(c, 2, over=SIZE, stream=stream)
        with accel.new_stream(device) as other:
            target.copy_from_async(c, stream=other).wait()
        assert set(target.to_numpy()) == {2}

    def test_memory_stays_until_the_kernel_is_done(self, device, container, stream):
        source, target = container(np.full(SIZE, 3)), container(np.zeros(SIZE))
        kernel("following")(source, target, SIZE, over=SIZE, stream=stream)
        source.release()
        others = [accel.full(SIZE, 9, "float32", device=device) for _ in range(3)]
        assert set(target.to_numpy()) == {4}
        assert len(others) == 3

    def test_a_kernel_without_memory_runs_on_the_device_of_its_stream(self, devices):
        with accel.new_stream(devices[1]) as other:
            pass
        assert kernel("nothing")(1, grid=1, stream=other).device == devices[1]


class Compilation(Contract):
    def test_options_are_passed_on(self, container):
        c = container([0], "int32")
        kernel("number")(c, grid=1, block=1)
        assert c.to_numpy() == 42

    def test_several_kernels_of_one_file(self, container, tmp_path):
        path, c = tmp_path / "both.cu", container([1, 2])
        path.write_text(SOURCE)
        for name, arguments in {"scale": (c, 10), "following": (c, c, 2)}.items():
            RawKernel.from_file(path, name, options=["-DNUMBER=42"])(*arguments, over=2)
        assert c.to_numpy().tolist() == [11, 21]

    def test_an_error_of_the_compiler_names_file_line_and_text(self, device, tmp_path):
        path = tmp_path / 'a "kernel" (1).cu'
        path.write_text(SOURCE.replace("*= factor", "*= fact"))
        with pytest.raises(KernelSyntaxError, match=r"scale does not compile: .*fact.*") as caught:
            RawKernel.from_file(path, "scale", options=["-DNUMBER=1"]).compiled(device)
        assert (caught.value.filename, caught.value.lineno) == (str(path), 6)
        assert caught.value.text == "    if (i < view.size()) view(i) *= fact;"

    def test_a_wrong_use_of_a_view_names_the_line_that_uses_it(self, device):
        wrong = kernel("scale", SOURCE.replace("view(i) *=", "view(i, 0) *="))
        with pytest.raises(KernelSyntaxError, match="a view is indexed by one integer for each axis") as caught:
            wrong.compiled(device)
        assert (caught.value.filename, caught.value.lineno) == ("<source>", 6)

    def test_a_write_through_const_does_not_compile(self, device):
        text = SOURCE.replace("target[i] = source[i]", "source[i] = target[i]")
        with pytest.raises(KernelSyntaxError, match=r"read-only|const"):
            kernel("following", text).compiled(device)

    def test_it_is_compiled_once_for_each_device_whatever_threads_ask(self, monkeypatch, devices):
        scale, backend, compiled = kernel("scale"), heap_of(devices[0]).backend, []
        compile_raw = backend.compile_raw

        def watched(device, *rest):
            compiled.append(device)
            sleep(0.01)  # long enough for all other threads to ask too
            return compile_raw(device, *rest)

        monkeypatch.setattr(backend, "compile_raw", watched)
        run_at_once([partial(scale.compiled, device) for device in [*devices] * 4])
        assert sorted(map(str, compiled)) == sorted(map(str, devices))
        first, second = devices[:2]
        assert scale.compiled(first) is scale.compiled(str(first)) is not scale.compiled(second)

    def test_a_pickle_has_the_source(self, container):
        scale, c = kernel("scale"), container([1, 2])
        scale(c, 2, over=2)
        copy = pickle.loads(pickle.dumps(scale))
        copy(c, 2, over=2)
        assert c.to_numpy().tolist() == [4, 8]
        assert str(copy) == str(scale)
