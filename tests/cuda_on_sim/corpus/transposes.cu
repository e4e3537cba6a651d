// Rows to columns.

extern "C" __global__ void transpose(const float* in, float* out, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

template <int Tile, int Padding>
__device__ void through_tiles(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[Tile][Tile + Padding];
    int column = blockIdx.x * Tile + threadIdx.x, row = blockIdx.y * Tile + threadIdx.y;
    for (int k = 0; k < Tile; k += blockDim.y)
        if (column < columns && row + k < rows) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * columns + column];
    __syncthreads();
    column = blockIdx.y * Tile + threadIdx.x, row = blockIdx.x * Tile + threadIdx.y;
    for (int k = 0; k < Tile; k += blockDim.y)
        if (column < rows && row + k < columns) out[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose_tiled(const float* in, float* out, int rows, int columns) {
    through_tiles<16, 0>(in, out, rows, columns);
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int rows, int columns) {
    through_tiles<32, 1>(in, out, rows, columns);
}

// Instead of padding: columns are exchanged by exclusive or with the row.
extern "C" __global__ void transpose_swizzled(const float* in, float* out) {
    __shared__ float tile[16][16];
    const int x = threadIdx.x, y = threadIdx.y, n = gridDim.x * 16;
    tile[y][x ^ y] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
    __syncthreads();
    out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = tile[x][y ^ x];
}

// A square matrix in its own memory: a block exchanges two tiles.
extern "C" __global__ void transpose_in_place(float* matrix, int n) {
    if (blockIdx.x > blockIdx.y) return;
    __shared__ float upper[8][9], lower[8][9];
    const int x = threadIdx.x, y = threadIdx.y;
    const int a = (blockIdx.x * 8 + y) * n + blockIdx.y * 8 + x, b = (blockIdx.y * 8 + y) * n + blockIdx.x * 8 + x;
    upper[y][x] = matrix[a];
    lower[y][x] = matrix[b];
    __syncthreads();
    matrix[a] = lower[x][y];
    matrix[b] = upper[x][y];
}
