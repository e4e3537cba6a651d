// Into ascending order.
#include "lanes.cuh"

extern "C" __global__ void bitonic_in_shared(int* values) {
    __shared__ int part[128];
    const unsigned t = threadIdx.x;
    int* mine = values + blockIdx.x * 128;
    part[t] = mine[t];
    part[t + 64] = mine[t + 64];
    for (unsigned size = 2; size <= 128; size *= 2)
        for (unsigned by = size / 2; by > 0; by /= 2) {
            __syncthreads();
            const unsigned low = 2 * t - (t & (by - 1)), high = low + by;
            const bool upwards = (low & size) == 0;
            const int a = part[low], b = part[high];
            if ((a > b) == upwards) {
                part[low] = b;
                part[high] = a;
            }
        }
    __syncthreads();
    mine[t] = part[t];
    mine[t + 64] = part[t + 64];
}

extern "C" __global__ void bitonic_step(float* values, unsigned by, unsigned size, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ by;
    if (i < n && other > i) {
        const bool upwards = (i & size) == 0;
        if ((values[i] > values[other]) == upwards) {
            const float kept = values[i];
            values[i] = values[other];
            values[other] = kept;
        }
    }
}

extern "C" __global__ void odd_even_sort(short* values, int n) {
    __shared__ short part[128];
    const int t = threadIdx.x;
    if (2 * t < n) part[2 * t] = values[2 * t];
    if (2 * t + 1 < n) part[2 * t + 1] = values[2 * t + 1];
    for (int round = 0; round < n; ++round) {
        __syncthreads();
        const int i = 2 * t + round % 2;
        if (i + 1 < n && part[i] > part[i + 1]) {
            const short kept = part[i];
            part[i] = part[i + 1];
            part[i + 1] = kept;
        }
    }
    __syncthreads();
    if (2 * t < n) values[2 * t] = part[2 * t];
    if (2 * t + 1 < n) values[2 * t + 1] = part[2 * t + 1];
}

// One bit at a time: zeros to the front, ones behind them, by a scan of the bits.
extern "C" __global__ void radix_sort(unsigned* values, int bits) {
    __shared__ unsigned keys[128];
    __shared__ int zeros_before[129];
    const int t = threadIdx.x;
    keys[t] = values[blockIdx.x * 128 + t];
    for (int bit = 0; bit < bits; ++bit) {
        __syncthreads();
        const unsigned key = keys[t];
        const int is_zero = !(key >> bit & 1);
        zeros_before[t + 1] = is_zero;
        if (t == 0) zeros_before[0] = 0;
        __syncthreads();
        for (int by = 1; by < 128; by *= 2) {
            const int other = t + 1 > by ? zeros_before[t + 1 - by] : 0;
            __syncthreads();
            zeros_before[t + 1] += other;
            __syncthreads();
        }
        const int zeros = zeros_before[128];
        keys[is_zero ? zeros_before[t] : zeros + t - zeros_before[t]] = key;
    }
    __syncthreads();
    values[blockIdx.x * 128 + t] = keys[t];
}

// Each thread finds by bisection where its part of the merged sequence begins in both, and merges it.
extern "C" __global__ void merge_path(const int* a, int na, const int* b, int nb, int* out, int each) {
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each, n = na + nb;
    if (first >= n) return;
    int low = max(0, first - nb), high = min(first, na);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[first - 1 - middle]) low = middle + 1;
        else high = middle;
    }
    int i = low, j = first - low;
    for (int k = first; k < min(first + each, n); ++k) {
        if (j >= nb || (i < na && a[i] <= b[j])) out[k] = a[i++];
        else out[k] = b[j++];
    }
}

// The place of an element is the number of those that come before it.
extern "C" __global__ void rank_sort(const float* values, float* sorted, int n) {
    __shared__ float part[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const float mine = i < n ? values[i] : 0;
    int rank = 0;
    for (int first = 0; first < n; first += 64) {
        if (first + threadIdx.x < n) part[threadIdx.x] = values[first + threadIdx.x];
        __syncthreads();
        const int count = min(64, n - first);
        for (int k = 0; k < count; ++k) rank += part[k] < mine || (part[k] == mine && first + k < i);
        __syncthreads();
    }
    if (i < n) sorted[rank] = mine;
}

// A warp sorts a value of each lane, by shuffles.
extern "C" __global__ void sort_in_warp(int* values) {
    const unsigned lane = threadIdx.x % WARP;
    int mine = values[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned size = 2; size <= WARP; size *= 2)
        for (unsigned by = size / 2; by > 0; by /= 2) {
            const int other = __shfl_xor_sync(EVERY, mine, by);
            const bool smaller = ((lane & by) == 0) == ((lane & size) == 0);
            mine = smaller ? min(mine, other) : max(mine, other);
        }
    values[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

// Numbers of few kinds: count, scan, and place by atomic increments.
extern "C" __global__ void counting_sort(const unsigned char* values, unsigned char* sorted, int n) {
    __shared__ int counts[32], next[32];
    const int t = threadIdx.x;
    if (t < 32) counts[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) atomicAdd(&counts[values[i]], 1);
    __syncthreads();
    if (t < 32) {
        int before = 0;
        for (int k = 0; k < t; ++k) before += counts[k];
        next[t] = before;
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) sorted[atomicAdd(&next[values[i]], 1)] = values[i];
}
