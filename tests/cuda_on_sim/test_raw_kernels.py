"""`RawKernel` on simulated devices: what the page "Your own CUDA or HIP" promises of GPUs."""

import pickle
import threading
from contextlib import nullcontext

import numpy as np
import pytest

import accel
from accel import LayoutTensor, NDBuffer, RawKernel, xp
from accel.dtypes import as_dtype
from accel.errors import (
    CapabilityError,
    DeviceLostError,
    DeviceMismatchError,
    DTypeError,
    KernelLaunchError,
    KernelSyntaxError,
    LayoutError,
    RaceError,
    ReadOnlyError,
    ReleasedError,
)
from accel.layout import Layout
from accel.memory import heap_of
from accel.testing import no_races, seeded
from accel.testing.faults import lose_device

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
extern "C" __global__ void last(accel::View<const int, 2> view, long long* size, int* found) {
    *size = view.size();
    *found = view(view.extents[0] - 1, 1);
}
extern "C" __global__ void turn_vectors(float4* from, float4* to) {
    const float4 all = from[threadIdx.x];
    from[threadIdx.x] = to[threadIdx.x] = make_float4(all.w, all.z, all.y, all.x);
}
extern "C" __global__ void exchange(float2* pairs) {
    const float2 pair = pairs[threadIdx.x];
    pairs[threadIdx.x] = make_float2(pair.y, pair.x);
}
extern "C" __global__ void number(int* target) { *target = NUMBER; }
extern "C" __global__ void nothing(int number) {}

__device__ int calls;
extern "C" __global__ void call() { atomicAdd(&calls, 1); }
extern "C" __global__ void called(int* target) { *target = calls; }

extern "C" __global__ void order(int* target, int* next) { target[atomicAdd(next, 1)] = blockIdx.x; }
extern "C" __global__ void say(int number) { if (threadIdx.x == 0) printf("number %d\n", number); }
extern "C" __global__ void keep(long long* kept, int* numbers) { *kept = (long long)numbers; }
extern "C" __global__ void use(const long long* kept, int number) { *(int*)*kept = number; }
extern "C" __global__ void width(int* target) { *target = warpSize; }
extern "C" __global__ void forever(volatile int* x) { while (*x == 0) {} }
"""
SIZE = 1000


def kernel(name):
    return RawKernel.from_source(SOURCE, name, options=["-DNUMBER=42"])


def container(values, dtype="float32", device="sim"):
    return accel.container(np.asarray(values, dtype), device=device)


@pytest.fixture(params=["memory,sync", "all", "none"], autouse=True)
def _checks(request):
    """All tests run with the checks of the default, with all of them, and with code that is not checked."""
    with accel.using(kernel_checks=request.param):
        yield


@pytest.fixture
def stream():
    made = accel.new_stream("sim")
    yield made
    made.close()


class TestArguments:
    def test_a_container_a_storage_and_a_slice(self):
        scale, c = kernel("scale"), container(range(SIZE))
        event = scale(c, 2, over=c.size)
        assert c.to_numpy().tolist() == list(range(0, 2 * SIZE, 2))
        assert event.done()
        assert event.device is c.device
        scale(c[10:20], 0, over=10)
        scale(c.storage, 2.0, over=SIZE)
        assert c.to_numpy().tolist() == [0 if 10 <= i < 20 else 4 * i for i in range(SIZE)]

    @pytest.mark.parametrize(
        ("shape", "strides", "offset"), [((7,), (-2,), 20), ((4, 6), (1, 4), 0), ((2, 3, 4), (1, -2, 6), 9)]
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
        model = np.ndarray(shape, "int32", numbers, offset * 4, [stride * 4 for stride in strides])
        found = container(np.zeros(model.size), "int32")
        gather(NDBuffer(container(numbers, "int32"), shape, strides, offset=offset), found, grid=1, block=model.size)
        assert found.to_numpy().tolist() == model.ravel().tolist()

    def test_vectors_in_memory_of_their_scalars(self):
        x, pairs = container(range(64)), container(np.arange(4) * (1 - 1j), "complex64")
        kernel("turn_vectors")(x, x[32:], grid=1, block=8)
        assert x.to_numpy().reshape(16, 4).tolist() == [[4 * i + k for k in (3, 2, 1, 0)] for i in range(8)] * 2
        kernel("exchange")(pairs, grid=1, block=4)
        kernel("exchange")(x, grid=1, block=32)
        assert pairs.to_numpy().tolist() == (np.arange(4) * (-1 + 1j)).tolist()
        assert x.to_numpy()[:4].tolist() == [2, 3, 0, 1]

    @pytest.mark.parametrize("part", [lambda c: c[:30], lambda c: c[2:34], lambda c: NDBuffer(c, (16,), (2,))])
    def test_memory_that_is_not_whole_vectors_is_refused(self, part):
        x = container(range(64))
        for given in ((part(x), x), (x, part(x))):
            with pytest.raises(LayoutError, match=r"float4\* (from|to) of turn_vectors: "):
                kernel("turn_vectors")(*given, grid=1, block=8)
        assert x.to_numpy().tolist() == list(range(64))

    def test_a_tensor_with_a_layout(self):
        c = container(np.zeros(6))
        t = LayoutTensor(c, Layout((2, 3), (3, 1)))
        kernel("fill")(t, grid=1, block=(2, 3))
        assert t.to_numpy().tolist() == [[0, 1, 2], [10, 11, 12]]

    def test_a_number_of_any_type_arrives_bit_by_bit(self):
        cases = [
            ("bool", "bool", True),
            ("char", "int8", -128),
            ("uint16_t", "uint16", 65_535),
            ("const int", "int32", -(2**31)),
            ("long long", "int64", -(2**63)),
            ("size_t", "uint64", (1 << 48) + 1),
            ("float", "float32", 0.1),
            ("double", "float64", 0.1),
            ("float2", "complex64", 1 + 2j),
        ]
        texts = [
            f"""extern "C" __global__ void show{place}(char before, {declared} number, unsigned char* bytes) {{
                bytes[threadIdx.x] = reinterpret_cast<const unsigned char*>(&number)[threadIdx.x];
            }}"""
            for place, (declared, _, _) in enumerate(cases)
        ]
        held = accel.zeros(100, "uint8", device="sim")  # at the first address of the device, which is a number above
        for place, (_, dtype, number) in enumerate(cases):
            expected = np.array(number, as_dtype(dtype))
            found = accel.zeros(expected.nbytes, "uint8", device="sim")
            show = RawKernel.from_source("\n".join(texts), f"show{place}")
            show(7, number, found, grid=1, block=expected.nbytes)
            assert found.to_numpy().tobytes() == expected.tobytes()
        held.release()

    def test_an_array(self):
        x = xp.arange(10, dtype="float32", device="sim")
        kernel("scale")(x[::-2], 3, over=5)
        assert np.asarray(x.to_device("cpu")).tolist() == [0, 3, 2, 9, 4, 15, 6, 21, 8, 27]

    def test_more_than_2_to_the_31_elements_are_counted_and_reached(self):
        size, found = container([0], "int64"), container([0], "int32")
        many = NDBuffer(container([5, 6], "int32"), (1 << 40, 2), (0, 1))
        kernel("last")(many, size, found, grid=1, block=1)
        assert (size.to_numpy(), found.to_numpy()) == (1 << 41, 6)

    def test_memory_of_no_elements(self):
        empty = accel.empty(0, "float32", device="sim")
        kernel("scale")(empty, 2, grid=1)
        kernel("following")(empty, empty, 0, grid=1)
        assert kernel("scale")(empty, 2, over=empty.size).device is empty.device

    def test_addresses_that_a_kernel_has_stored_lead_to_the_memory(self):
        kept, numbers = container([0], "int64"), container([1, 2], "int32")
        kernel("keep")(kept, numbers, grid=1, block=1)
        kernel("use")(kept, 7, grid=1, block=1).wait()
        assert numbers.to_numpy().tolist() == [7, 2]

    def test_it_runs_on_each_simulated_device(self):
        for device in ("sim", "sim:1", "sim:3"):
            c = container([1, 2, 3], device=device)
            kernel("scale")(c, 2, over=3)
            assert c.to_numpy().tolist() == [2, 4, 6]


class TestExtents:
    def test_a_grid_of_three_axes(self):
        view = NDBuffer(accel.zeros(24, "int32", device="sim"), (2, 3, 4))
        kernel("place")(view, grid=(2, 3, 2), block=2)
        assert set(view.to_numpy()[..., 0::2].ravel()) == {2}
        assert set(view.to_numpy()[..., 1::2].ravel()) == {102}

    def test_over_two_axes_there_are_threads_enough(self):
        view = NDBuffer(accel.zeros(5 * 33, "int32", device="sim"), (5, 33))
        kernel("count")(view, over=(33, 5), block=(16, 4))
        assert view.to_numpy().tolist() == [[1] * 33] * 5

    def test_shared_memory_is_as_much_as_is_asked_for(self):
        c = container(range(100), "int32")
        for shared in (400, 100 << 10, 227 << 10):
            kernel("turn")(c, grid=1, block=100, shared=shared)
        assert c.to_numpy().tolist() == list(range(99, -1, -1))
        with pytest.raises(KernelLaunchError, match=r"turn was launched with 1048576 bytes .* at most 232448"):
            kernel("turn")(c, grid=1, block=100, shared=1 << 20)
        with accel.using(sim_warp=64), pytest.raises(KernelLaunchError, match="at most 65536"):
            kernel("turn")(c, grid=1, block=100, shared=(64 << 10) + 1)

    def test_static_shared_memory_above_48_kib_is_refused(self):
        big = RawKernel.from_source(
            'extern "C" __global__ void big(int* x) { __shared__ int s[12289]; s[x[0]] = x[0]; x[0] = s[0]; }'
        )
        with pytest.raises(KernelLaunchError, match="big is in a source with s, 49156 bytes of __shared__ memory"):
            big(container([1], "int32"), grid=1)

    @pytest.mark.parametrize(
        ("extents", "said"),
        [
            ({}, "a launch of scale needs either over or grid: write over=threads"),
            ({"grid": 1 << 31}, "the grid has 2147483648 along x; up to "),
            ({"grid": (1, 65_536)}, "the grid has 65536 along y; up to 65535 blocks of 1 threads are possible here"),
            ({"grid": 1, "block": (64, 32)}, "2048 threads; up to 1024 are possible"),
            ({"grid": 1, "shared": 1 << 32}, "4294967296 bytes of shared memory were asked for; from 0 to"),
        ],
    )
    def test_what_no_device_has_is_refused_before_anything_is_launched(self, extents, said):
        c = container(np.ones(3))
        with pytest.raises(ValueError, match=said):
            kernel("scale")(c, 2, **extents)
        assert c.to_numpy().tolist() == [1, 1, 1]

    def test_a_warp_is_as_wide_as_the_setting_says(self):
        c = container([0], "int32")
        for width in (64, 32):
            with accel.using(sim_warp=width):
                kernel("width")(c, grid=1, block=1)
            assert c.to_numpy() == width


class TestRefused:
    def test_memory_of_two_devices(self):
        with pytest.raises(DeviceMismatchError, match="the arguments of following are on sim and sim:1; move them"):
            kernel("following")(container([1]), container([1], device="sim:1"), 1, over=1)

    def test_a_stream_of_another_device(self):
        with (
            accel.new_stream("sim:1") as other,
            pytest.raises(DeviceMismatchError, match="cannot run scale on memory of sim; write stream="),
        ):
            kernel("scale")(container([1]), 2, over=1, stream=other)

    def test_memory_that_was_released(self):
        c = container([1])
        c.release()
        with pytest.raises(ReleasedError, match="View<float32, 1> view of scale"):
            kernel("scale")(c, 2, over=1)

    def test_an_argument_that_does_not_fit_leaves_all_as_it_was(self):
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

    def test_the_host_still_runs_no_kernels(self):
        with pytest.raises(CapabilityError, match="cpu runs no CUDA or HIP; move the arguments of scale"):
            kernel("scale")(container([1], device="cpu"), 2, over=1)

    def test_an_error_of_the_compiler_names_file_line_and_text(self, tmp_path):
        path = tmp_path / 'a "kernel" (1).cu'
        path.write_text(SOURCE.replace("*= factor", "*= fact"))
        with pytest.raises(KernelSyntaxError, match=r"scale does not compile: .*fact.*") as caught:
            RawKernel.from_file(path, "scale", options=["-DNUMBER=1"]).compiled("sim")
        assert (caught.value.filename, caught.value.lineno) == (str(path), 6)
        assert caught.value.text == "    if (i < view.size()) view(i) *= fact;"

    def test_a_kernel_that_the_preprocessor_removes_does_not_hinder_the_others(self):
        text = SOURCE + '\n#if 0\nextern "C" __global__ void gone() {}\n#endif\n'
        c = container([3])
        RawKernel.from_source(text, "scale", options=["-DNUMBER=1"])(c, 2, over=1)
        assert c.to_numpy().tolist() == [6]


class TestOrder:
    @pytest.mark.parametrize("seed", range(3))
    def test_a_launch_comes_after_copies_in_flight_on_other_streams(self, seed):
        with seeded(seed), no_races(), accel.new_stream("sim") as stream:
            source, target = accel.zeros(SIZE, "float32", device="sim"), container(np.zeros(SIZE))
            source.copy_from_async(accel.full(SIZE, 4, "float32"), stream=stream)
            kernel("following")(source, target, SIZE, over=SIZE)
            assert set(target.to_numpy()) == {5}

    @pytest.mark.parametrize("seed", range(3))
    def test_launches_on_two_streams_keep_their_order_where_one_writes(self, seed):
        with seeded(seed), no_races():
            stream = accel.new_stream("sim")
            source, target = container(np.ones(SIZE)), container(np.zeros(SIZE))
            kernel("scale")(source, 3, over=SIZE, stream=stream)
            kernel("following")(source, target, SIZE, over=SIZE)
            kernel("scale")(source, 0, over=SIZE, stream=stream)
            assert set(target.to_numpy()) == {4}
            assert set(source.to_numpy()) == {0}

    def test_launches_run_late(self):
        c = container(np.ones(3))
        for seed in range(20):
            with seeded(seed):
                if not kernel("scale")(c, 1, over=3).done():
                    return
        pytest.fail("each launch was done when it was submitted")

    @pytest.mark.parametrize(("first", "second", "race"), [("scale", "scale", True), ("following", "following", False)])
    def test_launches_that_nothing_orders_are_a_race_if_one_writes(self, stream, first, second, race):
        c, target, other = container(np.ones(SIZE)), container(np.ones(SIZE)), container(np.ones(SIZE))
        said = r"a race: kernel scale on .* also used by kernel"
        expected = pytest.raises(RaceError, match=said) if race else nullcontext()
        with expected, no_races():
            _launch_unordered(first, c, target, stream)
            _launch_unordered(second, c, other, accel.new_stream("sim"))

    def test_two_kernels_may_read_at_once(self, stream):
        source, first, second = container(np.ones(SIZE)), container(np.zeros(SIZE)), container(np.zeros(SIZE))
        with no_races():
            kernel("following")(source, first, SIZE, over=SIZE, stream=stream)
            kernel("following")(source, second, SIZE, over=SIZE)
        assert set(first.to_numpy()) == set(second.to_numpy()) == {2}

    def test_two_streams_may_use_two_halves_of_one_allocation(self, stream):
        c = container(np.ones(SIZE))
        with no_races():
            kernel("scale")(c[:500], 2, over=500, stream=stream)
            kernel("following")(c[500:], c[500:], 500, over=500)
        assert set(c.to_numpy()) == {2}

    def test_memory_stays_until_the_kernel_is_done(self):
        source, target = container(np.full(SIZE, 3)), container(np.zeros(SIZE))
        kernel("following")(source, target, SIZE, over=SIZE)
        source.release()
        others = [accel.full(SIZE, 9, "float32", device="sim") for _ in range(3)]
        assert set(target.to_numpy()) == {4}
        assert len(others) == 3

    def test_the_current_stream_is_the_one_that_is_used(self, stream):
        c = container(np.ones(SIZE))
        with stream:
            kernel("scale")(c, 2, over=SIZE)
        assert stream.submitted == 1
        assert set(c.to_numpy()) == {2}

    def test_a_kernel_without_memory_runs_on_the_device_of_its_stream(self, stream):
        assert str(kernel("nothing")(1, grid=1, stream=stream).device) == "sim"

    def test_an_event_says_how_long_the_kernel_took(self, stream):
        event = kernel("scale")(container(np.ones(SIZE)), 2, over=SIZE, stream=stream)
        event.wait()
        assert event.ended > event.began

    def test_a_device_that_is_lost_says_so(self):
        c = container(np.ones(SIZE))
        with lose_device("sim"), pytest.raises(DeviceLostError):
            kernel("scale")(c, 2, over=SIZE).wait()

    def test_settings_count_as_they_were_at_the_launch(self):
        c = container([0], "int32")
        with accel.using(sim_warp=64):
            event = kernel("width")(c, grid=1, block=1)
        event.wait()
        assert c.to_numpy() == 64


class TestCompiled:
    def test_options_are_passed_on(self):
        c = container([0], "int32")
        kernel("number")(c, grid=1, block=1)
        assert c.to_numpy() == 42

    def test_kernels_of_one_source_share_its_variables_and_devices_do_not(self):
        c, other = container([0], "int32"), container([5], "int32", device="sim:2")
        with accel.new_stream("sim") as stream:
            before = _called(c)
            kernel("call")(grid=2, block=3, stream=stream)
            stream.synchronize()
        assert _called(c) == before + 6
        with accel.new_stream("sim:2") as stream:
            kernel("called")(other, grid=1, block=1, stream=stream)
        assert other.to_numpy() == 0

    def test_it_is_compiled_once_for_each_device_whatever_threads_ask(self, monkeypatch):
        scale, backend, devices = kernel("scale"), heap_of(accel.Device.SIM).backend, []
        compile_raw = backend.compile_raw

        def watched(device, *rest):
            devices.append(device)
            return compile_raw(device, *rest)

        monkeypatch.setattr(backend, "compile_raw", watched)
        threads = [threading.Thread(target=scale.compiled, args=(name,)) for name in ("sim", "sim:1") * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(map(str, devices)) == ["sim", "sim:1"]

    def test_a_pickle_has_the_source(self):
        c = container([1, 2])
        pickle.loads(pickle.dumps(kernel("scale")))(c, 2, over=2)
        assert c.to_numpy().tolist() == [2, 4]


class TestSeeds:
    def test_an_equal_seed_gives_an_equal_order_of_blocks(self):
        def order(seed):
            with seeded(seed):
                target, following = container(np.zeros(64), "int32"), container([0], "int32")
                kernel("order")(target, following, grid=64, block=1)
                return target.to_numpy().tolist()

        orders = [order(seed) for seed in range(4)]
        assert orders == [order(seed) for seed in range(4)]
        assert len({tuple(each) for each in orders}) == 4
        assert all(sorted(each) == list(range(64)) for each in orders)


def test_what_kernels_print_comes_when_they_have_run_in_order(capsys):
    with accel.new_stream("sim") as stream:
        for number in range(3):
            kernel("say")(number, grid=1, stream=stream)
        stream.synchronize()
    assert capsys.readouterr().out == "number 0\nnumber 1\nnumber 2\n"


def _called(target):
    kernel("called")(target, grid=1, block=1)
    return target.to_numpy().item()


def _launch_unordered(name, c, target, stream):
    """Launch a kernel as its backend does: without what `RawKernel` does to order it."""
    made = kernel(name)
    bound = made._signature.bind((c, 2.0) if name == "scale" else (c, target, SIZE))
    made.compiled("sim").launch((4, 1, 1), (256, 1, 1), bound.values, shared=0, stream=stream)
