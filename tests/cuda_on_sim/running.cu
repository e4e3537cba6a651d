// Kernels of test_running.py.
__shared__ int tile[256];

extern "C" __global__ void orders(int* seen, int* count) {
    seen[atomicAdd(count, 1)] = blockIdx.x * blockDim.x + threadIdx.x;
}
extern "C" __global__ void orders_after_barrier(int* seen, int* count) {
    __syncthreads();
    seen[atomicAdd(count, 1)] = threadIdx.x;
}
extern "C" __global__ void indices(int* seen) {
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    seen[block * blockDim.x * blockDim.y * blockDim.z + thread] +=
        threadIdx.x | threadIdx.y << 6 | threadIdx.z << 10 | blockIdx.x << 14 | blockIdx.y << 18 | blockIdx.z << 22;
}
extern "C" __global__ void reverses(int* x, int rounds) {
    extern __shared__ int dynamic[];
    int value = x[blockIdx.x * 256 + threadIdx.x];
    for (int round = 0; round < rounds; ++round) {
        int* const mine = round % 2 ? tile : dynamic;
        mine[threadIdx.x] = value;
        __syncthreads();
        value = mine[255 - threadIdx.x];
    }
    x[blockIdx.x * 256 + threadIdx.x] = value;
}
extern "C" __global__ void predicates(int* out, int modulus) {
    const int i = threadIdx.x, n = blockDim.x, passes = i % modulus == 0;
    out[i] = __syncthreads_count(passes);
    out[n + i] = __syncthreads_and(passes);
    out[2 * n + i] = __syncthreads_or(passes);
}
extern "C" __global__ void ends_early(int* out, int last) {
    if (threadIdx.x >= last) return;
    out[threadIdx.x] = __syncthreads_count(1);
}
extern "C" __global__ void diverges(int* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
        out[threadIdx.x] = 2;
    } else {
        out[threadIdx.x] = 3;
        __syncthreads();
        out[threadIdx.x] = 4;
    }
}
extern "C" __global__ void wrong_mask(int* out) { out[threadIdx.x] = __shfl_sync(0xffff, 1, 0); }
extern "C" __global__ void never_meet(int* out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0);
    else __syncthreads();
}
extern "C" __global__ void branches(unsigned* out, unsigned mask) {
    if (mask >> threadIdx.x & 1) {
        out[threadIdx.x] = __activemask();
        __syncwarp(mask);
    } else {
        out[threadIdx.x] = __activemask();
    }
}
extern "C" __global__ void runs_ahead(int* out, int rounds) {
    const int pair = 3 << (threadIdx.x & ~1), quad = 15 << (threadIdx.x & ~3);
    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        wrong += __shfl_sync(pair, round * 64 + int(threadIdx.x), threadIdx.x ^ 1) != round * 64 + int(threadIdx.x ^ 1);
        wrong += __shfl_sync(1 << threadIdx.x, round, threadIdx.x) != round;
        if (round % 3 == 0)
            wrong += __shfl_sync(quad, round + int(threadIdx.x), threadIdx.x ^ 2) != round + int(threadIdx.x ^ 2);
    }
    out[threadIdx.x] = wrong;
}
extern "C" __global__ void spins_in_block(volatile int* flag, int* out) {
    if (threadIdx.x) {
        *flag = 1;
    } else {
        while (!*flag) {}
        *out = 1;
    }
}
extern "C" __global__ void chain(volatile int* flags, int* out) {
    const int block = blockIdx.x;
    while (block && !flags[block - 1]) {}
    __syncthreads();
    if (threadIdx.x) return;
    out[block] = block ? out[block - 1] + 1 : 1;
    flags[block] = 1;
}
extern "C" __global__ void chain_by_votes(volatile int* flags, int* out) {
    const int block = blockIdx.x;
    if (threadIdx.x < 32)
        while (block && !__all_sync(0xffffffff, flags[block - 1])) {}
    __syncthreads();
    if (threadIdx.x) return;
    out[block] = block ? out[block - 1] + 1 : 1;
    flags[block] = 1;
}
extern "C" __global__ void chain_by_atomics(int* flags, int* out) {
    const int block = blockIdx.x;
    while (block && !atomicAdd(&flags[block - 1], 0)) {}
    __syncthreads();
    if (threadIdx.x) return;
    out[block] = block ? out[block - 1] + 1 : 1;
    atomicExch(&flags[block], 1);
}
extern "C" __global__ void hand_made_grid_barrier(int* count, int* x, int rounds) {
    extern __shared__ int dynamic[];
    tile[threadIdx.x] = dynamic[threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
    int waits = 0, value = 0;
    for (int round = 0; round < 2 * rounds; ++round) {
        if (round % 2) x[blockIdx.x] = value;
        else value = ((volatile int*)x)[(blockIdx.x + 1) % gridDim.x];
        __syncthreads();
        waits += gridDim.x;
        if (!threadIdx.x) {
            atomicAdd(count, 1);
            while (*(volatile int*)count < waits) {}
        }
        __syncthreads();
    }
    const int mine = blockIdx.x * 64 + threadIdx.x;
    if (tile[threadIdx.x] != mine || dynamic[threadIdx.x] != mine) x[blockIdx.x] = -1;
}
extern "C" __global__ void grid_barriers(int* x, int rounds) {
    tile[threadIdx.x] = blockIdx.x;
    for (int round = 0; round < rounds; ++round) {
        const int value = x[(blockIdx.x + 1) % gridDim.x];
        accel_sim_grid_barrier();
        if (!threadIdx.x) x[blockIdx.x] = value;
        accel_sim_grid_barrier();
    }
    if (tile[threadIdx.x] != blockIdx.x) x[blockIdx.x] = -1;
}
extern "C" __global__ void writes_to(int* memory, int number) { ((volatile int*)memory)[threadIdx.x] = number; }
__device__ __noinline__ int depth(volatile int* number, int n) {
    volatile char bytes[1000];
    bytes[n % 1000] = n;
    return n == *number - 1 ? 0 : depth(number, n + 1) + bytes[(n + 1) % 1000];
}
extern "C" __global__ void recurses(int* memory, int number) {
    volatile int bound = number;
    if (depth(&bound, 0) == 12345) *memory = 1;
}
extern "C" __global__ void has_a_large_frame(int* memory, int number) {
    volatile int large[1 << 17];
    large[number + threadIdx.x] = number;
}
extern "C" __global__ void divides(int* memory, int number) {
    volatile int zero = number;
    volatile int result = 7 / zero;
    (void)result;
}
extern "C" __global__ void traps(int* memory, int number) { __trap(); }
extern "C" __global__ void asserts(int* memory, int number) { assert(number == 1); }
extern "C" __global__ void endless(volatile int* flag) {
    if (threadIdx.x % 2) __syncthreads();
    while (!*flag) {}
}
extern "C" __global__ void prints(int* unused) {
    const int i = threadIdx.x;
    printf("%3d|%-4d|%x|%8.3f|%.2e|%c|%s|%lld|%%\n", i, -i, i, i / 4.0, i / 3.0, 'c', "text", (1ll << 40) + i);
}
extern "C" __global__ void prints_long(int* returned) {
    char line[3001];
    for (int i = 0; i < 3000; ++i) line[i] = 'x';
    line[3000] = 0;
    returned[0] = printf("%s%2001d\n", line, 7);
    returned[1] = printf("end\n");
}
extern "C" __global__ void allocates(int** pointers) {
    pointers[threadIdx.x] = (int*)malloc(4);
    *pointers[threadIdx.x] = threadIdx.x * 3;
}
extern "C" __global__ void reads_and_frees(int** pointers, int* out) {
    out[threadIdx.x] = *pointers[threadIdx.x];
    free(pointers[threadIdx.x]);
}
