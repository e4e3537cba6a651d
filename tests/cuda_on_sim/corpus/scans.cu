// Sums of all that comes before.
#include "lanes.cuh"

// Hillis and Steele, with two buffers, so that a step has one barrier.
extern "C" __global__ void hillis_steele(const int* in, int* out) {
    __shared__ int buffers[2][128];
    const int t = threadIdx.x;
    int from = 0;
    buffers[0][t] = in[blockIdx.x * 128 + t];
    for (int by = 1; by < 128; by *= 2) {
        __syncthreads();
        const int to = 1 - from;
        buffers[to][t] = t >= by ? buffers[from][t] + buffers[from][t - by] : buffers[from][t];
        from = to;
    }
    out[blockIdx.x * 128 + t] = buffers[from][t];
}

// The same in place: reads and writes are apart.
extern "C" __global__ void scan_in_place(const int* in, int* out) {
    __shared__ int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        int other = 0;
        if (t >= by) other = sums[t - by];
        __syncthreads();
        sums[t] += other;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sums[t];
}

// Blelloch: up the tree, then down; exclusive.
extern "C" __global__ void blelloch(const int* in, int* out, int* totals) {
    extern __shared__ int tree[];
    const int n = 2 * blockDim.x, t = threadIdx.x, first = blockIdx.x * n;
    tree[2 * t] = in[first + 2 * t];
    tree[2 * t + 1] = in[first + 2 * t + 1];
    int step = 1;
    for (int pairs = n / 2; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0) {
        totals[blockIdx.x] = tree[n - 1];
        tree[n - 1] = 0;
    }
    for (int pairs = 1; pairs < n; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (t < pairs) {
            const int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
            const int kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    out[first + 2 * t] = tree[2 * t];
    out[first + 2 * t + 1] = tree[2 * t + 1];
}

// With a gap after every 32 elements, so that no two threads of a warp use one bank.
#define GAPPED(i) ((i) + (i) / 32)

extern "C" __global__ void blelloch_without_conflicts(const int* in, int* out) {
    __shared__ int tree[GAPPED(256)];
    const int t = threadIdx.x;
    tree[GAPPED(t)] = in[t];
    tree[GAPPED(t + 128)] = in[t + 128];
    int step = 1;
    for (int pairs = 128; pairs > 0; pairs /= 2, step *= 2) {
        __syncthreads();
        if (t < pairs) tree[GAPPED(step * (2 * t + 2) - 1)] += tree[GAPPED(step * (2 * t + 1) - 1)];
    }
    if (t == 0) tree[GAPPED(255)] = 0;
    for (int pairs = 1; pairs < 256; pairs *= 2) {
        step /= 2;
        __syncthreads();
        if (t < pairs) {
            const int left = GAPPED(step * (2 * t + 1) - 1), right = GAPPED(step * (2 * t + 2) - 1);
            const int kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    out[t] = tree[GAPPED(t)];
    out[t + 128] = tree[GAPPED(t + 128)];
}

__device__ int inclusive_in_warp(int value) {
    const int lane = threadIdx.x % WARP;
    for (int by = 1; by < WARP; by *= 2) {
        const int other = __shfl_up_sync(EVERY, value, by);
        if (lane >= by) value += other;
    }
    return value;
}

__device__ int inclusive_in_block(int value) {
    __shared__ int of_warp[1024 / WARP];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    value = inclusive_in_warp(value);
    if (lane == WARP - 1) of_warp[warp] = value;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; ++w) before += of_warp[w];
    return before + value;
}

extern "C" __global__ void scan_blocks(const int* in, int* out, int* totals, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int sum = inclusive_in_block(i < n ? in[i] : 0);
    if (i < n) out[i] = sum;
    if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = sum;
}

extern "C" __global__ void add_totals(int* out, const int* totals, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += totals[blockIdx.x - 1];
}

// One pass: a block waits for what the blocks before it have published, nearest first.
extern "C" __global__ void look_back(const int* in, int* out, volatile int* aggregates, volatile int* prefixes, int* flags,
                                     int* next_part, int n) {
    __shared__ int part, before;
    if (threadIdx.x == 0) part = atomicAdd(next_part, 1);
    __syncthreads();
    const int i = part * blockDim.x + threadIdx.x;
    const int sum = inclusive_in_block(i < n ? in[i] : 0);
    if (threadIdx.x == blockDim.x - 1) {
        aggregates[part] = sum;
        __threadfence();
        atomicExch(&flags[part], 1);
        int carried = 0;
        for (int p = part - 1; p >= 0;) {
            const int flag = atomicAdd(&flags[p], 0);
            if (flag == 0) continue;
            __threadfence();
            if (flag == 2) {
                carried += prefixes[p];
                break;
            }
            carried += aggregates[p];
            --p;
        }
        prefixes[part] = carried + sum;
        __threadfence();
        atomicExch(&flags[part], 2);
        before = carried;
    }
    __syncthreads();
    if (i < n) out[i] = before + sum;
}

// A sum starts anew at each head.
extern "C" __global__ void segmented_scan(const int* values, const int* heads, int* out) {
    __shared__ int sums[64], starts[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    sums[t] = values[i];
    starts[t] = heads[i];
    for (int by = 1; by < 64; by *= 2) {
        __syncthreads();
        int sum = sums[t], start = starts[t];
        if (t >= by) {
            if (!start) sum += sums[t - by];
            start |= starts[t - by];
        }
        __syncthreads();
        sums[t] = sum;
        starts[t] = start;
    }
    out[i] = sums[t];
}
