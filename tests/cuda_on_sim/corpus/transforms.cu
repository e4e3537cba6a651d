// Fourier and Walsh-Hadamard transforms.

__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__device__ float2 unit(float turns) {
    float sine, cosine;
    sincospif(2 * turns, &sine, &cosine);
    return make_float2(cosine, sine);
}

extern "C" __global__ void dft(const float2* in, float2* out, int n) {
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    float2 sum = make_float2(0, 0);
    for (int i = 0; i < n; ++i) sum = sum + in[i] * unit(-(float)(i * k % n) / n);
    out[k] = sum;
}

// Radix 2 in shared memory: bits of the index reversed, then one stage after the other.
extern "C" __global__ void fft_in_shared(const float2* in, float2* out) {
    __shared__ float2 part[128];
    const int t = threadIdx.x;
    const float2* mine = in + blockIdx.x * 128;
    part[__brev(t) >> 25] = mine[t];
    part[__brev(t + 64) >> 25] = mine[t + 64];
    for (int half = 1; half < 128; half *= 2) {
        __syncthreads();
        const int k = t % half, low = t / half * 2 * half + k;
        const float2 a = part[low], b = part[low + half] * unit(-0.5f * k / half);
        part[low] = a + b;
        part[low + half] = a - b;
    }
    __syncthreads();
    out[blockIdx.x * 128 + t] = part[t];
    out[blockIdx.x * 128 + t + 64] = part[t + 64];
}

// Stockham: a launch for each stage, without reversal, from one array to the other.
extern "C" __global__ void stockham(const float2* from, float2* to, int n, int done) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2) return;
    const int k = i % done;
    const float2 a = from[i], b = from[i + n / 2] * unit(-0.5f * k / done);
    const int place = i / done * 2 * done + k;
    to[place] = a + b;
    to[place + done] = a - b;
}

extern "C" __global__ void walsh_hadamard(float* values) {
    extern __shared__ float part[];
    const int t = threadIdx.x, n = 2 * blockDim.x;
    part[t] = values[t];
    part[t + blockDim.x] = values[t + blockDim.x];
    for (int by = n / 2; by > 0; by /= 2) {
        __syncthreads();
        const int low = t / by * 2 * by + t % by;
        const float a = part[low], b = part[low + by];
        part[low] = a + b;
        part[low + by] = a - b;
    }
    __syncthreads();
    values[t] = part[t];
    values[t + blockDim.x] = part[t + blockDim.x];
}

// Wavelets of Haar: sums to the front, differences behind, until one sum is left.
extern "C" __global__ void haar(const float* in, float* out, int n) {
    __shared__ float part[128];
    const int t = threadIdx.x;
    part[t] = in[t];
    part[t + n / 2] = in[t + n / 2];
    for (int count = n / 2; count > 0; count /= 2) {
        __syncthreads();
        float sum = 0;
        if (t < count) {
            const float a = part[2 * t], b = part[2 * t + 1];
            out[count + t] = (a - b) / 2;
            sum = (a + b) / 2;
        }
        __syncthreads();
        if (t < count) part[t] = sum;
    }
    if (t == 0) out[0] = part[0];
}
