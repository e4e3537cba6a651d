// Cooperative groups.
#include <cooperative_groups.h>

#include "lanes.cuh"

namespace cg = cooperative_groups;

extern "C" __global__ void sum_of_block(const int* values, int* sums) {
    __shared__ int part[128];
    cg::thread_block block = cg::this_thread_block();
    const unsigned t = block.thread_rank();
    part[t] = values[blockIdx.x * block.size() + t];
    for (unsigned by = block.size() / 2; by > 0; by /= 2) {
        block.sync();
        if (t < by) part[t] += part[t + by];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

template <unsigned Size>
__device__ int sum_of_tile(cg::thread_block_tile<Size> tile, int value) {
    for (unsigned by = Size / 2; by > 0; by /= 2) value += tile.shfl_down(value, by);
    return value;
}

extern "C" __global__ void sums_of_tiles(const int* values, int* of_four, int* of_32) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<4> four = cg::tiled_partition<4>(block);
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int small = sum_of_tile(four, values[i]), large = sum_of_tile(warp, values[i]);
    if (four.thread_rank() == 0) of_four[i / 4] = small;
    if (warp.thread_rank() == 0) of_32[i / 32] = large;
}

// The lanes that are here: the first adds for all.
extern "C" __global__ void coalesced_count(const int* values, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(count, (int)active.size());
    }
}

// Shared memory of each tile, with the barrier of the tile only.
extern "C" __global__ void reverse_in_tiles(const int* values, int* out) {
    __shared__ int part[128];
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int t = threadIdx.x, first = t / 16 * 16;
    part[t] = values[blockIdx.x * 128 + t];
    tile.sync();
    out[blockIdx.x * 128 + t] = part[first + 15 - (int)tile.thread_rank()];
}
