// Many numbers to one.
#include "lanes.cuh"

extern "C" __global__ void tree_sum(const int* values, int* sums, int n) {
    __shared__ int part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? values[i] : 0;
    __syncthreads();
    for (int by = blockDim.x / 2; by > 0; by /= 2) {
        if (threadIdx.x < by) part[threadIdx.x] += part[threadIdx.x + by];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// The threads that add are the first of each pair, as in the first versions of the field.
extern "C" __global__ void interleaved_sum(const int* values, int* sums) {
    extern __shared__ int part[];
    const unsigned t = threadIdx.x;
    part[t] = values[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (unsigned by = 1; by < blockDim.x; by *= 2) {
        if (t % (2 * by) == 0) part[t] += part[t + by];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

template <typename T>
__device__ T warp_sum(T value) {
    for (int by = WARP / 2; by > 0; by /= 2) value += __shfl_down_sync(EVERY, value, by);
    return value;
}

template <typename T>
__device__ T block_sum(T value) {
    __shared__ T of_warp[1024 / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    value = warp_sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / WARP ? of_warp[lane] : T(0);
    if (warp == 0) value = warp_sum(value);
    return value;
}

extern "C" __global__ void shuffle_sum(const double* values, double* total, int n) {
    double mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += values[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) atomicAdd(total, mine);
}

extern "C" __global__ void atomic_sum(const int* values, int* total, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, values[i]);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(total, sum);
}

// The last block to finish adds the sums of all blocks.
__device__ unsigned finished = 0;

extern "C" __global__ void last_block_sum(const float* values, float* partial, float* total, int n) {
    __shared__ bool is_last;
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += values[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x - 1);
        is_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        float sum = 0;
        for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
        *total = sum;
    }
}

extern "C" __global__ void largest(const float* values, int* bits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(bits, __float_as_int(fabsf(values[i])));
}

// The value above, the index below: one atomic minimum gives both.
extern "C" __global__ void position_of_least(const unsigned* values, unsigned long long* best, int n) {
    __shared__ unsigned long long least;
    if (threadIdx.x == 0) least = ~0ull;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMin(&least, (unsigned long long)values[i] << 32 | i);
    __syncthreads();
    if (threadIdx.x == 0) atomicMin(best, least);
}

extern "C" __global__ void column_sums(const float* matrix, float* sums, int rows, int columns) {
    __shared__ float part[8][33];
    const int column = blockIdx.x * 32 + threadIdx.x;
    float mine = 0;
    if (column < columns)
        for (int row = threadIdx.y; row < rows; row += 8) mine += matrix[row * columns + column];
    part[threadIdx.y][threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.y == 0 && column < columns) {
        float sum = 0;
        for (int k = 0; k < 8; ++k) sum += part[k][threadIdx.x];
        sums[column] = sum;
    }
}

extern "C" __global__ void dot(const double* x, const double* y, double* result, int n) {
    extern __shared__ double products[];
    double mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i] * y[i];
    products[threadIdx.x] = mine;
    for (int by = blockDim.x / 2; by >= 1; by >>= 1) {
        __syncthreads();
        if (threadIdx.x < by) products[threadIdx.x] += products[threadIdx.x + by];
    }
    if (threadIdx.x == 0) *result = products[0];
}

extern "C" __global__ void count_above(const float* values, float limit, int* counts, int* any, int* all) {
    const int above = values[blockIdx.x * blockDim.x + threadIdx.x] > limit;
    const int count = __syncthreads_count(above);
    const int some = __syncthreads_or(above);
    const int every = __syncthreads_and(above);
    if (threadIdx.x == 0) counts[blockIdx.x] = count, any[blockIdx.x] = some != 0, all[blockIdx.x] = every != 0;
}

// Two arrays in dynamic shared memory, one behind the other.
extern "C" __global__ void range_of(const short* values, short* least, short* most, int n) {
    extern __shared__ short memory[];
    short* low = memory;
    short* high = memory + blockDim.x;
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    low[t] = i < n ? values[i] : 32767;
    high[t] = i < n ? values[i] : -32768;
    for (int by = blockDim.x / 2; by > 0; by /= 2) {
        __syncthreads();
        if (t < by) {
            low[t] = min(low[t], low[t + by]);
            high[t] = max(high[t], high[t + by]);
        }
    }
    if (t == 0) least[blockIdx.x] = low[0], most[blockIdx.x] = high[0];
}

extern "C" __global__ void sums_by_key(const int* keys, const int* values, int* sums, int n, int kinds) {
    extern __shared__ int of_key[];
    for (int k = threadIdx.x; k < kinds; k += blockDim.x) of_key[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&of_key[keys[i]], values[i]);
    __syncthreads();
    for (int k = threadIdx.x; k < kinds; k += blockDim.x)
        if (of_key[k]) atomicAdd(&sums[k], of_key[k]);
}

// Each thread adds several elements before the tree.
extern "C" __global__ void unrolled_sum(const int* values, int* sums, int n) {
    __shared__ int part[128];
    const int t = threadIdx.x;
    int i = blockIdx.x * 256 + t, mine = 0;
    if (i < n) mine += values[i];
    if (i + 128 < n) mine += values[i + 128];
    part[t] = mine;
    __syncthreads();
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
    if (t < 32) part[t] += part[t + 32];
    __syncthreads();
    if (t < 32) {
        int sum = part[t];
        for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by, 32);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}

// No shuffles: shared memory within a warp, with a barrier of the warp between reads and writes.
extern "C" __global__ void warp_synchronous_sum(const int* values, int* sums) {
    __shared__ int part[128];
    const int t = threadIdx.x, lane = t % 32;
    part[t] = values[blockIdx.x * 128 + t];
    __syncwarp();
    for (int by = 16; by > 0; by /= 2) {
        int other = lane < by ? part[t + by] : 0;
        __syncwarp();
        part[t] += other;
        __syncwarp();
    }
    if (lane == 0) sums[blockIdx.x * 4 + t / 32] = part[t];
}
