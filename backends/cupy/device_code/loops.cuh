// Loops as Python's range, and parallel loops, which all threads of a grid share.

struct Range {
    i64 start, step, count;
    __device__ Range(i64 start, i64 stop, i64 step) : start(start), step(step) {
        const u64 distance = step > 0 ? u64(stop) - u64(start) : u64(start) - u64(stop);
        const bool any = step > 0 ? start < stop : step && start > stop;
        count = any ? i64((distance - 1) / (step > 0 ? u64(step) : -u64(step))) + 1 : 0;
    }
    __device__ i64 operator[](count_t number) const { return i64(u64(start) + u64(number) * u64(step)); }
};

__device__ inline count_t first_iteration() { return blockIdx.x * count_t(blockDim.x) + threadIdx.x; }
__device__ inline count_t iterations_at_once() { return gridDim.x * count_t(blockDim.x); }

// A variable that is kept from one step to the next.
template <typename T>
__device__ inline T& slot(unsigned char* frame, int number) {
    return *reinterpret_cast<T*>(frame + 16 * number);
}
