"""Threads that write the same bytes to one place: no error, unless it is asked for; other races stay errors."""

import numpy as np
import pytest

from ..tables import rows
from .checks import THOROUGH, Memory, ints, kinds, ran

N = 128
TYPES = {"char": 1, "short": 2, "int": 4, "double": 8, "int4": 16}
VALUES = {"int4": "make_int4(v, v + 1, v + 2, v + 3)"}


def _stores(kind):
    value = VALUES.get(kind, f"({kind})v")
    return f"""
extern "C" __global__ void same_{kind}({kind}* out) {{ int v = 7; out[1] = {value}; }}
extern "C" __global__ void other_{kind}({kind}* out) {{ int v = threadIdx.x; out[1] = {value}; }}
extern "C" __global__ void shared_{kind}({kind}* out) {{
    __shared__ {kind} s;
    int v = 7;
    s = {value};
    __syncthreads();
    out[threadIdx.x] = s;
}}
"""


SOURCE = (
    "".join(map(_stores, TYPES))
    + r"""
#include <cooperative_groups.h>
// --- the same bytes
extern "C" __global__ void overlapping(int* out) {
    if (threadIdx.x % 2) *(long long*)out = 0x0000000500000006;
    else out[threadIdx.x / 2 % 2] = threadIdx.x / 2 % 2 ? 5 : 6;
}
extern "C" __global__ void bytes_of_a_word(unsigned char* out) {
    if (threadIdx.x % 2) *(int*)out = 0x01010101;
    else out[threadIdx.x / 2 % 4] = 1;
}
extern "C" __global__ void each_reads_its_own(int* out) {
    out[0] = 3;
    __threadfence_block();
    if (threadIdx.x < 0) out[1] = out[0];
    out[0] = 3;
}
extern "C" __global__ void often(int* out) {
    for (int i = 0; i < 4; ++i) out[i % 2] = 9, __threadfence_block();
}
extern "C" __global__ void before_a_barrier(int* out) {
    __shared__ int s;
    s = 1;
    __syncthreads();
    out[threadIdx.x] = s;
}
extern "C" __global__ void before_a_grid_barrier(int* out) {
    out[0] = 4;
    cooperative_groups::this_grid().sync();
    if (out[0] != 4) out[threadIdx.x + 1] = 0;
}

// --- others
extern "C" __global__ void overlapping_others(int* out) {
    if (threadIdx.x % 2) *(long long*)out = 0x0000000500000006;
    else out[threadIdx.x / 2 % 2] = 6;
}
extern "C" __global__ void one_byte_differs(unsigned char* out) {
    if (threadIdx.x % 2) *(int*)out = 0x01020101;
    else out[threadIdx.x / 2 % 4] = 1;
}
extern "C" __global__ void first_another(int* out) {
    out[0] = threadIdx.x;
    __threadfence_block();
    out[0] = 5;
}
extern "C" __global__ void read_by_another(int* out) {
    if (threadIdx.x < 64) out[0] = 7;
    else out[threadIdx.x] = out[0];
}
extern "C" __global__ void added(int* out, int zero) { out[0] += zero; }
extern "C" __global__ void plain_and_atomic(int* out) {
    if (threadIdx.x % 2) out[0] = 1;
    else atomicExch(out, 1);
}
extern "C" __global__ void last_of_all(int* out) { out[0] = threadIdx.x == 77 ? 8 : 7; }
extern "C" __global__ void then_out_of_bounds(int* out) {
    out[0] = threadIdx.x;
    if (threadIdx.x == 1) out[1 << 12] = 1;
}
"""
)
SAME = {
    **{f"{how}_{kind}": 1 for kind in TYPES for how in ("same", "shared")},
    "overlapping": 1, "bytes_of_a_word": 1, "each_reads_its_own": 1, "often": 1, "before_a_barrier": 1,
    "same_int in blocks": 5, "often in blocks": 5, "before_a_grid_barrier": 3,
}  # fmt: skip
OTHER = [
    *[f"other_{kind}" for kind in TYPES], "overlapping_others", "one_byte_differs", "first_another",
    "read_by_another", "added", "plain_and_atomic", "last_of_all",
]  # fmt: skip


@pytest.fixture(params=range(8) if THOROUGH else [1])
def seed(request):
    return request.param


def launch(setup, kernel, grid=1, **settings):
    settings = {"checks": "memory,race,init", "cooperative": "grid" in kernel, **settings}
    further = [0] if kernel == "added" else []
    return ran(SOURCE, kernel, grid, N, Memory(np.zeros(N * 16, np.uint8)), *further, setup=setup, **settings)


@rows("kernel", SAME)
def test_the_same_bytes_are_no_error(setup, seed, kernel):
    for workers in (1, 3) if SAME[kernel] > 1 else (1,):
        outcome = launch(setup, kernel.split()[0], SAME[kernel], seed=seed, workers=workers)
        assert (kinds(outcome), outcome.stopped) == ([], 0)


@rows("kernel", SAME)
def test_they_are_reported_if_that_is_asked_for(setup, seed, kernel):
    outcome = launch(setup, kernel.split()[0], SAME[kernel], seed=seed, checks="memory,race,same-value")
    assert set(kinds(outcome)) == {"RACE"}
    assert {finding.detail for finding in outcome.findings} == {1}


@rows("kernel", OTHER)
def test_all_other_races_are_errors(setup, seed, kernel):
    outcome = launch(setup, kernel, seed=seed)
    assert set(kinds(outcome)) == {"RACE"}
    assert {finding.detail for finding in outcome.findings} == {0}


def test_a_race_before_the_end_of_a_launch_is_reported(setup):
    found = [kinds(ran(SOURCE, "then_out_of_bounds", 1, 2, ints(), setup=setup, seed=seed)) for seed in range(8)]
    assert all("OUT_OF_BOUNDS" in each for each in found)
    assert any("RACE" in each for each in found)


def test_two_threads_are_enough_whichever_comes_first(setup):
    for seed in range(10 if THOROUGH else 4):
        outcome = ran(SOURCE, "other_int", 1, 2, ints(), setup=setup, checks="race", seed=seed)
        assert kinds(outcome) == ["RACE"]


@pytest.mark.parametrize("value", ["same-value", "race,same-value", "same-value,memory"])
def test_the_setting_includes_the_check_for_races(value):
    import accel

    with accel.using(kernel_checks=value):
        assert {"race", "same-value"} <= {*accel.config.current().kernel_checks.split(",")}
