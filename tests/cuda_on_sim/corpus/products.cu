// Matrix times matrix, matrix times vector.
#include "lanes.cuh"

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

#define TILE 8

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        of_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
        of_b[y][x] = column < n && first + y < k ? b[(first + y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += of_a[y][i] * of_b[i][x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

// A thread computes 4 x 2 elements in registers.
extern "C" __global__ void matmul_in_registers(const float* a, const float* b, float* c, int n) {
    __shared__ float of_a[8][33], of_b[8][17];
    const int t = threadIdx.y * 8 + threadIdx.x;
    const int row = blockIdx.y * 32, column = blockIdx.x * 16;
    float sums[4][2] = {};
    for (int first = 0; first < n; first += 8) {
        for (int i = t; i < 256; i += 64) of_a[i % 8][i / 8] = a[(row + i / 8) * n + first + i % 8];
        for (int i = t; i < 128; i += 64) of_b[i / 16][i % 16] = b[(first + i / 16) * n + column + i % 16];
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            float left[4], right[2];
            for (int r = 0; r < 4; ++r) left[r] = of_a[i][threadIdx.y * 4 + r];
            for (int q = 0; q < 2; ++q) right[q] = of_b[i][threadIdx.x * 2 + q];
            for (int r = 0; r < 4; ++r)
                for (int q = 0; q < 2; ++q) sums[r][q] += left[r] * right[q];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; ++r)
        for (int q = 0; q < 2; ++q)
            c[(row + threadIdx.y * 4 + r) * n + column + threadIdx.x * 2 + q] = sums[r][q];
}

// Four elements for each load and store.
extern "C" __global__ void matmul_vectorized(const float* a, const float* b, float* c, int n) {
    __shared__ __align__(16) float of_b[16][16];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x * 4;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int first = 0; first < n; first += 16) {
        *(float4*)&of_b[threadIdx.y][threadIdx.x * 4] = *(const float4*)&b[(first + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            const float left = a[row * n + first + i];
            const float4 right = *(const float4*)&of_b[i][threadIdx.x * 4];
            sum.x += left * right.x, sum.y += left * right.y, sum.z += left * right.z, sum.w += left * right.w;
        }
        __syncthreads();
    }
    *(float4*)&c[row * n + column] = sum;
}

// While one tile is used, the next is loaded: one barrier for each step.
extern "C" __global__ void matmul_double_buffered(const float* a, const float* b, float* c, int n) {
    __shared__ float of_a[2][TILE][TILE], of_b[2][TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    of_a[0][y][x] = a[row * n + x];
    of_b[0][y][x] = b[y * n + column];
    __syncthreads();
    for (int step = 0; step < n / TILE; ++step) {
        const int now = step % 2;
        if (step + 1 < n / TILE) {
            const int first = (step + 1) * TILE;
            of_a[1 - now][y][x] = a[row * n + first + x];
            of_b[1 - now][y][x] = b[(first + y) * n + column];
        }
        for (int i = 0; i < TILE; ++i) sum += of_a[now][y][i] * of_b[now][i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// A warp for each row.
extern "C" __global__ void gemv(const float* matrix, const float* x, float* y, int rows, int columns) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (row >= rows) return;
    float sum = 0;
    for (int i = lane; i < columns; i += WARP) sum += matrix[row * columns + i] * x[i];
    for (int by = WARP / 2; by > 0; by /= 2) sum += __shfl_xor_sync(EVERY, sum, by);
    if (lane == 0) y[row] = sum;
}

// The vector in shared memory, a thread for each row.
extern "C" __global__ void gemv_by_rows(const float* matrix, const float* x, float* y, int rows, int columns) {
    __shared__ float part[64];
    const int row = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < columns; first += 64) {
        const int count = min(64, columns - first);
        if (threadIdx.x < count) part[threadIdx.x] = x[first + threadIdx.x];
        __syncthreads();
        if (row < rows)
            for (int i = 0; i < count; ++i) sum += matrix[row * columns + first + i] * part[i];
        __syncthreads();
    }
    if (row < rows) y[row] = sum;
}

// The sum over k is divided among blocks, which add to the result.
extern "C" __global__ void matmul_split(const float* a, const float* b, float* c, int n, int k) {
    const int column = threadIdx.x, row = threadIdx.y, part = k / gridDim.x, first = blockIdx.x * part;
    float sum = 0;
    for (int i = first; i < first + part; ++i) sum += a[row * k + i] * b[i * n + column];
    atomicAdd(&c[row * n + column], sum);
}
