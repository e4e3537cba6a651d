// An element from its neighbours.

#define RADIUS 3

extern "C" __global__ void stencil(const int* in, int* out, int n) {
    __shared__ int part[64 + 2 * RADIUS];
    const int i = blockIdx.x * 64 + threadIdx.x, here = threadIdx.x + RADIUS;
    if (i < n) part[here] = in[i];
    if (threadIdx.x < RADIUS) {
        part[here - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        part[here + 64] = i + 64 < n ? in[i + 64] : 0;
    }
    if (i >= n && i < n + RADIUS) part[here] = 0;
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int by = -RADIUS; by <= RADIUS; ++by) sum += part[here + by];
        out[i] = sum;
    }
}

// Five points; the halo is loaded by the threads at the border.
extern "C" __global__ void five_points(const float* in, float* out, int width, int height) {
    __shared__ float tile[10][18];
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const bool inside = x < width && y < height;
    if (inside) {
        tile[ty][tx] = in[y * width + x];
        if (threadIdx.x == 0 && x > 0) tile[ty][0] = in[y * width + x - 1];
        if (threadIdx.x == 15 && x + 1 < width) tile[ty][17] = in[y * width + x + 1];
        if (threadIdx.y == 0 && y > 0) tile[0][tx] = in[(y - 1) * width + x];
        if (threadIdx.y == 7 && y + 1 < height) tile[9][tx] = in[(y + 1) * width + x];
    }
    __syncthreads();
    if (inside && x > 0 && y > 0 && x < width - 1 && y < height - 1)
        out[y * width + x] =
            0.2f * (tile[ty][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

// Seven points: a thread walks along z, and keeps what is below and above in registers.
extern "C" __global__ void seven_points(const float* in, float* out, int nx, int ny, int nz) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    const int plane = nx * ny;
    int i = plane + y * nx + x;
    float below = in[i - plane], here = in[i];
    for (int z = 1; z < nz - 1; ++z, i += plane) {
        const float above = in[i + plane];
        out[i] = below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 6 * here;
        below = here;
        here = above;
    }
}

extern "C" __global__ void jacobi(const double* from, double* to, int n, double* change) {
    __shared__ double moved;
    if (threadIdx.x == 0) moved = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        to[i] = (from[i - 1] + from[i + 1]) / 2;
        atomicAdd(&moved, fabs(to[i] - from[i]));
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(change, moved);
}

extern "C" __global__ void wave(const float* before, const float* now, float* next, int width, int height, float c) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * width + x;
    if (x >= width || y >= height) return;
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        next[i] = 0;
        return;
    }
    const float bent = now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * now[i];
    next[i] = 2 * now[i] - before[i] + c * bent;
}

// The game of life on a torus.
extern "C" __global__ void life(const unsigned char* now, unsigned char* next, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int neighbours = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (dx || dy) neighbours += now[(y + dy + height) % height * width + (x + dx + width) % width];
        next[y * width + x] = neighbours == 3 || (neighbours == 2 && now[y * width + x]);
    }
}

__constant__ float mask[5][5] = {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};

// A blur with constant weights; the tile with its halo is loaded in several rounds.
extern "C" __global__ void blur(const float* in, float* out, int width, int height) {
    __shared__ float tile[12][12];
    const int first_x = blockIdx.x * 8 - 2, first_y = blockIdx.y * 8 - 2;
    for (int k = threadIdx.y * 8 + threadIdx.x; k < 144; k += 64) {
        const int x = first_x + k % 12, y = first_y + k / 12;
        tile[k / 12][k % 12] = x >= 0 && y >= 0 && x < width && y < height ? in[y * width + x] : 0.0f;
    }
    __syncthreads();
    const int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j) sum += mask[i][j] * tile[threadIdx.y + i][threadIdx.x + j];
    out[y * width + x] = sum / 256;
}

// Several steps in shared memory before the result goes back: the valid part gets smaller.
extern "C" __global__ void steps_in_shared(const float* in, float* out, int n) {
    __shared__ float a[64], b[64];
    const int t = threadIdx.x, i = blockIdx.x * 56 + t - 4;
    a[t] = i >= 0 && i < n ? in[i] : 0;
    float *from = a, *to = b;
    for (int step = 1; step <= 4; ++step) {
        __syncthreads();
        if (t >= step && t < 64 - step) to[t] = (from[t - 1] + 2 * from[t] + from[t + 1]) / 4;
        float* kept = from;
        from = to;
        to = kept;
    }
    if (t >= 4 && t < 60 && i < n) out[i] = from[t];
}
