"""Atomic functions of all types and scopes, from many threads at once, against NumPy."""

import numpy as np
import pytest

import accel
from accel.errors import KernelMemoryError

from .gpu import launch

TYPES = {
    "int": "i4", "unsigned": "u4", "unsigned long long": "u8", "long long": "i8", "float": "f4", "double": "f8",
    "unsigned short": "u2",
}  # fmt: skip
INTEGERS, WORDS = ("int", "unsigned", "unsigned long long"), ("int", "unsigned")
FUNCTIONS = {
    "Add": ((*INTEGERS, "float", "double"), np.add),
    "Sub": (WORDS, np.subtract),
    "Min": ((*INTEGERS, "long long"), np.minimum),
    "Max": ((*INTEGERS, "long long"), np.maximum),
    "And": ((*INTEGERS, "long long"), np.bitwise_and),
    "Or": ((*INTEGERS, "long long"), np.bitwise_or),
    "Xor": ((*INTEGERS, "long long"), np.bitwise_xor),
}
CASES = [(name, kind) for name, (kinds, _) in FUNCTIONS.items() for kind in kinds]
EXCHANGED = (*INTEGERS, "float")
SWAPPED = (*INTEGERS, "unsigned short")


def word(kind):
    return kind.replace(" ", "_")


SOURCE = (
    "".join(
        [
            f"""
extern "C" __global__ void {name}_{word(kind)}(const {kind}* x, {kind}* totals, {kind}* old) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    old[i] = atomic{name}(totals, x[i]);
    atomic{name}_block(totals + 1 + blockIdx.x, x[i]);
    atomic{name}_system(totals + 9, x[i]);
}}
"""
            for name, kind in CASES
        ]
    )
    + "".join(
        [
            f"""
extern "C" __global__ void Exch_{word(kind)}(const {kind}* x, {kind}* last, {kind}* old) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    old[i] = atomicExch(last, x[i]);
}}
"""
            for kind in EXCHANGED
        ]
    )
    + "".join(
        [
            f"""
extern "C" __global__ void CAS_{word(kind)}({kind}* total, {kind}* old) {{
    {kind} seen = atomicCAS(total, ({kind})0, ({kind})0), expected;
    do {{
        expected = seen;
        seen = atomicCAS(total, expected, ({kind})(expected + 3));
    }} while (seen != expected);
    old[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}}
"""
            for kind in SWAPPED
        ]
    )
    + """
extern "C" __global__ void counters(unsigned* up, unsigned* down, unsigned* ups, unsigned* downs, unsigned limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ups[i] = atomicInc(up, limit);
    downs[i] = atomicDec(down, limit);
}
extern "C" __global__ void vectors(float* pair, float* four) {
    atomicAdd((float2*)pair, make_float2(1, 2));
    atomicAdd((float4*)four, make_float4(1, 2, 3, 4));
}
struct __align__(16) Pair {
    unsigned long long low, high;
};
extern "C" __global__ void pairs(unsigned long long* total, unsigned long long* old) {
    Pair* pair = (Pair*)total;
    Pair expected = {0, 0}, seen = atomicCAS(pair, expected, expected);
    do {
        expected = seen;
        seen = atomicCAS(pair, expected, Pair{expected.low + 1, expected.high + 2});
    } while (seen.low != expected.low || seen.high != expected.high);
    old[blockIdx.x * blockDim.x + threadIdx.x] = seen.low;
    atomicExch(pair + 1, Pair{seen.low, seen.low});
}
extern "C" __global__ void of_hip(int* counts, float* sum, const int* x) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __hip_atomic_fetch_add(counts, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_max(counts + 1, x[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    __hip_atomic_fetch_or(counts + 2, x[i], __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    int expected = __hip_atomic_load(counts + 3, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    while (!__hip_atomic_compare_exchange_strong(counts + 3, &expected, expected + 2, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
    }
    __hip_atomic_store(counts + 4, 7, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    unsafeAtomicAdd(sum, 0.5f);
}
extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
extern "C" __global__ void count_under_a_lock(int* lock, int* count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *count += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
extern "C" __global__ void pass_on(int* turn, const int* data, int* out) {
    if (threadIdx.x == 0) while (atomicAdd(turn, 0) != (int)blockIdx.x) {}
    __threadfence();
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = data[threadIdx.x] * *(volatile int*)turn;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(turn, 1);
}
"""
)
GRID, BLOCK = 8, 64


def numbers(dtype, seed=0):
    random = np.random.default_rng(seed)
    if dtype[0] == "f":
        return random.integers(-1000, 1000, GRID * BLOCK).astype(dtype)  # their sums are exact
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, GRID * BLOCK, dtype, endpoint=True)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_updates_by_many_threads_lose_nothing(name, kind, checks):
    dtype, function = TYPES[kind], FUNCTIONS[name][1]
    x, first = numbers(dtype), numbers(dtype, 1)[:10]
    _, totals, old = launch(SOURCE, f"{name}_{word(kind)}", GRID, BLOCK, x, first, np.zeros_like(x), checks=checks)
    for place, values in [(0, x), *enumerate(x.reshape(GRID, BLOCK), 1), (9, x)]:
        right = first[place]
        for value in values:
            right = function(right, value)
        assert totals[place] == right
    if name in {"Add", "Sub", "Xor"}:  # each thread saw what another one left
        assert sorted([*function(old, x), first[0]]) == sorted([*old, totals[0]])


@pytest.mark.parametrize("kind", EXCHANGED)
def test_an_exchange_passes_each_value_on_once(kind):
    x, first = numbers(TYPES[kind]), numbers(TYPES[kind], 1)[:1]
    _, last, old = launch(SOURCE, f"Exch_{word(kind)}", GRID, BLOCK, x, first, np.zeros_like(x))
    assert sorted([*old, last[0]]) == sorted([*x, first[0]])


@pytest.mark.parametrize("kind", SWAPPED)
def test_compare_and_swap_succeeds_for_one_thread_at_a_time(kind, checks):
    dtype = TYPES[kind]
    old = np.zeros(GRID * BLOCK, dtype)
    total, old = launch(SOURCE, f"CAS_{word(kind)}", GRID, BLOCK, np.zeros(1, dtype), old, checks=checks)
    assert total[0] == 3 * GRID * BLOCK
    np.testing.assert_array_equal(np.sort(old), np.arange(GRID * BLOCK) * 3)


def test_counters_wrap_around_at_their_limit():
    limit, n = 37, GRID * BLOCK
    arrays = np.array([5], "u4"), np.array([90], "u4"), np.zeros(n, "u4"), np.zeros(n, "u4")
    up, down, ups, downs, _ = launch(SOURCE, "counters", GRID, BLOCK, *arrays, limit)
    right_up, right_down = [5], [90]
    for _ in range(n):
        right_up.append(0 if right_up[-1] >= limit else right_up[-1] + 1)
        right_down.append(limit if right_down[-1] == 0 or right_down[-1] > limit else right_down[-1] - 1)
    assert (up[0], down[0]) == (right_up[-1], right_down[-1])
    assert sorted(ups) == sorted(right_up[:-1])
    assert sorted(downs) == sorted(right_down[:-1])


def test_vectors_are_added_element_by_element():
    pair, four = launch(SOURCE, "vectors", GRID, BLOCK, np.zeros(2, "f4"), np.zeros(4, "f4"))
    np.testing.assert_array_equal(pair, np.array([1, 2]) * GRID * BLOCK)
    np.testing.assert_array_equal(four, np.array([1, 2, 3, 4]) * GRID * BLOCK)


def test_pairs_of_words_are_swapped_as_one(checks):
    total, old = launch(SOURCE, "pairs", GRID, BLOCK, *np.zeros((2, GRID * BLOCK), "u8"), checks=checks)
    assert total[:2].tolist() == [GRID * BLOCK, 2 * GRID * BLOCK]
    assert total[2] == total[3]
    np.testing.assert_array_equal(np.sort(old), np.arange(GRID * BLOCK))


def test_atomics_of_hip_lose_nothing(warp):
    x = np.random.default_rng(1).integers(0, 1000, GRID * BLOCK).astype("i4")
    counts, total, _ = launch(SOURCE, "of_hip", GRID, BLOCK, np.zeros(5, "i4"), np.zeros(1, "f4"), x, warp=warp)
    assert counts.tolist() == [len(x), x.max(), np.bitwise_or.reduce(x), 2 * len(x), 7]
    assert total[0] == len(x) / 2


def test_a_histogram_counts_in_shared_and_in_global_memory(warp):
    x = np.random.default_rng(0).integers(0, 256, 5000, np.uint8)
    bins = launch(SOURCE, "histogram", GRID, BLOCK, x, np.zeros(256, "u4"), len(x), warp=warp)[1]
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=256))


@pytest.mark.parametrize("seed", range(3))
def test_a_lock_lets_one_thread_in_and_the_others_wait(seed, checks):
    count = launch(SOURCE, "count_under_a_lock", 4, 32, *np.zeros((2, 1), "i4"), seed=seed, checks=checks)[1]
    assert count[0] == 4 * 32


@pytest.mark.parametrize("seed", range(3))
def test_blocks_that_wait_for_others_let_them_run(seed):
    data = np.arange(BLOCK, dtype="i4")
    out = launch(SOURCE, "pass_on", GRID, BLOCK, np.zeros(1, "i4"), data, np.zeros(GRID * BLOCK, "i4"), seed=seed)[2]
    np.testing.assert_array_equal(out.reshape(GRID, BLOCK), np.outer(np.arange(GRID), data))


WIDE = r"""
extern "C" __global__ void count(uint4* at, int wild) {
    if (wild) at = (uint4*)4096;
    uint4 old = {0, 0, 0, 0}, next = {1, 2, 3, 4};
    atomicCAS(at, old, next);
}
"""


def test_an_atomic_operation_of_16_bytes_that_faults_does_not_stop_those_after_it():
    count = accel.RawKernel.from_source(WIDE, "count")
    with accel.using(kernel_checks="sync"):
        with pytest.raises(KernelMemoryError, match="invalid address"):
            count(accel.zeros(4, "uint32", device="sim"), 1, grid=1, block=1).wait()
        x = accel.zeros(4, "uint32", device="sim")
        count(x, 0, grid=1, block=1)
        assert x.to_numpy().tolist() == [1, 2, 3, 4]
