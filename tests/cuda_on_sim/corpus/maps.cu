// One thread for each element, or a few.

extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void grid_stride(const float* x, const float* y, float* z, float a, float b, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        z[i] = a * x[i] + b * y[i];
}

// Four elements at a time, and the rest one by one.
extern "C" __global__ void scale_by_four(const float* __restrict__ in, float* __restrict__ out, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int quads = n / 4;
    if (i < quads) {
        float4 v = reinterpret_cast<const float4*>(in)[i];
        v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
        reinterpret_cast<float4*>(out)[i] = v;
    }
    int rest = quads * 4 + i;
    if (i < 4 && rest < n) out[rest] = in[rest] * factor;
}

extern "C" __global__ void grey(const unsigned char* pixels, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const uchar4 p = ((const uchar4*)pixels)[y * width + x];
    out[y * width + x] = (unsigned char)((p.x * 77 + p.y * 151 + p.z * 28) >> 8);
}

extern "C" __global__ void mandelbrot(int* steps, int width, int height, int most) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    const double re = -2.0 + 3.0 * column / width, im = -1.5 + 3.0 * row / height;
    double a = 0, b = 0;
    int k = 0;
    while (k < most && a * a + b * b <= 4.0) {
        const double next = a * a - b * b + re;
        b = 2 * a * b + im;
        a = next;
        ++k;
    }
    steps[row * width + column] = k;
}

__constant__ double coefficients[5] = {1.0, -0.5, 0.25, 2.0, -1.0};

extern "C" __global__ void polynomial(const double* x, double* y, int n) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        double value = 0;
        for (int k = 4; k >= 0; --k) value = value * x[i] + coefficients[k];
        y[i] = value;
    }
}

extern "C" __global__ void gather(const double* table, const int* index, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ldg(&table[index[i]]);
}

extern "C" __global__ void scatter(const double* in, const int* index, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}

__device__ __forceinline__ float2 times(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

extern "C" __global__ void complex_product(const float2* a, const float2* b, float2* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = times(a[i], b[i]);
}

struct Clamp {
    int low, high;
    __device__ int operator()(int v) const { return v < low ? low : v > high ? high : v; }
};

template <int Items, typename T, typename F>
__device__ void for_each(const T* in, T* out, int n, F f) {
    const int first = blockIdx.x * blockDim.x * Items + threadIdx.x;
#pragma unroll
    for (int item = 0; item < Items; ++item) {
        const int i = first + item * blockDim.x;
        if (i < n) out[i] = f(in[i]);
    }
}

extern "C" __global__ void __launch_bounds__(128) clamp(const int* in, int* out, int low, int high, int n) {
    for_each<4>(in, out, n, Clamp{low, high});
}

// A view with strides: extents and strides come with the argument.
extern "C" __global__ void shear(accel::View<const float, 2> in, accel::View<float, 2> out) {
    const long long column = blockIdx.x * (long long)blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column < in.extents[1]) out(row, (column + row) % in.extents[1]) = in(row, column);
}

// An array of structures to a structure of arrays.
struct Particle {
    float x, y, z;
    int kind;
};

extern "C" __global__ void split(const int* words, float* x, float* y, float* z, int* kind, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Particle p = reinterpret_cast<const Particle*>(words)[i];
    x[i] = p.x, y[i] = p.y, z[i] = p.z, kind[i] = p.kind;
}
