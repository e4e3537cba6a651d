"""Threads that go past a barrier at which others wait, and those that may."""

import re

import numpy as np
import pytest

from accel.errors import KernelSyncError

from .checks import ints, kinds, ran
from .gpu import launch

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define SYNC __syncthreads()
#define ALL accel_sim::ALL_LANES
#define SYNC_ALL() do { __syncthreads(); } while (0)
extern "C" __global__ void wrong_if(int* out) {
    const int t = threadIdx.x;
    if (t < 16) __syncthreads(); out[t] = t;
}
extern "C" __global__ void wrong_braces(int* out) {
    const int t = threadIdx.x;
    if (t < 16) { __syncthreads(); } out[t] = t;
}
extern "C" __global__ void wrong_each_branch(int* out) {
    const int t = threadIdx.x;
    if (t < 16) __syncthreads();
    else __syncthreads(); out[t] = t;
}
extern "C" __global__ void wrong_each_branch_one_line(int* out) {
    const int t = threadIdx.x;
    if (t < 16) __syncthreads(); else __syncthreads(); out[t] = t;
}
extern "C" __global__ void wrong_branches_that_work(int* out) {
    const int t = threadIdx.x;
    if (t < 16) { out[t] = 1; __syncthreads(); } else { out[t] = 2; __syncthreads(); } out[t] = t;
}
extern "C" __global__ void wrong_two_on_a_line(int* out) {
    const int t = threadIdx.x;
    if (t < 16) __syncthreads(); out[t] = t; __syncthreads();
}
extern "C" __global__ void wrong_loop(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < t; ++i) __syncthreads(); out[t] = t;
}
extern "C" __global__ void wrong_while(int* out) {
    const int t = threadIdx.x;
    int i = 0; while (i++ < t) { out[t] = i; __syncthreads(); } out[t] = t;
}
extern "C" __global__ void wrong_do(int* out) {
    const int t = threadIdx.x;
    int i = 0; do { out[t] = i; __syncthreads(); } while (i++ < t); out[t] = t;
}
extern "C" __global__ void wrong_switch(int* out) {
    const int t = threadIdx.x;
    switch (t % 4) { case 0: __syncthreads(); break; case 1: out[t] = 3; break; default: out[t] = 5; } out[t] = t;
}
extern "C" __global__ void wrong_continue(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 2; ++i) { if (t < 16) { if (i == 1) continue; __syncthreads(); } out[t] = t; }
}
extern "C" __global__ void wrong_break(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 2; ++i) { if (t > 16) break; __syncthreads(); } out[t] = t;
}
extern "C" __global__ void wrong_goto(int* out) {
    const int t = threadIdx.x;
    if (t >= 0) { if (t > 16) goto end; __syncthreads(); } end: out[t] = t;
}
__device__ void sync_in_wrong_function() { __syncthreads(); }
extern "C" __global__ void wrong_function(int* out) {
    const int t = threadIdx.x;
    if (t < 16) sync_in_wrong_function(); out[t] = t;
}
__device__ void sync_in_wrong_return_of_a_function(int t) { if (t >= 16) return; __syncthreads(); }
extern "C" __global__ void wrong_return_of_a_function(int* out) {
    const int t = threadIdx.x;
    sync_in_wrong_return_of_a_function(t); out[t] = t;
}
template <int N> __device__ void sync_in_wrong_template(int t) { if (t < N) { __syncthreads(); } }
extern "C" __global__ void wrong_template(int* out) {
    const int t = threadIdx.x;
    sync_in_wrong_template<16>(t); out[t] = t;
}
extern "C" __global__ void wrong_macro(int* out) {
    const int t = threadIdx.x;
    if (t < 16) SYNC; out[t] = t;
}
extern "C" __global__ void wrong_macro_like_a_function(int* out) {
    const int t = threadIdx.x;
    if (t < 16) SYNC_ALL(); out[t] = t;
}
extern "C" __global__ void wrong_macro_branches(int* out) {
    const int t = threadIdx.x;
    if (t < 16) { out[t] = 2; SYNC; } else { SYNC; } out[t] = t;
}
extern "C" __global__ void wrong_group(int* out) {
    const int t = threadIdx.x;
    auto b = cg::this_thread_block(); if (t < 16) b.sync(); out[t] = t;
}
extern "C" __global__ void wrong_sync_of_group(int* out) {
    const int t = threadIdx.x;
    auto b = cg::this_thread_block(); if (t < 16) cg::sync(b); out[t] = t;
}
extern "C" __global__ void wrong_lambda(int* out) {
    const int t = threadIdx.x;
    auto f = [&]() { __syncthreads(); out[t] = 1; }; if (t < 16) f(); out[t] = t;
}
extern "C" __global__ void wrong_asm(int* out) {
    const int t = threadIdx.x;
    if (t < 16) asm volatile("bar.sync 0;"); out[t] = t;
}
extern "C" __global__ void wrong_and(int* out) {
    const int t = threadIdx.x;
    if (t < 16) out[t] = __syncthreads_and(t); else out[t] = t;
}
extern "C" __global__ void wrong_nested(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 3; ++i) { __syncthreads(); if (i == 1) { if (t % 2) { __syncthreads(); } } out[t] = i; }
}
extern "C" __global__ void mask_if(int* out) {
    const int t = threadIdx.x;
    if (t % warpSize < 16) out[t] = __shfl_sync(ALL, out[t], 0);
    else for (int j = 0; j < 100; ++j) out[t] += 1;
    out[t] += 1;
}
extern "C" __global__ void mask_loop(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < t % warpSize; ++i) out[t] += __any_sync(ALL, i);
    out[t] += 1;
}
__device__ int sum_of_warp(int v) {
    for (int by = warpSize / 2; by; by /= 2) v += __shfl_down_sync(ALL, v, by);
    return v;
}
extern "C" __global__ void mask_function(int* out) {
    const int t = threadIdx.x;
    if (t < 20) out[t] = sum_of_warp(t);
    out[t] += 1;
}
extern "C" __global__ void right_mask_after_return(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        if (t % warpSize > 20 + i) return;
        out[t] += __shfl_sync(ALL, t, 0);
        if (t % 2) out[t] += __shfl_sync(accel_sim::Mask(0xAAAAAAAAAAAAAAAAu), t, 1);
    }
}
extern "C" __global__ void right_mask_of_a_part(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        if (t % warpSize < 8) out[t] += __shfl_sync(0xFF, t, 0);
        out[t] += __ballot_sync(ALL, t) != 0;
        if (t % warpSize < 8) out[t] += __shfl_sync(0xFF, t, 0);
        if (t % warpSize >= 8) return;
    }
    out[t] += __shfl_sync(0xFF, t, 0);
}
extern "C" __global__ void right_ways_out(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) {
        if (i == 0) { __syncthreads(); continue; }
        switch (i) {
            case 1: if (out[t] < 9) break; switch (i) { case 1: __syncthreads(); }
            default: __syncthreads();
        }
        do { if (i == 3) break; while (i == 2) { __syncthreads(); break; } } while (i < 0);
    }
}
extern "C" __global__ void right_votes_after_return(int* out) {
    const int t = threadIdx.x;
    if (t % 32 < 26) return;
    out[t] = __popcll(__ballot_sync(ALL, 1)) * 100 + __all_sync(ALL, 1) * 10 + __any_sync(ALL, 0);
}
extern "C" __global__ void right_early_return(int* out) {
    const int t = threadIdx.x;
    if (t >= 16) return; __syncthreads(); out[t] = t;
}
extern "C" __global__ void right_return_in_statement(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) { if (t >= 16) return; __syncthreads(); out[t] = t; }
}
extern "C" __global__ void right_uniform(int* out) {
    const int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) { if (i == 2) continue; if (i % 2) { __syncthreads(); out[t] = t; }
        __syncthreads(); } if (blockDim.x > 3) { __syncthreads(); }
}
template <bool S> __device__ void sync_in_right_flag() { if (S) __syncthreads(); }
extern "C" __global__ void right_flag(int* out) {
    const int t = threadIdx.x;
    if (t < 16) sync_in_right_flag<false>(); sync_in_right_flag<true>(); out[t] = t; if (t < 5) return;
        sync_in_right_flag<true>();
}
__device__ void sync_in_right_flag_of_a_function(bool s) { if (s) __syncthreads(); }
extern "C" __global__ void right_flag_of_a_function(int* out) {
    const int t = threadIdx.x;
    if (t < 16) { sync_in_right_flag_of_a_function(false); return; }
        sync_in_right_flag_of_a_function(true); out[t] = t; sync_in_right_flag_of_a_function(false);
}
extern "C" __global__ void right_zero_trip(int* out) {
    const int t = threadIdx.x;
    if (t == 0) for (int i = 0; i < out[0]; ++i) __syncthreads(); __syncthreads(); out[t] = t;
}
extern "C" __global__ void right_last(int* out) {
    const int t = threadIdx.x;
    while (true) { out[t] += 1; if (__syncthreads_and(out[t] > 3)) break; }
}
"""
KERNELS = re.findall(r"void (\w+)\(int\* out\)", SOURCE)
MASKS = [name for name in KERNELS if name.startswith("mask")]
WRONG = [name for name in KERNELS if name.startswith("wrong")]
RIGHT = [name for name in KERNELS if name.startswith("right")]


@pytest.mark.parametrize("kernel", WRONG)
def test_a_thread_that_goes_past_a_barrier_is_reported(kernel, warp):
    with pytest.raises(KernelSyncError) as caught:
        launch(SOURCE, kernel, 1, 64, np.zeros(64, "i4"), checks="memory,sync", warp=warp)
    (report, *_) = caught.value.reports
    assert report.kind == "divergent barrier"
    assert "has gone past it, at <source>:" in report.message or "waits at another, at <source>:" in report.message
    assert "sync" in report.place.frames[0].text.lower()


@pytest.mark.parametrize("kernel", MASKS)
def test_a_lane_that_goes_past_a_warp_operation_is_reported(kernel, warp):
    with pytest.raises(
        KernelSyncError, match=r"with the mask 0xf+, and thread .* at <source>:\d+ .*with the same mask"
    ):
        launch(SOURCE, kernel, 1, 64, np.zeros(64, "i4"), checks="memory,sync", warp=warp)


@pytest.mark.parametrize("kernel", WRONG + MASKS)
def test_all_compilers_keep_what_tells_it(kernel, setup):
    assert {"DIVERGENT_BARRIER", "WRONG_MASK"} & set(
        kinds(ran(SOURCE, kernel, 1, 64, ints(), setup=setup, checks="sync"))
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kernel", RIGHT)
def test_a_thread_that_ends_before_a_barrier_does_not_go_past_it(kernel, seed, setup):
    launch(SOURCE, kernel, 2, 64, np.zeros(64, "i4"), checks="sync", warp=setup.warp, seed=seed)
    assert not kinds(ran(SOURCE, kernel, 2, 64, ints(), setup=setup, checks="sync", seed=seed))


def test_lanes_that_have_ended_have_no_vote(setup):
    out = ints()
    ran(SOURCE, "right_votes_after_return", 1, 64, out, setup=setup)
    lanes = 6 * setup.warp // 32
    assert out.values.reshape(2, 32)[:, 26:].tolist() == [[lanes * 100 + 10] * 6] * 2
