// Sparse matrices times vectors.
#include "lanes.cuh"

// A thread for each row.
extern "C" __global__ void csr_by_rows(const int* starts, const int* columns, const float* values, const float* x, float* y,
                                       int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}

// A warp for each row.
extern "C" __global__ void csr_by_warps(const int* starts, const int* columns, const float* values, const float* x, float* y,
                                        int rows) {
    const int lane = threadIdx.x % WARP;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; row < rows; row += gridDim.x * blockDim.x / WARP) {
        float sum = 0;
        for (int k = starts[row] + lane; k < starts[row + 1]; k += WARP) sum += values[k] * x[columns[k]];
        for (int by = WARP / 2; by > 0; by /= 2) sum += __shfl_down_sync(EVERY, sum, by);
        if (lane == 0) y[row] = sum;
    }
}

// Rows of equal length, stored by columns; -1 where there is nothing.
extern "C" __global__ void ell(const int* columns, const float* values, const float* x, float* y, int rows, int width) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < width; ++k) {
        const int column = columns[k * rows + row];
        if (column >= 0) sum += values[k * rows + row] * x[column];
    }
    y[row] = sum;
}

extern "C" __global__ void coo(const int* rows, const int* columns, const float* values, const float* x, float* y, int count) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) atomicAdd(&y[rows[k]], values[k] * x[columns[k]]);
}

// The lengths of rows, then their places: the second half of a conversion.
extern "C" __global__ void count_rows(const int* rows, int* lengths, int count) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) atomicAdd(lengths + rows[k], 1);
}

extern "C" __global__ void starts_of_rows(const int* lengths, int* starts, int rows) {
    __shared__ int sums[64];
    const int t = threadIdx.x;
    sums[t] = t < rows ? lengths[t] : 0;
    __syncthreads();
    for (int by = 1; by < 64; by *= 2) {
        const int other = t >= by ? sums[t - by] : 0;
        __syncthreads();
        sums[t] += other;
        __syncthreads();
    }
    if (t < rows) starts[t + 1] = sums[t];
    if (t == 0) starts[0] = 0;
}

extern "C" __global__ void place_entries(const int* rows, const int* columns, const int* starts, int* used, int* placed,
                                         int count) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    const int place = starts[rows[k]] + atomicAdd(&used[rows[k]], 1);
    placed[place] = columns[k];
}
