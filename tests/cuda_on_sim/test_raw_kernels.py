"""`RawKernel` on simulated devices: what the page "Your own CUDA or HIP" promises of GPUs."""

from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest

import accel
from accel import Device, NDBuffer, RawKernel, xp
from accel.errors import DeviceLostError, KernelLaunchError, KernelSyncError, LayoutError, RaceError
from accel.testing import no_races, seeded
from accel.testing.faults import lose_device

from ..kernels import raw_contract
from ..kernels.raw_contract import SIZE, SOURCE

TEXT = (
    SOURCE
    + r"""
extern "C" __global__ void turn_vectors(float4* from, float4* to) {
    const float4 all = from[threadIdx.x];
    from[threadIdx.x] = to[threadIdx.x] = make_float4(all.w, all.z, all.y, all.x);
}
extern "C" __global__ void exchange(float2* pairs) {
    const float2 pair = pairs[threadIdx.x];
    pairs[threadIdx.x] = make_float2(pair.y, pair.x);
}
__device__ int calls;
extern "C" __global__ void call() { atomicAdd(&calls, 1); }
extern "C" __global__ void called(int* target) { *target = calls; }

extern "C" __global__ void order(int* target, int* next) { target[atomicAdd(next, 1)] = blockIdx.x; }
extern "C" __global__ void say(int number) { if (threadIdx.x == 0) printf("number %d\n", number); }
extern "C" __global__ void keep(long long* address, int* numbers) { *address = (long long)numbers; }
extern "C" __global__ void use(const long long* address, int number) { *(int*)*address = number; }
extern "C" __global__ void width(int* target) { *target = warpSize; }
extern "C" __global__ void forever(volatile int* x) { while (*x == 0) {} }
"""
)
kernel = partial(raw_contract.kernel, source=TEXT)
container = partial(raw_contract.container, device="sim")


@pytest.fixture(scope="module")
def devices():
    return [Device(name) for name in ("sim", "sim:1", "sim:3")]


@pytest.fixture(params=["memory,sync", "all", "none"], autouse=True)
def _checks(request):
    """All tests run with the checks of the default, with all of them, and with code that is not checked."""
    with accel.using(kernel_checks=request.param):
        yield


@pytest.fixture
def stream():
    stream = accel.new_stream("sim")
    yield stream
    stream.close()


class TestArguments(raw_contract.Arguments):
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
        for vectors in ((part(x), x), (x, part(x))):
            with pytest.raises(LayoutError, match=r"float4\* (from|to) of turn_vectors: "):
                kernel("turn_vectors")(*vectors, grid=1, block=8)
        assert x.to_numpy().tolist() == list(range(64))

    def test_an_array(self):
        x = xp.arange(10, dtype="float32", device="sim")
        kernel("scale")(x[::-2], 3, over=5)
        assert np.asarray(x.to_device("cpu")).tolist() == [0, 3, 2, 9, 4, 15, 6, 21, 8, 27]

    def test_addresses_that_a_kernel_has_stored_lead_to_the_memory(self):
        address, numbers = container([0], "int64"), container([1, 2], "int32")
        kernel("keep")(address, numbers, grid=1, block=1)
        kernel("use")(address, 7, grid=1, block=1).wait()
        assert numbers.to_numpy().tolist() == [7, 2]


class TestExtents(raw_contract.Extents):
    def test_shared_memory_is_as_much_as_gpus_have(self):
        c = container(range(100), "int32")
        for shared in (100 << 10, 227 << 10):
            kernel("turn")(c, grid=1, block=100, shared=shared)
        assert c.to_numpy().tolist() == list(range(100))
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

    def test_a_warp_is_as_wide_as_the_setting_says(self):
        c = container([0], "int32")
        for width in (64, 32):
            with accel.using(sim_warp=width):
                kernel("width")(c, grid=1, block=1)
            assert c.to_numpy() == width


class TestCooperative(raw_contract.Cooperative):
    def test_a_wait_for_the_grid_without_asking_is_an_error(self):
        x = container(range(64), "int32")
        with pytest.raises(KernelSyncError, match="not cooperative"):
            raw_contract.RawKernel.from_source(raw_contract.TURN)(x, grid=4, block=16).wait()


class TestRefused(raw_contract.Refusals):
    pass


class TestCompiled(raw_contract.Compilation):
    def test_a_kernel_that_the_preprocessor_removes_does_not_hinder_the_others(self):
        text = SOURCE + '\n#if 0\nextern "C" __global__ void gone() {}\n#endif\n'
        c = container([3])
        RawKernel.from_source(text, "scale", options=["-DNUMBER=1"])(c, 2, over=1)
        assert c.to_numpy().tolist() == [6]

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


class TestOrder(raw_contract.Order):
    @pytest.fixture(params=range(3), autouse=True)
    def _seed(self, request):
        with seeded(request.param), no_races():
            yield


class TestStreams:
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

    def test_the_current_stream_is_the_one_that_is_used(self, stream):
        c = container(np.ones(SIZE))
        with stream:
            kernel("scale")(c, 2, over=SIZE)
        assert stream.submitted == 1
        assert set(c.to_numpy()) == {2}

    def test_an_event_says_how_long_the_kernel_took(self):
        stream = accel.new_stream("sim", timed=True)
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
    launched = kernel(name)
    bound = launched._signature.bind((c, 2.0) if name == "scale" else (c, target, SIZE))
    launched.compiled("sim").launch((4, 1, 1), (256, 1, 1), bound.values, shared=0, stream=stream)
