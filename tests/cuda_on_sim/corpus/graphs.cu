// Vertices and edges.
#include "lanes.cuh"

// A step of a breadth-first search: the thread that sets the distance puts the vertex on the next frontier.
extern "C" __global__ void bfs_step(const int* starts, const int* neighbours, const int* frontier, int size, int* distance,
                                    int* next, int* next_size, int level) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        const int vertex = frontier[i];
        for (int k = starts[vertex]; k < starts[vertex + 1]; ++k)
            if (atomicCAS(&distance[neighbours[k]], -1, level) == -1) next[atomicAdd(next_size, 1)] = neighbours[k];
    }
}

// Labels of connected components: the least label spreads along edges, until nothing changes.
extern "C" __global__ void spread_labels(const int* from, const int* to, int edges, int* labels, int* changed) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    const int a = atomicAdd(&labels[from[e]], 0), b = atomicAdd(&labels[to[e]], 0);
    if (a < b && atomicMin(&labels[to[e]], a) > a) atomicExch(changed, 1);
    if (b < a && atomicMin(&labels[from[e]], b) > b) atomicExch(changed, 1);
}

// Union by compare-and-swap: roots point at smaller roots.
__device__ int root_of(int* parents, int v) {
    int parent = atomicAdd(&parents[v], 0);
    while (parent != v) {
        v = parent;
        parent = atomicAdd(&parents[v], 0);
    }
    return v;
}

extern "C" __global__ void unite(const int* from, const int* to, int edges, int* parents) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int a = root_of(parents, from[e]), b = root_of(parents, to[e]);
    while (a != b) {
        if (a < b) {
            const int kept = a;
            a = b;
            b = kept;
        }
        if (atomicCAS(&parents[a], a, b) == a) break;
        a = root_of(parents, a);
        b = root_of(parents, b);
    }
}

extern "C" __global__ void flatten(int* parents, int* roots, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) roots[v] = root_of(parents, v);
}

extern "C" __global__ void page_rank(const int* starts, const int* sources, const int* degrees, const double* rank,
                                     double* next, int n) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    double sum = 0;
    for (int k = starts[v]; k < starts[v + 1]; ++k) sum += rank[sources[k]] / degrees[sources[k]];
    next[v] = 0.15 / n + 0.85 * sum;
}

// All shortest paths of a small graph, in shared memory.
extern "C" __global__ void floyd_warshall(const int* weights, int* distances) {
    __shared__ int d[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    d[y][x] = weights[y * 16 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
        const int through = d[y][k] + d[k][x];
        __syncthreads();
        if (through < d[y][x]) d[y][x] = through;
        __syncthreads();
    }
    distances[y * 16 + x] = d[y][x];
}

// A larger one by tiles: the tile on the diagonal, its row and column, and all others.
__device__ void relax(int (*c)[9], int (*a)[9], int (*b)[9]) {
    const int x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < 8; ++k) {
        const int through = a[y][k] + b[k][x];
        __syncthreads();
        if (through < c[y][x]) c[y][x] = through;
        __syncthreads();
    }
}

extern "C" __global__ void floyd_tiles(int* d, int n, int k, int phase) {
    __shared__ int mine[8][9], left[8][9], top[8][9];
    const int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y, column = blockIdx.x;
    if (phase == 0) row = column = k;
    if (phase == 1 && blockIdx.y == 0) row = k;
    if (phase == 1 && blockIdx.y == 1) row = blockIdx.x, column = k;
    if (phase > 0 && row == k && column == k) return;
    if (phase == 2 && (row == k || column == k)) return;
    mine[y][x] = d[(row * 8 + y) * n + column * 8 + x];
    left[y][x] = d[(row * 8 + y) * n + k * 8 + x];
    top[y][x] = d[(k * 8 + y) * n + column * 8 + x];
    __syncthreads();
    if (phase == 0) relax(mine, mine, mine);
    else if (phase == 1) relax(mine, row == k ? left : mine, row == k ? mine : top);
    else relax(mine, left, top);
    d[(row * 8 + y) * n + column * 8 + x] = mine[y][x];
}

// Triangles: for each edge, the neighbours that both ends have.
extern "C" __global__ void triangles(const int* starts, const int* neighbours, const int* from, const int* to, int edges,
                                     unsigned* count) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
    if (e < edges) {
        int i = starts[from[e]], j = starts[to[e]];
        while (i < starts[from[e] + 1] && j < starts[to[e] + 1]) {
            const int a = neighbours[i], b = neighbours[j];
            found += a == b;
            i += a <= b;
            j += b <= a;
        }
    }
    for (int by = WARP / 2; by > 0; by /= 2) found += __shfl_down_sync(EVERY, found, by);
    if (threadIdx.x % WARP == 0) atomicAdd(count, found);
}
