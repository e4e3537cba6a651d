// What layers of neural networks are made of.
#include "lanes.cuh"

__device__ float largest_in_warp(float v) {
    for (int by = WARP / 2; by > 0; by /= 2) v = fmaxf(v, __shfl_xor_sync(EVERY, v, by));
    return v;
}

__device__ float sum_in_warp(float v) {
    for (int by = WARP / 2; by > 0; by /= 2) v += __shfl_xor_sync(EVERY, v, by);
    return v;
}

// A block for each row: three passes over it.
extern "C" __global__ void softmax(const float* in, float* out, int columns) {
    __shared__ float part[64];
    const float* x = in + blockIdx.x * columns;
    const int t = threadIdx.x;
    float most = -INFINITY;
    for (int i = t; i < columns; i += 64) most = fmaxf(most, x[i]);
    part[t] = most;
    for (int by = 32; by > 0; by /= 2) {
        __syncthreads();
        if (t < by) part[t] = fmaxf(part[t], part[t + by]);
    }
    __syncthreads();
    most = part[0];
    __syncthreads();
    float sum = 0;
    for (int i = t; i < columns; i += 64) sum += expf(x[i] - most);
    part[t] = sum;
    for (int by = 32; by > 0; by /= 2) {
        __syncthreads();
        if (t < by) part[t] += part[t + by];
    }
    __syncthreads();
    sum = part[0];
    for (int i = t; i < columns; i += 64) out[blockIdx.x * columns + i] = expf(x[i] - most) / sum;
}

extern "C" __global__ void softmax_in_warp(const float* in, float* out, int rows, int columns) {
    const int row = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (row >= rows) return;
    float most = -INFINITY;
    for (int i = lane; i < columns; i += WARP) most = fmaxf(most, in[row * columns + i]);
    most = largest_in_warp(most);
    float sum = 0;
    for (int i = lane; i < columns; i += WARP) sum += expf(in[row * columns + i] - most);
    sum = sum_in_warp(sum);
    for (int i = lane; i < columns; i += WARP) out[row * columns + i] = expf(in[row * columns + i] - most) / sum;
}

// One pass: the maximum and the sum so far are corrected together.
struct Partial {
    float most, sum;
};

__device__ Partial joined(Partial a, Partial b) {
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * expf(a.most - most) + b.sum * expf(b.most - most)};
}

extern "C" __global__ void online_softmax(const float* in, float* out, int columns) {
    __shared__ Partial of_warp[128 / WARP];
    const float* x = in + blockIdx.x * columns;
    Partial mine = {-1e30f, 0};
    for (int i = threadIdx.x; i < columns; i += blockDim.x) mine = joined(mine, {x[i], 1});
    for (int by = WARP / 2; by > 0; by /= 2) {
        Partial other;
        other.most = __shfl_xor_sync(EVERY, mine.most, by);
        other.sum = __shfl_xor_sync(EVERY, mine.sum, by);
        mine = joined(mine, other);
    }
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = mine;
    __syncthreads();
    mine = of_warp[0];
    for (int w = 1; w < blockDim.x / WARP; ++w) mine = joined(mine, of_warp[w]);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = expf(x[i] - mine.most) / mine.sum;
}

extern "C" __global__ void layer_norm(const float* in, const float* scale, const float* shift, float* out, int columns,
                                      float eps) {
    __shared__ float sums[2];
    const int t = threadIdx.x, row = blockIdx.x;
    if (t < 2) sums[t] = 0;
    __syncthreads();
    float sum = 0, squares = 0;
    for (int i = t; i < columns; i += blockDim.x) {
        const float v = in[row * columns + i];
        sum += v;
        squares += v * v;
    }
    sum = sum_in_warp(sum);
    squares = sum_in_warp(squares);
    if (t % WARP == 0) {
        atomicAdd(&sums[0], sum);
        atomicAdd(&sums[1], squares);
    }
    __syncthreads();
    const float mean = sums[0] / columns, inverse = rsqrtf(sums[1] / columns - mean * mean + eps);
    for (int i = t; i < columns; i += blockDim.x)
        out[row * columns + i] = (in[row * columns + i] - mean) * inverse * scale[i] + shift[i];
}

extern "C" __global__ void bias_relu(float* activations, const float* bias, int rows, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) activations[i] = fmaxf(0.0f, activations[i] + bias[i % columns]);
}

extern "C" __global__ void embedding(const float* table, const int* tokens, float* out, int width) {
    const float* row = table + tokens[blockIdx.x] * width;
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[blockIdx.x * width + i] = row[i];
}

// Rows of the table get the gradients of all tokens that used them.
extern "C" __global__ void embedding_gradient(float* gradient, const int* tokens, const float* of_out, int width) {
    for (int i = threadIdx.x; i < width; i += blockDim.x)
        atomicAdd(&gradient[tokens[blockIdx.x] * width + i], of_out[blockIdx.x * width + i]);
}

extern "C" __global__ void max_pool(const float* in, float* out, int* from, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width / 2 || y >= height / 2) return;
    int best = 2 * y * width + 2 * x;
    for (int dy = 0; dy < 2; ++dy)
        for (int dx = 0; dx < 2; ++dx) {
            const int i = (2 * y + dy) * width + 2 * x + dx;
            if (in[i] > in[best]) best = i;
        }
    out[y * (width / 2) + x] = in[best];
    from[y * (width / 2) + x] = best;
}

extern "C" __global__ void adam(float* weights, const float* gradient, float* m, float* v, float rate, int step, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float g = gradient[i];
    m[i] = 0.9f * m[i] + 0.1f * g;
    v[i] = 0.999f * v[i] + 0.001f * g * g;
    const float first = m[i] / (1 - powf(0.9f, step)), second = v[i] / (1 - powf(0.999f, step));
    weights[i] -= rate * first / (sqrtf(second) + 1e-8f);
}

// Attention of one query for each block: scores, softmax, the weighted sum of the values.
extern "C" __global__ void attention(const float* queries, const float* keys, const float* values, float* out, int length,
                                     int width) {
    extern __shared__ float memory[];
    float* query = memory;
    float* scores = memory + width;
    const int t = threadIdx.x;
    if (t < width) query[t] = queries[blockIdx.x * width + t];
    __syncthreads();
    for (int k = t; k < length; k += blockDim.x) {
        float score = 0;
        for (int i = 0; i < width; ++i) score += query[i] * keys[k * width + i];
        scores[k] = score * rsqrtf((float)width);
    }
    __syncthreads();
    if (t < width) {
        float most = scores[0];
        for (int k = 1; k < length; ++k) most = fmaxf(most, scores[k]);
        float sum = 0, total = 0;
        for (int k = 0; k < length; ++k) {
            const float weight = __expf(scores[k] - most);
            sum += weight;
            total += weight * values[k * width + t];
        }
        out[blockIdx.x * width + t] = total / sum;
    }
}
