// Numbers of 16 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "lanes.cuh"

extern "C" __global__ void half_saxpy(const half* x, half* y, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __hfma(__float2half(a), x[i], y[i]);
}

// Products in pairs, the sum in float.
extern "C" __global__ void half_dot(const half* x, const half* y, float* result, int n) {
    __shared__ float sums[128];
    const half2 *pairs_x = reinterpret_cast<const half2*>(x), *pairs_y = reinterpret_cast<const half2*>(y);
    float sum = 0;
    for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
        const float2 product = __half22float2(__hmul2(pairs_x[i], pairs_y[i]));
        sum += product.x + product.y;
    }
    sums[threadIdx.x] = sum;
    for (int by = 64; by > 0; by /= 2) {
        __syncthreads();
        if (threadIdx.x < by) sums[threadIdx.x] += sums[threadIdx.x + by];
    }
    if (threadIdx.x == 0) *result = sums[0];
}

extern "C" __global__ void bf16_sums(const __nv_bfloat16* in, float* out, int columns) {
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += WARP) sum += __bfloat162float(in[blockIdx.x * columns + i]);
    for (int by = WARP / 2; by > 0; by /= 2) sum += __shfl_down_sync(EVERY, sum, by);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

extern "C" __global__ void half_matmul(const half* a, const half* b, half* c, int n) {
    __shared__ half of_a[8][8], of_b[8][8];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
    float sum = 0;
    for (int first = 0; first < n; first += 8) {
        of_a[y][x] = a[row * n + first + x];
        of_b[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum += __half2float(of_a[y][i]) * __half2float(of_b[i][x]);
        __syncthreads();
    }
    c[row * n + column] = __float2half(sum);
}
