"""What a report of a race advises: a barrier within a block, an atomic or a second kernel between blocks."""

import numpy as np
import pytest

import accel
from accel import RawKernel
from accel.errors import KernelRaceError
from accel.testing import seeded

SOURCE = r"""
#define T threadIdx.x
extern "C" __global__ void tree(int* x) {
    __shared__ int part[128];
    part[T] = x[T];
    __syncthreads();
    for (int by = 64; by > 0; by /= 2)
        if (T < by) part[T] += part[T + by];
    if (T == 0) x[0] = part[0];
}
extern "C" __global__ void last_rounds(int* x) {
    __shared__ int part[32];
    if (T >= 32) return;
    part[T] = x[T];
    __syncwarp();
    for (int by = 16; by > 0; by /= 2)
        if (T < by) part[T] += part[T + by];
}
extern "C" __global__ void reversed(int* x) {
    __shared__ int tile[128];
    tile[T] = x[T];
    x[T] = tile[127 - T];
}
extern "C" __global__ void reversed_in_warps(int* x) {
    __shared__ int tile[128];
    tile[T] = x[T];
    x[T] = tile[T ^ 31];
}
extern "C" __global__ void cleared_late(int* x) {
    __shared__ int found;
    if (T == 0) found = 0;
    atomicAdd(&found, x[T]);
}
extern "C" __global__ void flag(int* x) {
    __shared__ int any;
    any = x[T];
    __syncthreads();
    x[T] = any;
}
extern "C" __global__ void two_flags(int* x) {
    __shared__ int any;
    if (T == 1) any = 1;
    if (T == 100) any = 2;
    __syncthreads();
    x[T] = any;
}
extern "C" __global__ void total(int* x) { *x += 1; }
extern "C" __global__ void read_of_a_total(int* x) {
    atomicAdd(x, 1);
    x[T + 1] = *x;
}
extern "C" __global__ void total_of_blocks(int* x) { if (T == 0) *x += 1; }
extern "C" __global__ void ticket(int* x) {
    if (T == 0 && blockIdx.x < 3) atomicAdd(x, 1);
    if (T == 0 && blockIdx.x == 3) *x = 0;
}
extern "C" __global__ void after_another(int* x) {
    if (T == 0 && blockIdx.x == 0) x[0] = 1;
    if (T == 0 && blockIdx.x == 1) x[1] = x[0];
}
"""
LOCKSTEP = ": the threads of a warp do not run in lockstep"
BARRIER, WARP_BARRIER = (f"let a {name}() come between the two" for name in ("__syncthreads", "__syncwarp"))


def hints(name, grid=1):
    x = accel.container(np.ones(256, "int32"), device="sim")
    advice = set()
    for seed in range(3):
        with pytest.raises(KernelRaceError) as raised, seeded(seed), accel.using(kernel_checks="race,same-value"):
            RawKernel.from_source(SOURCE, name)(x, grid=grid, block=128).wait()
        advice |= {report.message.partition("; nothing orders the two; ")[2] for report in raised.value.reports}
        x.fill(1)
    return advice


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("tree", f"{BARRIER} at the end of each round, or use an atomic"),
        ("reversed", f"{BARRIER}, or use an atomic"),
        ("cleared_late", f"{BARRIER}, or make both accesses atomic"),
        ("two_flags", f"{BARRIER}, or use an atomic"),
        ("flag", f"let one thread write, use an atomic, or {BARRIER} at the end of each round"),
        ("total", f"update it atomically, as by atomicAdd, or {BARRIER} at the end of each round"),
        ("read_of_a_total", f"make both accesses atomic, or {BARRIER}"),
    ],
)
def test_threads_of_a_block_are_ordered_by_a_barrier(name, hint):
    assert hint in hints(name)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("last_rounds", f"{WARP_BARRIER} at the end of each round, or use an atomic{LOCKSTEP}"),
        ("reversed_in_warps", f"{WARP_BARRIER}, or use an atomic{LOCKSTEP}"),
    ],
)
def test_threads_of_a_warp_are_ordered_by_a_barrier_of_the_warp(name, hint):
    assert hints(name) == {hint}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("total_of_blocks", "update it atomically, as by atomicAdd, or let one thread do it"),
        ("ticket", "make both accesses atomic, or let the kernel end between them"),
        ("after_another", "blocks run in any order: use atomics, or let a second kernel do what comes after"),
    ],
)
def test_blocks_have_no_barrier_between_them(name, hint):
    advice = hints(name, grid=4)
    assert hint in advice
    assert not any("__sync" in each for each in advice)
