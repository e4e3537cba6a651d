"""Cooperative groups of blocks, tiles and coalesced threads, in warps of 32 and 64 lanes, against Python."""

import numpy as np
import pytest

from accel.errors import KernelRaceError

from .gpu import launch

SOURCE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

struct Three {
    long long a, b, c;
};

extern "C" __global__ void tiles(const int* x, int* to, int n) {
    auto block = cg::this_thread_block();
    const int r = block.thread_rank(), v = x[r];
    auto tile = cg::tiled_partition<16>(block);
    cg::thread_block_tile<16> same = tile;
    auto part = cg::tiled_partition<4>(tile);
    int row = 0;
    auto put = [&](int value) { to[row++ * n + r] = value; };
    put(tile.thread_rank());
    put(same.shfl(v, 3));
    put(tile.shfl_down(v, 2));
    put(tile.shfl_up(v, 2));
    put(part.shfl_xor(v, 1));
    put(tile.any(v > 90));
    put(tile.all(v > 3));
    put(tile.ballot(v & 1));
    put(tile.match_any(v % 3));
    put(tile.meta_group_rank() * 100 + tile.meta_group_size());
    put(part.meta_group_rank() * 100 + part.meta_group_size());
    put(cg::reduce(tile, v, cg::plus<int>()));
    put(cg::reduce(part, float(v), cg::greater<float>()));
    put(cg::reduce(tile, v, [](int a, int b) { return a * 31 + b; }));
    put(cg::inclusive_scan(tile, v));
    put(cg::exclusive_scan(tile, v));
    put(cg::exclusive_scan(tile, v, cg::less<int>()));
    put(tile.shfl(Three{v, 2 * v, 3 * v}, 5).c);
    put(float(tile.shfl(__half(float(v)), 1)));
    put(cg::invoke_one_broadcast(tile, [&] { return v; }));
}

extern "C" __global__ void some(const int* x, int* to, int n) {
    auto block = cg::this_thread_block();
    const int r = block.thread_rank(), v = x[r];
    auto put = [&](int row, int value) { to[row * n + r] = value; };
    auto tile = cg::tiled_partition<16>(block);
    put(0, cg::binary_partition(tile, v % 2).size());
    put(1, cg::reduce(cg::labeled_partition(tile, v % 3), v, cg::plus<int>()));
    cg::thread_group eight = cg::tiled_partition(block, 8);
    eight.sync();
    put(2, eight.thread_rank() * 100 + eight.size());
    if (v % 3 == 1) {
        auto active = cg::coalesced_threads();
        put(3, active.thread_rank());
        put(4, active.size());
        put(5, active.shfl(v, active.size() - 1));
        put(6, cg::reduce(active, v, cg::plus<int>()));
        put(7, active.ballot(v % 2));
        put(8, cg::tiled_partition(active, 2).size());
    }
}

extern "C" __global__ void copied(const int* x, int* to) {
    __shared__ int tile[96];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, x, sizeof(int) * block.size());
    cg::wait(block);
    to[block.thread_rank()] = tile[block.size() - 1 - block.thread_rank()];
}

extern "C" __global__ void unsynchronised(const int* x, int* to) {
    __shared__ int tile[96];
    auto block = cg::this_thread_block();
    tile[block.thread_rank()] = x[block.thread_rank()];
    to[block.thread_rank()] = tile[block.size() - 1 - block.thread_rank()];
}

extern "C" __global__ void indices(int* to) {
    auto block = cg::this_thread_block();
    auto grid = cg::this_grid();
    int* const mine = to + 8 * grid.thread_rank();
    mine[0] = block.group_index().x, mine[1] = block.thread_index().y, mine[2] = block.size();
    mine[3] = grid.size(), mine[4] = block.dim_threads().y, mine[5] = grid.dim_blocks().x;
    mine[6] = block.thread_rank(), mine[7] = cg::thread_group(block).size();
}
"""
BLOCK = 96
X = np.random.default_rng(5).integers(0, 100, BLOCK).astype(np.int32)


def rows(name, count, **settings):
    result = launch(SOURCE, name, 1, BLOCK, X, np.full((count, BLOCK), -1, np.int32), np.int32(BLOCK), **settings)
    return [row.tolist() for row in result[1]]


def by_group(groups, function):
    """Return `function(values, rank)` of the group of each thread; -1 for threads of none."""
    values = [-1] * BLOCK
    for group in groups:
        for rank, thread in enumerate(group):
            values[thread] = int(function([int(X[each]) for each in group], rank))
    return values


def of_size(size):
    return [list(range(at, min(at + size, BLOCK))) for at in range(0, BLOCK, size)]


def folded(values):
    total = values[0]
    for value in values[1:]:
        total = (total * 31 + value + 2**31) % 2**32 - 2**31
    return total


def bits(truths):
    return sum(bool(truth) << i for i, truth in enumerate(truths))


@pytest.mark.parametrize("seed", [0, 1])
def test_tiles_exchange_vote_reduce_and_scan(warp, seed):
    tiles, parts = of_size(16), of_size(4)
    expected = [
        by_group(tiles, lambda v, i: i),
        by_group(tiles, lambda v, i: v[3]),
        by_group(tiles, lambda v, i: v[i + 2] if i < 14 else v[i]),
        by_group(tiles, lambda v, i: v[i - 2] if i > 1 else v[i]),
        by_group(parts, lambda v, i: v[i ^ 1]),
        by_group(tiles, lambda v, i: max(v) > 90),
        by_group(tiles, lambda v, i: min(v) > 3),
        by_group(tiles, lambda v, i: bits([each % 2 for each in v])),
        by_group(tiles, lambda v, i: bits([each % 3 == v[i] % 3 for each in v])),
        [thread // 16 * 100 + 6 for thread in range(BLOCK)],
        [thread // 4 % 4 * 100 + 4 for thread in range(BLOCK)],
        by_group(tiles, lambda v, i: sum(v)),
        by_group(parts, lambda v, i: max(v)),
        by_group(tiles, lambda v, i: folded(v)),
        by_group(tiles, lambda v, i: sum(v[: i + 1])),
        by_group(tiles, lambda v, i: sum(v[:i])),
        by_group(tiles, lambda v, i: min(v[:i], default=2**31 - 1)),
        by_group(tiles, lambda v, i: 3 * v[5]),
        by_group(tiles, lambda v, i: v[1]),
        by_group(tiles, lambda v, i: v[0]),
    ]
    assert rows("tiles", len(expected), warp=warp, seed=seed) == expected


@pytest.mark.parametrize("seed", [0, 1])
def test_partitions_and_coalesced_threads_are_those_that_are_there(warp, seed):
    tiles = of_size(16)
    by_parity = [[t for t in tile if X[t] % 2 == parity] for tile in tiles for parity in (0, 1)]
    by_label = [[t for t in tile if X[t] % 3 == label] for tile in tiles for label in (0, 1, 2)]
    active = [[t for t in lanes if X[t] % 3 == 1] for lanes in of_size(warp)]
    expected = [
        by_group(by_parity, lambda v, i: len(v)),
        by_group(by_label, lambda v, i: sum(v)),
        by_group(of_size(8), lambda v, i: i * 100 + 8),
        by_group(active, lambda v, i: i),
        by_group(active, lambda v, i: len(v)),
        by_group(active, lambda v, i: v[-1]),
        by_group(active, lambda v, i: sum(v)),
        by_group(active, lambda v, i: (bits([each % 2 for each in v]) + 2**31) % 2**32 - 2**31),
        by_group(active, lambda v, i: min(2, len(v) - i // 2 * 2)),
    ]
    assert rows("some", len(expected), warp=warp, seed=seed) == expected


def test_a_copy_by_a_group_is_there_after_its_wait(warp):
    assert launch(SOURCE, "copied", 1, BLOCK, X, np.zeros(BLOCK, np.int32), warp=warp)[1].tolist() == X[::-1].tolist()


def test_a_missing_sync_of_a_block_is_a_race_in_the_line_of_the_kernel():
    with pytest.raises(KernelRaceError, match="tile") as raised:
        launch(SOURCE, "unsynchronised", 1, BLOCK, X, np.zeros(BLOCK, np.int32))
    frames = [frame for report in raised.value.reports for frame in report.place.frames]
    assert "unsynchronised" in {frame.function.split("(")[0] for frame in frames}


def test_groups_know_their_place_in_the_grid():
    result = launch(SOURCE, "indices", (3, 1, 1), (8, 4, 1), np.zeros((96, 8), np.int32))[0]
    expected = [[block, thread // 8, 32, 96, 4, 3, thread, 32] for block in range(3) for thread in range(32)]
    assert result.tolist() == expected
