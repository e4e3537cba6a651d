// Threads that wait for each other by memory: locks, flags, queues, tables.
#include "lanes.cuh"

// A lock for the whole grid; one thread of each block takes it.
extern "C" __global__ void spin_lock(int* lock, int* numbers, int* count) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        numbers[*count] = blockIdx.x;
        *count += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// A ticket lock: served in the order of asking.
extern "C" __global__ void ticket_lock(unsigned* next, unsigned* serving, int* total, const int* values) {
    __shared__ int mine;
    if (threadIdx.x == 0) mine = 0;
    __syncthreads();
    atomicAdd(&mine, values[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned ticket = atomicAdd(next, 1u);
        while (atomicAdd(serving, 0u) != ticket) {
        }
        __threadfence();
        *total = *total * 2 + mine;
        __threadfence();
        atomicAdd(serving, 1u);
    }
}

// One warp makes, the other uses: a buffer of four places, with a flag for each.
extern "C" __global__ void producer_consumer(const int* in, int* out, int rounds) {
    __shared__ int buffer[4][WARP];
    __shared__ int full[4];
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (threadIdx.x < 4) full[threadIdx.x] = 0;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        const int place = round % 4;
        if (lane == 0) {
            while (atomicAdd(&full[place], 0) != warp) {
            }
            __threadfence_block();
        }
        __syncwarp();
        if (warp == 0) buffer[place][lane] = in[round * WARP + lane] * 2;
        else out[round * WARP + lane] = buffer[place][lane] + 1;
        __syncwarp();
        if (lane == 0) {
            __threadfence_block();
            atomicExch(&full[place], 1 - warp);
        }
    }
}

// A hash table with open places; a thread that sets a key counts in its place.
extern "C" __global__ void insert(const unsigned* keys, unsigned* table, unsigned* counts, int n, int size) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned place = keys[i] * 2654435761u % size;
    for (;;) {
        const unsigned found = atomicCAS(&table[place], 0u, keys[i]);
        if (found == 0 || found == keys[i]) {
            atomicAdd(&counts[place], 1u);
            return;
        }
        place = (place + 1) % size;
    }
}

// Blocks that live on take the next piece of work from a counter.
extern "C" __global__ void work_queue(const int* work, int* results, int* next, int n) {
    __shared__ int piece;
    for (;;) {
        if (threadIdx.x == 0) piece = atomicAdd(next, 1);
        __syncthreads();
        const int mine = piece;
        __syncthreads();
        if (mine >= n) return;
        for (int i = threadIdx.x; i < 32; i += blockDim.x) results[mine * 32 + i] = work[mine] * i;
    }
}

// The least and its place, by compare-and-swap of a structure in 64 bits.
extern "C" __global__ void atomic_by_cas(const float* values, unsigned long long* best, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long known = atomicAdd(best, 0ull);
    while (values[i] < __uint_as_float((unsigned)(known >> 32))) {
        const unsigned long long mine = (unsigned long long)__float_as_uint(values[i]) << 32 | (unsigned)i;
        const unsigned long long found = atomicCAS(best, known, mine);
        if (found == known) break;
        known = found;
    }
}

// The blocks of a line: each waits for the one on its left, by a flag that is volatile.
extern "C" __global__ void pipeline(const int* in, int* out, int* carried, volatile int* ready, int* next) {
    __shared__ int place, carry;
    if (threadIdx.x == 0) place = atomicAdd(next, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (place > 0) {
            while (ready[place - 1] == 0) {
            }
            __threadfence();
        }
        carry = place > 0 ? carried[place - 1] : 1;
        carried[place] = carry * 3 % 1009;
        __threadfence();
        ready[place] = 1;
    }
    __syncthreads();
    out[place * blockDim.x + threadIdx.x] = in[place * blockDim.x + threadIdx.x] + carry;
}

// A list: nodes from a pool, put at the head.
extern "C" __global__ void push_to_list(const int* values, int* of_node, int* next, int* head, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        of_node[i] = values[i];
        int old = atomicAdd(head, 0), seen;
        do {
            seen = old;
            next[i] = seen;
            __threadfence();
            old = atomicCAS(head, seen, i);
        } while (old != seen);
    }
}
