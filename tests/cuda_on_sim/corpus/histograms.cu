// How often each value is there.
#include "lanes.cuh"

extern "C" __global__ void histogram(const unsigned char* values, unsigned* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&counts[values[i]], 1u);
}

extern "C" __global__ void histogram_in_shared(const unsigned char* values, unsigned* counts, int n) {
    __shared__ unsigned mine[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&mine[values[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        if (mine[k] > 0) atomicAdd(&counts[k], mine[k]);
}

// A histogram for each warp, and 16 bins.
extern "C" __global__ void histogram_of_warps(const unsigned char* values, unsigned* counts, int n) {
    __shared__ unsigned of_warp[256 / WARP][16];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (lane < 16) of_warp[warp][lane] = 0;
    __syncwarp();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&of_warp[warp][values[i] >> 4], 1u);
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int w = 0; w < blockDim.x / WARP; ++w) sum += of_warp[w][threadIdx.x];
        atomicAdd(&counts[threadIdx.x], sum);
    }
}

// Counts of each thread in bytes of its own, without atomics.
extern "C" __global__ void histogram_of_threads(const unsigned char* values, unsigned* counts, int n) {
    __shared__ unsigned char of_thread[8][64];
    const int t = threadIdx.x;
    for (int k = 0; k < 8; ++k) of_thread[k][t] = 0;
    for (int i = t; i < n; i += 64) ++of_thread[values[i] >> 5][t];
    __syncthreads();
    if (t < 8) {
        unsigned sum = 0;
        for (int other = 0; other < 64; ++other) sum += of_thread[t][other];
        counts[t] = sum;
    }
}

// The grey values of a picture, spread evenly: the histogram's running sum is the table of new values.
extern "C" __global__ void equalized(const unsigned char* in, unsigned char* out, const unsigned* counts, int n) {
    __shared__ unsigned table[256];
    const int t = threadIdx.x;
    table[t] = counts[t];
    __syncthreads();
    for (int by = 1; by < 256; by *= 2) {
        const unsigned other = t >= by ? table[t - by] : 0;
        __syncthreads();
        table[t] += other;
        __syncthreads();
    }
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) out[i] = table[in[i]] * 255 / n;
}
