// Particles, clusters, random numbers.
#include "lanes.cuh"

// All pairs: a tile of bodies at a time is in shared memory.
extern "C" __global__ void nbody(const float* bodies_of_four, float* forces, int n) {
    extern __shared__ float4 tile[];
    const float4* bodies = reinterpret_cast<const float4*>(bodies_of_four);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = make_float4(0, 0, 0, 0);
    if (i < n) me = bodies[i];
    float3 force = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        if (first + threadIdx.x < n) tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        const int count = min((int)blockDim.x, n - first);
        for (int k = 0; k < count; ++k) {
            const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float f = tile[k].w * inverse * inverse * inverse;
            force.x += f * dx, force.y += f * dy, force.z += f * dz;
        }
        __syncthreads();
    }
    if (i < n) {
        forces[3 * i] = force.x;
        forces[3 * i + 1] = force.y;
        forces[3 * i + 2] = force.z;
    }
}

// Each point goes to the nearest centre, and is added to the new one.
extern "C" __global__ void k_means(const float* points, const float* centres, int* nearest, float* sums, int* counts, int n,
                                   int k) {
    __shared__ float of_block[8][2];
    __shared__ int in_block[8];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < k) of_block[t][0] = of_block[t][1] = 0, in_block[t] = 0;
    __syncthreads();
    if (i < n) {
        const float x = points[2 * i], y = points[2 * i + 1];
        int best = 0;
        float least = INFINITY;
        for (int c = 0; c < k; ++c) {
            const float dx = x - centres[2 * c], dy = y - centres[2 * c + 1], distance = dx * dx + dy * dy;
            if (distance < least) least = distance, best = c;
        }
        nearest[i] = best;
        atomicAdd(&of_block[best][0], x);
        atomicAdd(&of_block[best][1], y);
        atomicAdd(&in_block[best], 1);
    }
    __syncthreads();
    if (t < k) {
        atomicAdd(&sums[2 * t], of_block[t][0]);
        atomicAdd(&sums[2 * t + 1], of_block[t][1]);
        atomicAdd(&counts[t], in_block[t]);
    }
}

// Philox: random numbers from a counter, without a state.
__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
        const unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}

extern "C" __global__ void philox_numbers(unsigned* out, unsigned seed, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 drawn = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 0));
    reinterpret_cast<uint4*>(out)[i] = drawn;
}

// Pi: points within the quarter of a circle.
extern "C" __global__ void monte_carlo(unsigned long long* hits, int each, unsigned seed) {
    unsigned state = seed + 7919u * (blockIdx.x * blockDim.x + threadIdx.x);
    int inside = 0;
    for (int k = 0; k < each; ++k) {
        state = state * 1664525u + 1013904223u;
        const float x = (state >> 8) * (1.0f / 16777216);
        state = state * 1664525u + 1013904223u;
        const float y = (state >> 8) * (1.0f / 16777216);
        inside += x * x + y * y < 1;
    }
    for (int by = WARP / 2; by > 0; by /= 2) inside += __shfl_down_sync(EVERY, inside, by);
    if (threadIdx.x % WARP == 0) atomicAdd(hits, (unsigned long long)inside);
}

// Particles into the cells of a grid: counted, then placed.
extern "C" __global__ void into_cells(const float* x, int* cells, int* sizes, int n, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int cell = min(count - 1, (int)(x[i] * count));
        cells[i] = cell;
        atomicAdd(&sizes[cell], 1);
    }
}

extern "C" __global__ void leapfrog(double* x, double* v, double step, int steps, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double place = x[i], speed = v[i];
    for (int k = 0; k < steps; ++k) {
        speed -= 0.5 * step * place;
        place += step * speed;
        speed -= 0.5 * step * place;
    }
    x[i] = place;
    v[i] = speed;
}

// The price of an option: the closed formula.
__device__ float below(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

extern "C" __global__ void black_scholes(const float* price, const float* strike, const float* years, float* call, float rate,
                                         float volatility, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float spread = volatility * sqrtf(years[i]);
        const float d = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
        call[i] = price[i] * below(d) - strike[i] * expf(-rate * years[i]) * below(d - spread);
    }
}
