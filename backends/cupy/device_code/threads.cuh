// What the threads of an explicit grid do together. Warps are consecutive threads of a block, x fastest.

#ifndef ACCEL_WARP
#define ACCEL_WARP 32
#endif

__device__ inline unsigned thread_in_block() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline i64 thread_in_grid() {
    const i64 block = (i64(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    return block * (blockDim.x * blockDim.y * blockDim.z) + thread_in_block();
}
__device__ inline i64 lane() { return thread_in_block() % ACCEL_WARP; }
__device__ inline i64 lanes_of_warp() {
    const i64 left = i64(blockDim.x * blockDim.y * blockDim.z) - (thread_in_block() - lane());
    return left < ACCEL_WARP ? left : i64(ACCEL_WARP);
}

__device__ inline u32 word_of_lane(u32 word, int from) {
#ifdef __HIP__
    return __shfl(word, from);
#else
    return __shfl_sync(~0ull >> (64 - ACCEL_WARP), word, from);
#endif
}
template <typename T>
union Words {
    u32 words[(sizeof(T) + 3) / 4] = {};
    T value;
};
// The value of another lane of the warp; the own one if there is no such lane.
template <typename T>
__device__ inline T shuffled(T value, i64 from) {
    const int lane_there = int(from >= 0 && from < lanes_of_warp() ? from : lane());
    Words<T> both;
    both.value = value;
#pragma unroll
    for (unsigned i = 0; i < sizeof(both.words) / 4; ++i) both.words[i] = word_of_lane(both.words[i], lane_there);
    return both.value;
}
__device__ inline u64 ballot_of_warp(bool condition) {
#ifdef __HIP__
    return __ballot(condition);
#else
    return __ballot_sync(~0ull >> (64 - ACCEL_WARP), condition);
#endif
}
__device__ inline bool any_of_warp(bool condition) { return ballot_of_warp(condition) != 0; }
__device__ inline bool all_of_warp(bool condition) { return ballot_of_warp(!condition) == 0; }

template <typename T>
__device__ inline void copy_async(T* target, const T* source) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) >= 4) {
        const u32 into = u32(__cvta_generic_to_shared(target));
        const u64 out_of = u64(__cvta_generic_to_global(source));
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(into), "l"(out_of), "n"(sizeof(T)) : "memory");
        return;
    }
#endif
    *target = *source;
}
__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
