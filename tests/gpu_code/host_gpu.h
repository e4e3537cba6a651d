// A GPU simulated by one host thread: the built-ins of CUDA and HIP kernels, for g++.
//
// Threads are fibers. A fiber runs until it waits at a barrier or for its warp, or ends; the next one is chosen at random
// by a seed. So a thread runs ahead of the others as far as its synchronisation allows, and a missing barrier shows as a
// read of data that is not written yet. Shared memory is filled with random bytes before each block. An invalid kernel
// (a barrier that some threads do not reach, different barriers, a misaligned access) ends the launch with a message.
//
// ACCEL_WARP is the number of threads of a warp. Names follow CUDA's.
#pragma once
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>
#include <vector>

struct uint3 {
    unsigned x, y, z;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
using dim3 = uint3;

namespace host_gpu {

enum State { READY, AT_BARRIER, IN_WARP, DONE };

struct Fiber {
    jmp_buf resume;
    void* stack;
    unsigned thread;
};

struct Thread {
    State state;
    Fiber* fiber;
    uint3 index;
    int site;       // the source line where it waits
    uint64_t mask;  // the lanes of its warp that it waits for
    uint64_t shown; // the value it passes to them
    unsigned from;  // the lane whose value it receives
    uint64_t seen, votes;  // the received value, and the lowest bit of the values of all lanes
};

constexpr size_t STACK = 1 << 16;

static struct Machine {
    std::vector<Thread> threads;
    std::vector<unsigned> ready;
    std::vector<Fiber*> idle;
    std::vector<unsigned char> dynamic;
    jmp_buf scheduler;
    Fiber* running;
    unsigned at_barrier, alive;
    uint64_t random;
    void (*kernel)(void**);
    void** arguments;
    char error[256];
} gpu;

static uint64_t draw() {
    gpu.random ^= gpu.random << 13, gpu.random ^= gpu.random >> 7, gpu.random ^= gpu.random << 17;
    return gpu.random;
}

}  // namespace host_gpu

// Not static: otherwise g++ assumes that no function called by a kernel changes them.
uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace host_gpu {

#define HOST_GPU_FAIL(...) (gpu.error[0] ? 0 : snprintf(gpu.error, sizeof gpu.error, __VA_ARGS__))

static Thread& self() { return gpu.threads[gpu.running->thread]; }

// After a failure no fiber is resumed: the launch is over.
static void wait(State state) {
    self().state = state;
    if (!_setjmp(gpu.running->resume)) _longjmp(gpu.scheduler, 1);
}

static void wake(Thread& thread) {
    thread.state = READY;
    gpu.ready.push_back(unsigned(&thread - gpu.threads.data()));
}

static void barrier(int site) {
    self().site = site;
    if (gpu.alive < gpu.threads.size()) HOST_GPU_FAIL("line %d: threads ended before this barrier", site);
    if (++gpu.at_barrier < gpu.alive) return wait(AT_BARRIER);
    for (Thread& thread : gpu.threads) {
        if (thread.site != site) HOST_GPU_FAIL("threads wait at different barriers: lines %d, %d", thread.site, site);
        wake(thread);
    }
    gpu.at_barrier = 0;
    wait(READY);  // the last thread to arrive does not run first
}

static unsigned lane() { return gpu.running->thread % ACCEL_WARP; }

// Exchanges values between the lanes of a mask once all of them have arrived.
static void meet(Thread* warp, unsigned size, uint64_t mask, int site) {
    uint64_t votes = 0;
    for (unsigned i = 0; i < size; ++i)
        if (mask >> i & 1) {
            if (warp[i].state != IN_WARP || warp[i].mask != mask || warp[i].site != site) return;
            votes |= (warp[i].shown & 1) << i;
        }
    for (unsigned i = 0; i < size; ++i)
        if (mask >> i & 1) {
            const unsigned from = warp[i].from;
            warp[i].votes = votes;
            warp[i].seen = from < size && mask >> from & 1 ? warp[from].shown : draw();  // undefined on a GPU
            wake(warp[i]);
        }
}

static Thread& exchange(uint64_t mask, uint64_t shown, unsigned from, int site) {
    Thread& thread = self();
    if (!(mask >> lane() & 1)) HOST_GPU_FAIL("line %d: lane %u is not in the mask it names", site, lane());
    thread.mask = mask, thread.shown = shown, thread.from = from, thread.site = site, thread.state = IN_WARP;
    const size_t first = gpu.running->thread / ACCEL_WARP * ACCEL_WARP;
    meet(&gpu.threads[first], std::min<size_t>(ACCEL_WARP, gpu.threads.size() - first), mask, site);
    wait(thread.state);
    return thread;
}

static void fiber_main() {
    Fiber* fiber = gpu.running;
    if (!_setjmp(fiber->resume)) _longjmp(gpu.scheduler, 1);
    for (;;) {
        gpu.kernel(gpu.arguments);
        self().state = DONE;
        if (!_setjmp(fiber->resume)) _longjmp(gpu.scheduler, 1);
    }
}

static Fiber* new_fiber() {
    Fiber* fiber = gpu.running = new Fiber;
    fiber->stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber->stack;
    context.uc_stack.ss_size = STACK;
    makecontext(&context, fiber_main, 0);
    if (!_setjmp(gpu.scheduler)) setcontext(&context);
    return gpu.running;
}

// Runs a thread until it waits or ends. Fibers switch by longjmp: swapcontext makes a system call each time.
static void run(unsigned number) {
    if (!gpu.threads[number].fiber) {
        if (gpu.idle.empty()) gpu.idle.push_back(new_fiber());
        gpu.threads[number].fiber = gpu.idle.back();
        gpu.idle.pop_back();
    }
    gpu.running = gpu.threads[number].fiber;
    gpu.running->thread = number;
    threadIdx = gpu.threads[number].index;
    if (!_setjmp(gpu.scheduler)) _longjmp(gpu.running->resume, 1);
}

static void finish(Thread& thread) {
    gpu.idle.push_back(thread.fiber);
    thread.fiber = nullptr;
    --gpu.alive;
    if (gpu.at_barrier) HOST_GPU_FAIL("a thread ended while others wait at a barrier");
}

static void abandon() {
    for (Thread& thread : gpu.threads)
        if (thread.fiber) {
            munmap(thread.fiber->stack, STACK);
            delete thread.fiber;
        }
}

static void poison(unsigned char* from, unsigned char* to) {
    const unsigned char byte = draw();
    while (from != to) *from++ = byte;
}

extern "C" unsigned char __start_gpu_shared[] __attribute__((weak));
extern "C" unsigned char __stop_gpu_shared[] __attribute__((weak));

static void run_block() {
    poison(__start_gpu_shared, __stop_gpu_shared);
    poison(gpu.dynamic.data(), gpu.dynamic.data() + gpu.dynamic.size());
    const unsigned count = gpu.alive = gpu.threads.size();
    gpu.at_barrier = 0;
    for (unsigned i = 0; i < count; ++i) {
        const unsigned y = i / blockDim.x;
        gpu.threads[i] = Thread{READY, nullptr, {i % blockDim.x, y % blockDim.y, y / blockDim.y}};
        gpu.ready.push_back(i);
    }
    while (!gpu.ready.empty() && !gpu.error[0]) {
        std::swap(gpu.ready[draw() % gpu.ready.size()], gpu.ready.back());
        Thread& thread = gpu.threads[gpu.ready.back()];
        gpu.ready.pop_back();
        run(&thread - gpu.threads.data());
        if (thread.state == DONE) finish(thread);
    }
    if (gpu.alive) HOST_GPU_FAIL("%u threads wait for others for ever", gpu.alive);
}

// Runs all blocks in random order; returns the error message, or null.
static const char* launch(void (*kernel)(void**), const unsigned* grid, const unsigned* block, unsigned shared_bytes,
                          uint64_t seed, void** arguments) {
    gridDim = {grid[0], grid[1], grid[2]}, blockDim = {block[0], block[1], block[2]};
    gpu.kernel = kernel, gpu.arguments = arguments, gpu.error[0] = 0;
    gpu.random = seed * 0x9E3779B97F4A7C15u + 0x9E3779B97F4A7C15u;
    gpu.threads.resize(size_t(block[0]) * block[1] * block[2]);
    gpu.dynamic.resize(shared_bytes);
    gpu.ready.clear();
    std::vector<uint3> blocks;
    for (unsigned z = 0; z < grid[2]; ++z)
        for (unsigned y = 0; y < grid[1]; ++y)
            for (unsigned x = 0; x < grid[0]; ++x) blocks.push_back({x, y, z});
    while (!blocks.empty() && !gpu.error[0]) {
        std::swap(blocks[draw() % blocks.size()], blocks.back());
        blockIdx = blocks.back();
        blocks.pop_back();
        run_block();
    }
    if (!gpu.error[0]) return nullptr;
    abandon();
    return gpu.error;
}

template <typename T>
T argument(void* at) {
    alignas(T) unsigned char bytes[sizeof(T)];
    memcpy(bytes, at, sizeof(T));
    return *reinterpret_cast<T*>(bytes);
}

// Calls a kernel like cuLaunchKernel, with an array of the addresses of its arguments.
template <auto KERNEL>
struct Call;
template <typename... T, void (*KERNEL)(T...)>
struct Call<KERNEL> {
    static constexpr unsigned sizes[sizeof...(T) + 1] = {sizeof(T)..., 0};
    template <size_t... I>
    static void expand(void** arguments, std::index_sequence<I...>) {
        KERNEL(argument<std::remove_cv_t<T>>(arguments[I])...);
    }
    static void call(void** arguments) { expand(arguments, std::index_sequence_for<T...>{}); }
};

}  // namespace host_gpu

#define HOST_GPU_KERNEL(name)                                                                                   \
    extern "C" __attribute__((visibility("default"))) const unsigned* sizes_of_##name() {                       \
        return host_gpu::Call<name>::sizes;                                                                     \
    }                                                                                                           \
    extern "C" __attribute__((visibility("default"))) const char* launch_##name(                                \
        const unsigned* grid, const unsigned* block, unsigned shared_bytes, uint64_t seed, void** arguments) {  \
        return host_gpu::launch(host_gpu::Call<name>::call, grid, block, shared_bytes, seed, arguments);        \
    }

// The handlers that g++ calls for accesses that are errors on a GPU.
extern "C" void __ubsan_handle_type_mismatch_v1(void*, uintptr_t address) {
    using namespace host_gpu;
    HOST_GPU_FAIL("an access at %#zx is not aligned", size_t(address));
}

#define __global__ __attribute__((used))
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __constant__ static
#define __shared__ static __attribute__((section("gpu_shared")))
#define __syncthreads() host_gpu::barrier(__LINE__)

namespace host_gpu {

constexpr uint64_t ALL = ~uint64_t(0) >> (64 - ACCEL_WARP);
constexpr uint64_t mask_of(uint64_t mask = ALL) { return mask; }

// A source lane that does not exist, or is outside the group of `width` lanes, gives the own value.
template <typename T>
T shuffle(uint64_t mask, T value, int from, bool inside, int site) {
    static_assert(sizeof(T) <= 8, "a shuffle moves 8 bytes at most");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = exchange(mask, bits, inside ? from : lane(), site).seen;
    memcpy(&value, &bits, sizeof value);
    return value;
}
inline int group(int width, int site) {
    if (width > ACCEL_WARP || width & (width - 1)) HOST_GPU_FAIL("line %d: a shuffle among %d lanes", site, width);
    return int(lane()) / width * width;
}
template <typename T>
T shuffle_to(int site, uint64_t mask, T value, int from, int width = ACCEL_WARP) {
    return shuffle(mask, value, group(width, site) + (from & (width - 1)), true, site);
}
template <typename T>
T shuffle_down(int site, uint64_t mask, T value, int by, int width = ACCEL_WARP) {
    const int from = int(lane()) + by;
    return shuffle(mask, value, from, from < group(width, site) + width, site);
}
template <typename T>
T shuffle_up(int site, uint64_t mask, T value, int by, int width = ACCEL_WARP) {
    const int from = int(lane()) - by;
    return shuffle(mask, value, from, from >= group(width, site), site);
}
template <typename T>
T shuffle_xor(int site, uint64_t mask, T value, int bits, int width = ACCEL_WARP) {
    const int from = int(lane()) ^ bits;
    return shuffle(mask, value, from, from < group(width, site) + width, site);
}

}  // namespace host_gpu

#define __syncwarp(...) ((void)host_gpu::exchange(host_gpu::mask_of(__VA_ARGS__), 0, 0, __LINE__))
#define __shfl_sync(...) host_gpu::shuffle_to(__LINE__, __VA_ARGS__)
#define __shfl_down_sync(...) host_gpu::shuffle_down(__LINE__, __VA_ARGS__)
#define __shfl_up_sync(...) host_gpu::shuffle_up(__LINE__, __VA_ARGS__)
#define __shfl_xor_sync(...) host_gpu::shuffle_xor(__LINE__, __VA_ARGS__)
#define __ballot_sync(mask, vote) (host_gpu::exchange(mask, bool(vote), 0, __LINE__).votes)
#define __any_sync(mask, vote) (__ballot_sync(mask, vote) != 0)
#define __all_sync(mask, vote) (!__any_sync(mask, !(vote)))
#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)

// One thread runs at a time without preemption, so operations without waiting are atomic.
#define HOST_GPU_ATOMIC(name, becomes)             \
    template <typename T, typename V>              \
    T name(T* at, V operand) {                     \
        const T old = *at, value = T(operand);     \
        *at = becomes;                             \
        return old;                                \
    }
HOST_GPU_ATOMIC(atomicAdd, old + value)
HOST_GPU_ATOMIC(atomicSub, old - value)
HOST_GPU_ATOMIC(atomicMin, old < value ? old : value)
HOST_GPU_ATOMIC(atomicMax, old < value ? value : old)
HOST_GPU_ATOMIC(atomicAnd, old & value)
HOST_GPU_ATOMIC(atomicOr, old | value)
HOST_GPU_ATOMIC(atomicXor, old ^ value)
HOST_GPU_ATOMIC(atomicExch, value)

template <typename T, typename C, typename V>
T atomicCAS(T* at, C expected, V value) {
    const T old = *at;
    if (old == T(expected)) *at = T(value);
    return old;
}

template <typename T>
constexpr T min(T a, T b) {
    return b < a ? b : a;
}
template <typename T>
constexpr T max(T a, T b) {
    return a < b ? b : a;
}
inline unsigned __umulhi(unsigned a, unsigned b) { return uint64_t(a) * b >> 32; }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned __int128)a * b >> 64;
}
