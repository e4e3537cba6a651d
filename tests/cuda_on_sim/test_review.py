"""Idioms of the guides of CUDA that the checks must not report."""

import numpy as np
import pytest

import accel
from accel import RawKernel
from accel.errors import KernelRaceError

from .checks import ALL, Memory, floats, ints, kinds, ran

SOURCE = r"""
#include <cooperative_groups.h>
__device__ unsigned finished;

// As in the sample of a sum in one pass: the last block resets the counter for the next launch.
extern "C" __global__ void last_block_resets_the_counter(int* out) {
    if (threadIdx.x == 0 && atomicInc(&finished, gridDim.x) == gridDim.x - 1) {
        out[0] = gridDim.x;
        finished = 0;
    }
}

// As in the guide of cooperative groups: only the first thread sets what it gives to the others.
extern "C" __global__ void one_lane_sets_what_all_get(int* count, int* out) {
    if (threadIdx.x % 3) {
        auto group = cooperative_groups::coalesced_threads();
        int first;
        if (group.thread_rank() == 0) first = atomicAdd(count, group.size());
        out[group.shfl(first, 0) + group.thread_rank()] = threadIdx.x;
    }
}
extern "C" __global__ void one_lane_sets_what_a_warp_gets(int* count, int* out) {
    int first;
    if (threadIdx.x % warpSize == 0) first = atomicAdd(count, warpSize);
    first = __shfl_sync(__activemask(), first, 0);
    out[first + threadIdx.x % warpSize] = threadIdx.x;
}
extern "C" __global__ void volatile_shuffled(volatile int* in, int* out) {
    out[threadIdx.x] = __shfl_sync(__activemask(), in[threadIdx.x], threadIdx.x ^ 1);
}
extern "C" __global__ void shuffled_beyond_the_end(int* in, int* out) {
    out[threadIdx.x] = __shfl_sync(__activemask(), in[threadIdx.x], 0);
}
struct Found {
    int is, value;
};
__device__ Found odd(int i) {
    Found found;
    found.is = i & 1;
    if (found.is) found.value = i;
    return found;
}
extern "C" __global__ void member_without_a_value(int* out) {
    const Found found = odd(threadIdx.x), copied = found;
    out[threadIdx.x] = copied.is ? copied.value : -1;
}
struct Complex {
    float re, im;
    __device__ Complex() {}
    __device__ Complex(float re) : re(re), im(0) {}
};
extern "C" __global__ void class_with_an_empty_constructor(float* out) {
    __shared__ Complex one;
    if (threadIdx.x == 0) one = Complex(1);
    __syncthreads();
    out[threadIdx.x] = one.re;
}
"""
# As in the guide of CUDA, which writes atomicAdd for double like this.
MOST = r"""
__device__ float most(float* address, float value) {
    int* bits = (int*)address;
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
extern "C" __global__ void largest(float* found) { most(found, threadIdx.x); }
extern "C" __global__ void largest_too_early(float* found, float* out) {
    if (threadIdx.x) most(found, threadIdx.x);
    else *out = *found;
}
"""


def run(kernel, grid, block, *arguments, setup, **settings):
    return ran(SOURCE, kernel, grid, block, *arguments, setup=setup, **settings)


@pytest.mark.parametrize("seed", range(5))
def test_the_last_block_may_reset_the_counter_of_blocks(setup, seed):
    out = ints(1)
    assert kinds(run("last_block_resets_the_counter", 7, 64, out, setup=setup, seed=seed)) == []
    assert out.values[0] == 7


@pytest.mark.parametrize("checks", [ALL, ""])
@pytest.mark.parametrize("kernel", ["one_lane_sets_what_all_get", "one_lane_sets_what_a_warp_gets"])
def test_lanes_may_give_a_variable_without_a_value_that_no_lane_takes(setup, kernel, checks):
    count, out = ints(1), ints(128)
    assert kinds(run(kernel, 1, 128, count, out, setup=setup, checks=checks)) == []
    used = [i for i in range(128) if kernel != "one_lane_sets_what_all_get" or i % 3]
    assert count.values[0] == len(used)
    assert sorted(out.values[: len(used)]) == used


def test_volatile_memory_can_be_shuffled(setup):
    out = ints()
    assert kinds(run("volatile_shuffled", 1, 64, Memory(np.arange(64, dtype=np.int32)), out, setup=setup)) == []
    assert out.values.tolist() == [i ^ 1 for i in range(64)]


def test_what_is_shuffled_is_read_within_its_memory(setup):
    outcome = run("shuffled_beyond_the_end", 1, 64, ints(63), ints(), setup=setup)
    assert kinds(outcome) == ["OUT_OF_BOUNDS"]


def test_a_structure_is_copied_with_a_member_that_has_no_value(setup):
    out = ints()
    assert kinds(run("member_without_a_value", 1, 64, out, setup=setup)) == []
    assert out.values.tolist() == [i if i & 1 else -1 for i in range(64)]


def test_shared_memory_is_of_a_class_whose_constructor_is_empty(setup):
    out = floats()
    assert kinds(run("class_with_an_empty_constructor", 1, 64, out, setup=setup)) == []
    assert (out.values == 1).all()


@pytest.fixture(params=range(3))
def seeded(request):
    with accel.using(kernel_checks="all", sim_seed=request.param):
        yield


@pytest.mark.usefixtures("seeded")
class TestLoopsOfCompareAndSwap:
    def test_the_first_read_need_not_be_atomic(self, setup, monkeypatch):
        monkeypatch.setenv("ACCEL_KERNEL_COMPILER", setup.compiler)
        largest = accel.zeros(1, "float32", device="sim")
        with accel.using(sim_warp=setup.warp):
            RawKernel.from_source(MOST, "largest")(largest, grid=3, block=64)
            assert largest.to_numpy()[0] == 63

    def test_another_read_must_be(self, setup, monkeypatch):
        monkeypatch.setenv("ACCEL_KERNEL_COMPILER", setup.compiler)
        largest, out = accel.zeros(1, "float32", device="sim"), accel.zeros(1, "float32", device="sim")
        with accel.using(sim_warp=setup.warp):
            RawKernel.from_source(MOST, "largest_too_early")(largest, out, grid=1, block=64)
            with pytest.raises(KernelRaceError):
                out.to_numpy()
