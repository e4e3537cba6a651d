// What the lanes of a warp do together.
#include "lanes.cuh"

__device__ lanes before_me() { return ((lanes)1 << threadIdx.x % WARP) - 1; }

// Those that are kept, in order within the warp; one atomic for each warp.
extern "C" __global__ void ballot_compaction(const int* in, int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool keep = i < n && in[i] % 2;
    const lanes kept = __ballot_sync(EVERY, keep);
    int first = 0;
    if (threadIdx.x % WARP == 0) first = atomicAdd(count, COUNT(kept));
    first = __shfl_sync(EVERY, first, 0);
    if (keep) out[first + COUNT(kept & before_me())] = in[i];
}

// Only the lanes that want to add, whichever they are.
extern "C" __global__ void aggregated_count(const int* values, int* count, int limit, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && values[i] > limit) {
        const lanes active = __activemask();
        if (COUNT(active & before_me()) == 0) atomicAdd(count, COUNT(active));
    }
}

// Lanes with the same key: the first adds for all.
extern "C" __global__ void match_any_histogram(const int* keys, int* counts) {
    const int key = keys[blockIdx.x * blockDim.x + threadIdx.x];
    const lanes same = __match_any_sync(EVERY, key);
    if (threadIdx.x % WARP == FIRST(same)) atomicAdd(&counts[key], COUNT(same));
}

extern "C" __global__ void all_equal(const int* values, int* equal) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int same = 0;
    __match_all_sync(EVERY, values[i], &same);
    equal[i] = same;
}

extern "C" __global__ void votes(const int* values, int* any, int* all) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    any[i] = __any_sync(EVERY, values[i] > 90);
    all[i] = __all_sync(EVERY, values[i] > 10);
}

// Parts of a warp of eight lanes each.
extern "C" __global__ void sums_of_eight(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    for (int by = 4; by > 0; by /= 2) sum += __shfl_xor_sync(EVERY, sum, by, 8);
    out[i] = __shfl_sync(EVERY, sum, 0, 8);
}

// Lanes in reverse order.
extern "C" __global__ void reverse_in_warp(const double* in, double* out) {
    const int lane = threadIdx.x % WARP, i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_sync(EVERY, in[i], WARP - 1 - lane);
}

// Half of the lanes at a time, each half with a mask of its own.
extern "C" __global__ void halves_apart(const int* in, int* out) {
    const int lane = threadIdx.x % WARP, i = blockIdx.x * blockDim.x + threadIdx.x;
    const lanes odd = (lanes)0xaaaaaaaaaaaaaaaaull, even = ~odd;
    int sum = in[i];
    if (lane % 2) {
        for (int by = WARP / 2; by > 1; by /= 2) sum += __shfl_xor_sync(odd, sum, by);
    } else {
        for (int by = WARP / 2; by > 1; by /= 2) sum = max(sum, __shfl_xor_sync(even, sum, by));
    }
    out[i] = sum;
}

// Tiles of a warp in shared memory, between barriers of the warp.
extern "C" __global__ void transpose_in_warp(const int* in, int* out) {
    __shared__ int tiles[128 / 32][32][9];
    const int tile = threadIdx.x / 32, t = threadIdx.x % 32;
    const int* mine = in + (blockIdx.x * 4 + tile) * 256;
    for (int k = 0; k < 8; ++k) tiles[tile][t][k] = mine[k * 32 + t];
    __syncwarp();
    for (int k = 0; k < 8; ++k) {
        const int i = k * 32 + t;
        out[(blockIdx.x * 4 + tile) * 256 + i] = tiles[tile][i / 8][i % 8];
    }
}
