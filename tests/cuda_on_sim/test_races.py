"""Races that a kernel has are reported, and what barriers, atomics and fences order is not."""

import pytest

from ..tables import rows
from .checks import THOROUGH, ints, kinds, ran

SOURCE = r"""
#include <cooperative_groups.h>
#define N 128
__device__ unsigned arrived;
__device__ int lock;

// --- with a race

extern "C" __global__ void missing_barrier(int* out) {
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[N - 1 - threadIdx.x];
}
extern "C" __global__ void missing_second_barrier(int* out, int steps) {
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < steps; ++i) {
        int next = s[(threadIdx.x + 1) % N];
        s[threadIdx.x] = next;
        __syncthreads();
    }
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void one_place(int* out) { out[0] = threadIdx.x; }
extern "C" __global__ void one_place_in_a_warp(int* out) { if (threadIdx.x < 2) out[0] = threadIdx.x; }
extern "C" __global__ void between_blocks(int* out) { if (threadIdx.x == 0) out[0] += blockIdx.x; }
extern "C" __global__ void plain_and_atomic(int* out) {
    if (threadIdx.x == 0) out[0] = 5;
    else atomicAdd(out, 1);
}
extern "C" __global__ void bytes_of_others(unsigned char* out) { out[threadIdx.x / 2] = threadIdx.x; }
extern "C" __global__ void word_over_bytes(unsigned char* out) {
    if (threadIdx.x < 64) out[threadIdx.x] = 1;
    else ((int*)out)[threadIdx.x - 64] = 2;
}
extern "C" __global__ void warp_without_sync(int* out) {
    __shared__ volatile int s[N];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 16) {
        s[threadIdx.x] += s[threadIdx.x + 16];
        s[threadIdx.x] += s[threadIdx.x + 8];
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void last_block_without_fence(const int* in, int* partial, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = partial[threadIdx.x];
}
extern "C" __global__ void fence_of_another(int* all, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 1) __threadfence();
    all[blockIdx.x * N + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) for (unsigned i = 0; i < gridDim.x; ++i) atomicAdd(out, all[i * N + threadIdx.x]);
}
extern "C" __global__ void lock_without_fence(int* out) {
    if (threadIdx.x % warpSize == 0) {
        while (atomicCAS(&lock, 0, 1)) {}
        out[0] += 1;
        atomicExch(&lock, 0);
    }
}
extern "C" __global__ void read_by_all_then_written(int* out) {
    __shared__ int s;
    if (threadIdx.x == 0) s = 1;
    __syncthreads();
    out[threadIdx.x] = s;
    if (threadIdx.x == 5) s = 2;
}
extern "C" __global__ void part_of_a_warp(int* out) {
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) {
        __syncwarp(0xFFFF);
        out[threadIdx.x] = s[threadIdx.x + 16];
    }
}

extern "C" __global__ void grid_without_sync(int* data, int* out) {
    const int i = blockIdx.x * N + threadIdx.x;
    data[i] = i;
    __syncthreads();
    out[i] = data[(i + N) % (gridDim.x * N)];
}

// --- without

extern "C" __global__ void grid_with_sync(int* data, int* out, int steps) {
    const int count = gridDim.x * N, i = blockIdx.x * N + threadIdx.x;
    data[i] = i;
    cooperative_groups::this_grid().sync();
    for (int step = 0; step < steps; ++step) {
        const int next = data[(i + N) % count];
        cooperative_groups::this_grid().sync();
        data[i] = next;
        cooperative_groups::this_grid().sync();
    }
    out[i] = data[(i + 1) % count];
}
extern "C" __global__ void tiles(int* out) {
    __shared__ int s[N];
    auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    for (int by = 4; by > 0; by /= 2) {
        tile.sync();
        const int other = s[threadIdx.x ^ by];
        tile.sync();
        s[threadIdx.x] += other;
    }
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void tiles_know_what_others_knew(int* out) {
    __shared__ int s[16];
    if (threadIdx.x == 0) s[0] = 1;
    if (threadIdx.x < 2) __syncwarp(0x3);
    if (threadIdx.x == 1 || threadIdx.x == 2) __syncwarp(0x6);
    if (threadIdx.x == 2) out[0] = s[0];
}

extern "C" __global__ void reduction(const int* in, int* out) {
    __shared__ int s[N];
    s[threadIdx.x] = in[blockIdx.x * N + threadIdx.x];
    __syncthreads();
    for (unsigned half = N / 2; half >= 16; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x < 8) {
        for (unsigned half = 8; half > 0; half /= 2) {
            int sum = s[threadIdx.x] + s[threadIdx.x + half];
            __syncwarp(0xFF);
            s[threadIdx.x] = sum;
            __syncwarp(0xFF);
        }
        if (threadIdx.x == 0) out[blockIdx.x] = s[0];
    }
}
extern "C" __global__ void ping_pong(int* out, int steps) {
    __shared__ int s[2][N];
    s[0][threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < steps; ++i) {
        s[1 - i % 2][threadIdx.x] = s[i % 2][(threadIdx.x + 1) % N];
        __syncthreads();
    }
    out[threadIdx.x] = s[steps % 2][threadIdx.x];
}
extern "C" __global__ void last_block(const int* in, int* partial, int* out) {
    __shared__ bool last;
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * N + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) atomicAdd(out, partial[threadIdx.x]);
}
extern "C" __global__ void fence_after_barrier(int* all, int* out) {
    __shared__ bool last;
    all[blockIdx.x * N + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) for (unsigned i = 0; i < gridDim.x; ++i) atomicAdd(out, all[i * N + (threadIdx.x + 1) % N]);
}
extern "C" __global__ void fences_before_barrier(int* all, int* out) {
    __shared__ bool last;
    all[blockIdx.x * N + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) for (unsigned i = 0; i < gridDim.x; ++i) atomicAdd(out, all[i * N + (threadIdx.x + 1) % N]);
}
extern "C" __global__ void fences_before_warp_sync(int* all, int* ready, int* out) {
    if (threadIdx.x >= 8) return;
    if (blockIdx.x == 0) {
        all[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncwarp(0xFF);
        if (threadIdx.x == 3) atomicExch(ready, 1);
    } else {
        if (threadIdx.x == 5) while (atomicAdd(ready, 0) == 0) {}
        __syncwarp(0xFF);
        atomicAdd(out, all[7 - threadIdx.x]);
    }
}
extern "C" __global__ void chained_blocks(int* data, unsigned* count, int rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
        data[(blockIdx.x + round) % gridDim.x * N + threadIdx.x] += 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(count, 1);
            while (atomicAdd(count, 0) < (round + 1) * gridDim.x) {}
        }
        __syncthreads();
    }
}
extern "C" __global__ void lock_with_fence(int* out) {
    if (threadIdx.x % warpSize == 0) {
        while (atomicCAS(&lock, 0, 1)) {}
        __threadfence();
        out[0] += 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
extern "C" __global__ void flag_with_fence(int* data, volatile int* flag, int* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) while (*flag == 0) {}
        __syncthreads();
        atomicAdd(out, data[threadIdx.x]);
    }
}
extern "C" __global__ void chained_scan(const int* in, volatile int* sums, volatile int* ready) {
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (ready[blockIdx.x - 1] == 0) {}
            before = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = before + in[blockIdx.x];
        __threadfence();
        ready[blockIdx.x] = 1;
    }
}
extern "C" __global__ void chained_sum(const int* in, int* sums, int* ready, int* out) {
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = in[blockIdx.x];
        if (blockIdx.x > 0) while (atomicAdd(&ready[blockIdx.x - 1], 0) == 0) {}
        __threadfence();
        atomicExch(&ready[blockIdx.x], 1);
    }
    __syncthreads();
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < gridDim.x) atomicAdd(out, sums[threadIdx.x]);
}
extern "C" __global__ void histogram(const int* in, int* out) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * N + threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
extern "C" __global__ void neighbouring_bytes(unsigned char* bytes, unsigned short* halves) {
    __shared__ unsigned char s[N];
    const int i = blockIdx.x * N + threadIdx.x;
    bytes[i] = threadIdx.x;
    halves[i] = halves[i] + 1;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    bytes[i] += s[N - 1 - threadIdx.x];
}
extern "C" __global__ void shuffles_between_writes(int* out) {
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
#if ACCEL_SIM_WARP == 64
    __ballot(1);
#else
    __ballot_sync(0xFFFFFFFF, 1);
#endif
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
extern "C" __global__ void early_exit(int* out) {
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[N - 1 - threadIdx.x];
    if (threadIdx.x >= 64) return;
    __syncthreads();
    s[threadIdx.x + 64] = 1;
}
extern "C" __global__ void read_by_all(const int* in, int* out) {
    __shared__ int s;
    if (threadIdx.x == 3) s = in[0];
    __syncthreads();
    out[blockIdx.x * N + threadIdx.x] = s + in[0];
}
extern "C" __global__ void write_after_read(int* out) {
    __shared__ int s[N];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int next = s[(threadIdx.x + 1) % N];
    __syncthreads();
    s[threadIdx.x] = next;
    out[threadIdx.x] = s[threadIdx.x];
}
struct Complex {
    float re, im;
    Complex() {}
    Complex(float re) : re(re), im(0) {}
};
extern "C" __global__ void class_in_shared_memory(float* out) {
    __shared__ Complex s[N / 8][8], single;
    s[threadIdx.x / 8][threadIdx.x % 8] = Complex(threadIdx.x);
    if (threadIdx.x == 0) single = Complex(1);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x % 16][threadIdx.x % 8].re + single.im;
}
extern "C" __global__ void own_atomics(int* out) {
    atomicAdd(&out[threadIdx.x], 1);
    out[threadIdx.x] += 1;
}
extern "C" __global__ void same_in_each_launch(int* out) { out[N - 1 - threadIdx.x] = out[threadIdx.x] + 1; }
extern "C" __global__ void each_its_own(int* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void reversed(int* out) { out[N - 1 - threadIdx.x] += 1; }
"""
N = 128
BLOCKS = 6


def launch(setup, kernel, grid, *arguments, **settings):
    return ran(SOURCE, kernel, grid, N, *arguments, setup=setup, **settings)


@pytest.fixture(params=range(3 if THOROUGH else 2))
def seed(request):
    return request.param


RACES = {
    "missing_barrier": lambda: (1, ints(N)),
    "missing_second_barrier": lambda: (1, ints(N), 3),
    "one_place": lambda: (1, ints(N)),
    "one_place_in_a_warp": lambda: (1, ints(N)),
    "between_blocks": lambda: (BLOCKS, ints(N)),
    "plain_and_atomic": lambda: (1, ints(N)),
    "bytes_of_others": lambda: (1, ints(N)),
    "word_over_bytes": lambda: (1, ints(N)),
    "warp_without_sync": lambda: (1, ints(N)),
    "last_block_without_fence": lambda: (BLOCKS, ints(N), ints(N), ints(N)),
    "fence_of_another": lambda: (BLOCKS, ints(BLOCKS * N), ints(N)),
    "lock_without_fence": lambda: (BLOCKS, ints(N)),
    "read_by_all_then_written": lambda: (1, ints(N)),
    "part_of_a_warp": lambda: (1, ints(N)),
    "grid_without_sync": lambda: (BLOCKS, ints(BLOCKS * N), ints(BLOCKS * N)),
}
NONE = {
    "grid_with_sync": lambda: (BLOCKS, ints(BLOCKS * N), ints(BLOCKS * N), 3),
    "tiles": lambda: (1, ints(N)),
    "tiles_know_what_others_knew": lambda: (1, ints(N)),
    "reduction": lambda: (BLOCKS, ints(BLOCKS * N), ints(N)),
    "ping_pong": lambda: (1, ints(N), 5),
    "last_block": lambda: (BLOCKS, ints(BLOCKS * N), ints(N), ints(N)),
    "fence_after_barrier": lambda: (BLOCKS, ints(BLOCKS * N), ints(N)),
    "fences_before_barrier": lambda: (BLOCKS, ints(BLOCKS * N), ints(N)),
    "fences_before_warp_sync": lambda: (2, ints(N), ints(N), ints(N)),
    "chained_blocks": lambda: (BLOCKS, ints(BLOCKS * N), ints(N), 5),
    "lock_with_fence": lambda: (BLOCKS, ints(N)),
    "flag_with_fence": lambda: (2, ints(N), ints(N), ints(N)),
    "chained_scan": lambda: (BLOCKS, ints(N), ints(N), ints(N)),
    "chained_sum": lambda: (BLOCKS, ints(N), ints(N), ints(N), ints(N)),
    "histogram": lambda: (BLOCKS, ints(BLOCKS * N), ints(N)),
    "neighbouring_bytes": lambda: (BLOCKS, ints(BLOCKS * N), ints(BLOCKS * N)),
    "shuffles_between_writes": lambda: (1, ints(N)),
    "early_exit": lambda: (1, ints(N)),
    "read_by_all": lambda: (BLOCKS, ints(N), ints(BLOCKS * N)),
    "write_after_read": lambda: (1, ints(N)),
    "class_in_shared_memory": lambda: (1, ints(N)),
    "own_atomics": lambda: (1, ints(N)),
}


def checked(setup, kernel, arguments, **settings):
    grid, *args = arguments
    settings = {"checks": "memory,race,init", "limit": 10, "cooperative": "grid" in kernel, **settings}
    outcome = launch(setup, kernel, grid, *args, **settings)
    assert outcome.stopped == 0
    return outcome


@rows("kernel", RACES)
def test_a_race_is_reported(setup, seed, kernel):
    assert "RACE" in kinds(checked(setup, kernel, RACES[kernel](), seed=seed))


@rows("kernel", NONE)
def test_ordered_accesses_are_not_reported(setup, seed, kernel):
    assert kinds(checked(setup, kernel, NONE[kernel](), seed=seed)) == []


@rows("kernel", NONE)
def test_ordered_accesses_of_blocks_that_run_at_once_are_not_reported(setup, kernel):
    for seed in range(10, 20 if THOROUGH else 13):
        assert kinds(checked(setup, kernel, NONE[kernel](), seed=seed, workers=3)) == []


@pytest.mark.parametrize(
    ("kernel", "scope"), [("one_place_in_a_warp", 0), ("missing_barrier", 1), ("between_blocks", 2)]
)
def test_a_race_has_both_threads_and_their_scope(setup, seed, kernel, scope):
    finding = checked(setup, kernel, RACES[kernel](), seed=seed).findings[-1]
    here, other = finding.here, finding.other
    assert finding.scope == scope
    assert (here.block.xyz == other.block.xyz) == (scope < 2)
    assert (here.block.xyz, here.thread.xyz) != (other.block.xyz, other.thread.xyz)
    assert (here.mode | other.mode) & 2
    assert here.pc
    assert other.pc


def test_launches_are_ordered_one_after_the_other(setup, seed):
    out = ints(N)
    for kernel in ("each_its_own", "reversed", "each_its_own"):
        assert kinds(checked(setup, kernel, (1, out), seed=seed)) == []
    assert "RACE" in kinds(checked(setup, "same_in_each_launch", (1, out), seed=seed))


def test_the_shadow_of_memory_stays_with_it_and_is_dropped_with_it(setup):
    out = ints(N)
    checked(setup, "each_its_own", (1, out))
    cells = out.range.cells
    assert cells
    checked(setup, "reversed", (1, out))
    assert out.range.cells == cells


def test_without_the_check_nothing_is_reported(setup):
    assert kinds(checked(setup, "missing_barrier", (1, ints(N)), checks="memory,sync")) == []
