"""Shuffles, votes, matches and reductions of warps of 32 and 64 lanes against NumPy."""

import numpy as np
import pytest

from .gpu import launch

TYPES = {
    "int": "i4", "unsigned": "u4", "long long": "i8", "unsigned long long": "u8", "float": "f4", "double": "f8",
}  # fmt: skip
BLOCK = 96  # of 64 lanes it is one warp and a half


def shuffles(kind, dtype):
    return f"""
extern "C" __global__ void shuffles_{dtype}(const {kind}* x, {kind}* out, int delta, int width, int n) {{
    const int i = threadIdx.x;
    const auto all = __activemask();
    const {kind} value = x[i];
    out[i] = __shfl_sync(all, value, delta, width);
    out[n + i] = __shfl_up_sync(all, value, delta, width);
    out[2 * n + i] = __shfl_down_sync(all, value, delta, width);
    out[3 * n + i] = __shfl_xor_sync(all, value, delta, width);
    out[4 * n + i] = __shfl(value, delta, width);
    out[5 * n + i] = __shfl_up(value, delta, width);
    out[6 * n + i] = __shfl_down(value, delta, width);
    out[7 * n + i] = __shfl_xor(value, delta, width);
    out[8 * n + i] = __shfl_sync(all, value, delta);
}}
"""


SOURCE = (
    "".join([shuffles(*each) for each in TYPES.items()])
    + """
extern "C" __global__ void votes(const int* x, unsigned long long* out, int n) {
    const int i = threadIdx.x;
    const auto all = __activemask();
    const bool odd = threadIdx.x % 2;
    const auto part = odd ? all & 0xaaaaaaaaaaaaaaaaull : all & 0x5555555555555555ull;
    out[i] = __ballot_sync(all, x[i] > 0);
    out[n + i] = __any_sync(all, x[i] > 8);
    out[2 * n + i] = __all_sync(all, x[i] > -8);
    out[3 * n + i] = __uni_sync(all, x[i] > -8);
    if (odd) out[4 * n + i] = __ballot_sync(part, x[i]);
    else out[4 * n + i] = __ballot_sync(part, x[i]);
    out[5 * n + i] = __ballot(x[i] > 0);
    out[6 * n + i] = __any(x[i] > 8);
    out[7 * n + i] = __all(x[i] > -8);
    out[8 * n + i] = all;
    if (x[i] > 0) out[9 * n + i] = __activemask();
    __syncwarp(all);
    out[10 * n + i] = __match_any_sync(all, x[i]);
    out[11 * n + i] = __match_any_sync(all, double(x[i]));
    int same;
    out[12 * n + i] = __match_all_sync(all, x[i] >> 8, &same);
    out[13 * n + i] = same;
    out[14 * n + i] = __match_any_sync(part, (long long)x[i]);
    out[15 * n + i] = __popcll(__lanemask_lt()) + 100 * __popcll(__lanemask_gt()) + 10000 * __lane_id();
    out[16 * n + i] = warpSize;
}
extern "C" __global__ void reductions(const unsigned* x, unsigned* out, int n) {
    const int i = threadIdx.x;
    const auto all = __activemask();
    const auto part = all & (threadIdx.x % 2 ? 0xaaaaaaaaaaaaaaaaull : 0x5555555555555555ull);
    out[i] = __reduce_add_sync(all, x[i]);
    out[n + i] = __reduce_min_sync(all, x[i]);
    out[2 * n + i] = __reduce_max_sync(all, x[i]);
    out[3 * n + i] = __reduce_min_sync(all, int(x[i]));
    out[4 * n + i] = __reduce_max_sync(all, int(x[i]));
    out[5 * n + i] = __reduce_and_sync(all, x[i] | 7);
    out[6 * n + i] = __reduce_or_sync(all, x[i] & 7);
    out[7 * n + i] = __reduce_xor_sync(all, x[i]);
    out[8 * n + i] = __reduce_add_sync(part, int(x[i]));
}
extern "C" __global__ void sum_of_warp(const float* x, float* out) {
    float sum = x[threadIdx.x];
    for (int delta = warpSize / 2; delta > 0; delta /= 2) sum += __shfl_down_sync(~0ull, sum, delta);
    if (threadIdx.x % warpSize == 0) out[threadIdx.x / warpSize] = sum;
}
extern "C" __global__ void permutations(const int* x, const int* lanes, int* pulled, int* pushed, int* first) {
    const int i = threadIdx.x;
    pulled[i] = __hip_ds_bpermute(4 * lanes[i], x[i]);
    pushed[i] = __hip_ds_permute(4 * lanes[i], x[i]);
    first[i] = __builtin_amdgcn_readfirstlane(x[i]);
}
extern "C" __global__ void exchange_in_shared_memory(int* x) {
    __shared__ int shared[64];
    const int lane = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        shared[lane] = x[lane];
        __syncwarp();
        x[lane] = shared[(lane + 1) % warpSize] + i;
        __syncwarp();
    }
}
"""
)


def by_warp(values, warp):
    """Return the values of each warp, and the lanes they are in."""
    return [values[i : i + warp] for i in range(0, len(values), warp)]


def source_lanes(count, delta, width):
    """Return the lane that each lane reads of, for each of the four shuffles; its own if that is outside."""
    lane = np.arange(count)
    first = lane // width * width
    ways = first + delta % width, lane - delta, lane + delta, lane ^ delta
    inside = True, ways[1] >= first, ways[2] < first + width, ways[3] < first + width
    return [np.where(good, way, lane) for way, good in zip(ways, inside, strict=True)]


@pytest.mark.parametrize("dtype", TYPES.values())
def test_lanes_read_what_other_lanes_give(dtype, warp, checks):
    random = np.random.default_rng(1)
    x = random.integers(0, 256, 64 * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    x = np.nan_to_num(x) if dtype[0] == "f" else x
    for delta, width in [(1, warp), (5, 8), (16, 32), (31, 32), (3, 2), (0, warp)]:
        empty = np.zeros((9, 64), dtype)
        result = launch(SOURCE, f"shuffles_{dtype}", 1, 64, x, empty, delta, width, 64, warp=warp, checks=checks)[1]
        lanes = source_lanes(warp, delta, width)
        for row, source in enumerate([*lanes, *lanes, source_lanes(warp, delta, warp)[0]]):
            right = np.concatenate([each[source] for each in by_warp(x, warp)])
            np.testing.assert_array_equal(result[row], right, str((row, delta, width)))


def mask(bits):
    return sum(1 << int(lane) for lane in np.flatnonzero(bits))


def votes_of(x):
    """Return what each lane of a warp sees, as rows."""
    lane = np.arange(len(x))
    odd = lane % 2
    positive, nonzero = mask(x > 0), [mask((x != 0) & (odd == parity)) for parity in (0, 1)]
    everyone = (1 << len(x)) - 1
    same = [mask(x == each) for each in x]
    alike = np.all(x >> 8 == x[0] >> 8)
    rows = [
        [positive] * len(x), [np.any(x > 8)] * len(x), [np.all(x > -8)] * len(x),
        [np.all(x > -8) or not np.any(x > -8)] * len(x), [nonzero[parity] for parity in odd],
        [positive] * len(x), [np.any(x > 8)] * len(x), [np.all(x > -8)] * len(x), [everyone] * len(x),
        [positive if each > 0 else 0 for each in x], same, same, [everyone if alike else 0] * len(x),
        [alike] * len(x), [mask((x == each) & (odd == parity)) for each, parity in zip(x, odd, strict=True)],
    ]  # fmt: skip
    return np.array([[int(value) for value in row] for row in rows], "u8")


@pytest.mark.parametrize("seed", range(4))
def test_votes_and_matches_are_those_of_the_lanes_that_take_part(warp, seed, checks):
    random = np.random.default_rng(seed)
    x = random.integers([-1, -9, 1, 9][seed], [2, 10, 2, 300][seed], BLOCK).astype("i4")
    empty = np.zeros((17, BLOCK), "u8")
    result = launch(SOURCE, "votes", 1, BLOCK, x, empty, BLOCK, seed=seed, warp=warp, checks=checks)[1]
    right = np.concatenate([votes_of(each) for each in by_warp(x, warp)], axis=1)
    for row in range(15):
        np.testing.assert_array_equal(result[row], right[row], str(row))
    lane = np.arange(BLOCK) % warp
    np.testing.assert_array_equal(result[15], lane + 100 * (warp - 1 - lane) + 10000 * lane)
    assert np.all(result[16] == warp)


def test_reductions_are_those_of_numpy(warp, checks):
    x = np.random.default_rng(2).integers(0, 2**32, BLOCK, "u4")
    empty = np.zeros((9, BLOCK), "u4")
    result = launch(SOURCE, "reductions", 1, BLOCK, x, empty, BLOCK, warp=warp, checks=checks)[1]
    for begin in range(0, BLOCK, warp):
        part, signed = x[begin : begin + warp], x[begin : begin + warp].view("i4")
        rows = result[:, begin : begin + warp]
        right = [part.sum(dtype="u4"), part.min(), part.max(), signed.min().view("u4"), signed.max().view("u4"),
                 np.bitwise_and.reduce(part | 7), np.bitwise_or.reduce(part & 7),
                 np.bitwise_xor.reduce(part)]  # fmt: skip
        for row, value in enumerate(right):
            assert np.all(rows[row] == value), row
        assert np.all(rows[8, ::2] == part[::2].sum(dtype="u4"))
        assert np.all(rows[8, 1::2] == part[1::2].sum(dtype="u4"))


def test_a_tree_of_shuffles_sums_a_warp(warp):
    x = np.arange(128, dtype="f4")
    result = launch(SOURCE, "sum_of_warp", 1, 128, x, np.zeros(128 // warp, "f4"), warp=warp)[1]
    np.testing.assert_array_equal(result, x.reshape(-1, warp).sum(axis=1))


def test_syncwarp_orders_accesses_of_shared_memory(warp):
    x = np.random.default_rng(3).integers(0, 1000, warp, "i4")
    result = launch(SOURCE, "exchange_in_shared_memory", 1, warp, x, warp=warp)[0]
    np.testing.assert_array_equal(result, np.roll(x, -3) + 3)


def test_lanes_pull_and_push_values():
    random = np.random.default_rng(5)
    x, lanes = random.integers(0, 1000, 64).astype("i4"), random.permutation(64).astype("i4")
    result = launch(SOURCE, "permutations", 1, 64, x, lanes, *np.zeros((3, 64), "i4"), warp=64)
    np.testing.assert_array_equal(result[2], x[lanes])
    np.testing.assert_array_equal(result[3], x[np.argsort(lanes)])
    assert np.all(result[4] == x[0])
