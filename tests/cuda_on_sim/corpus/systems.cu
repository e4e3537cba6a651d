// Small linear systems, a block or a thread for each.
#include "lanes.cuh"

extern "C" __global__ void cholesky(const double* matrices, double* factors) {
    __shared__ double a[16][17];
    const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.x * 16 + y) * 16 + x;
    a[y][x] = matrices[at];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        if (x == k && y == k) a[k][k] = sqrt(a[k][k]);
        __syncthreads();
        if (x == k && y > k) a[y][k] /= a[k][k];
        __syncthreads();
        if (x > k && y >= x) a[y][x] -= a[y][k] * a[x][k];
        __syncthreads();
    }
    factors[at] = x <= y ? a[y][x] : 0;
}

// Without pivots; both factors in one matrix.
extern "C" __global__ void lu(const double* matrices, double* factors) {
    __shared__ double a[16][16];
    const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.x * 16 + y) * 16 + x;
    a[y][x] = matrices[at];
    for (int k = 0; k < 15; ++k) {
        __syncthreads();
        if (x == k && y > k) a[y][k] /= a[k][k];
        __syncthreads();
        if (x > k && y > k) a[y][x] -= a[y][k] * a[k][x];
    }
    factors[at] = a[y][x];
}

// Gauss and Jordan with the largest pivot of a column, which a warp finds.
extern "C" __global__ void solve(const float* matrices, const float* right, float* solutions, int n) {
    __shared__ float a[8][9];
    __shared__ int pivot;
    const int t = threadIdx.x;
    for (int i = t; i < n * n; i += blockDim.x) a[i / n][i % n] = matrices[blockIdx.x * n * n + i];
    if (t < n) a[t][n] = right[blockIdx.x * n + t];
    for (int k = 0; k < n; ++k) {
        __syncthreads();
        if (t == 0) {
            pivot = k;
            for (int i = k + 1; i < n; ++i)
                if (fabsf(a[i][k]) > fabsf(a[pivot][k])) pivot = i;
        }
        __syncthreads();
        if (t <= n) {
            const float kept = a[k][t];
            a[k][t] = a[pivot][t];
            a[pivot][t] = kept;
        }
        __syncthreads();
        float factor = 0;
        const int row = t / (n + 1), column = t % (n + 1);
        if (row < n && row != k) factor = a[row][k] / a[k][k];
        __syncthreads();
        if (row < n && row != k) a[row][column] -= factor * a[k][column];
    }
    __syncthreads();
    if (t < n) solutions[blockIdx.x * n + t] = a[t][n] / a[t][t];
}

// Thomas: a thread solves a tridiagonal system, with its temporaries in local memory.
extern "C" __global__ void tridiagonal(const double* low, const double* middle, const double* high, const double* right,
                                       double* solutions, int systems) {
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    double factor[12], value[12];
    factor[0] = high[s] / middle[s];
    value[0] = right[s] / middle[s];
    for (int i = 1; i < 12; ++i) {
        const int at = i * systems + s;
        const double divisor = middle[at] - low[at] * factor[i - 1];
        factor[i] = high[at] / divisor;
        value[i] = (right[at] - low[at] * value[i - 1]) / divisor;
    }
    solutions[11 * systems + s] = value[11];
    for (int i = 10; i >= 0; --i) {
        value[i] -= factor[i] * value[i + 1];
        solutions[i * systems + s] = value[i];
    }
}

// Cyclic reduction: each step doubles the distance of the neighbours.
extern "C" __global__ void cyclic_reduction(const double* low, const double* middle, const double* high, const double* right,
                                            double* solution, int n) {
    extern __shared__ double memory[];
    double *a = memory, *b = a + n, *c = b + n, *d = c + n;
    const int t = threadIdx.x;
    a[t] = low[t], b[t] = middle[t], c[t] = high[t], d[t] = right[t];
    for (int by = 1; by < n; by *= 2) {
        __syncthreads();
        double na = 0, nb = b[t], nc = 0, nd = d[t];
        if (t >= by) {
            const double f = a[t] / b[t - by];
            na = -f * a[t - by], nb -= f * c[t - by], nd -= f * d[t - by];
        }
        if (t + by < n) {
            const double f = c[t] / b[t + by];
            nc = -f * c[t + by], nb -= f * a[t + by], nd -= f * d[t + by];
        }
        __syncthreads();
        a[t] = na, b[t] = nb, c[t] = nc, d[t] = nd;
    }
    solution[t] = d[t] / b[t];
}

// The vector in registers of a warp; a column after the other.
extern "C" __global__ void substitute(const double* lower, const double* right, double* solution) {
    const int lane = threadIdx.x;
    double mine = lane < 32 ? right[lane] : 0;
    for (int k = 0; k < 32; ++k) {
        if (lane == k) mine /= lower[k * 32 + k];
        const double known = __shfl_sync(EVERY, mine, k);
        if (lane > k && lane < 32) mine -= lower[lane * 32 + k] * known;
    }
    if (lane < 32) solution[lane] = mine;
}

// Steps of the power method in one block.
extern "C" __global__ void power_method(const double* matrix, double* vector, double* value, int steps) {
    __shared__ double v[64], squares[64];
    const int t = threadIdx.x;
    v[t] = 1;
    __syncthreads();
    double length = 1;
    for (int step = 0; step < steps; ++step) {
        double sum = 0;
        for (int i = 0; i < 64; ++i) sum += matrix[t * 64 + i] * v[i];
        squares[t] = sum * sum;
        for (int by = 32; by > 0; by /= 2) {
            __syncthreads();
            if (t < by) squares[t] += squares[t + by];
        }
        __syncthreads();
        length = sqrt(squares[0]);
        v[t] = sum / length;
        __syncthreads();
    }
    vector[t] = v[t];
    if (t == 0) *value = length;
}
