// Shared by the copy kernels: every thread moves several items at once.
// ACCEL_FLIGHT, how many items a thread has in flight at once.

using Numbers = Index (&)[ACCEL_FLIGHT];
using Moves = Move (&)[ACCEL_FLIGHT];

// All loads are issued before the first store, to hide their latency. Neighbouring threads have neighbouring numbers,
// and so usually neighbouring addresses. `find` turns numbers into moves. Numbers past the end are clamped to the last
// item, which is then loaded again, and not stored: so only the stores have a condition, and no branch depends on it.
// SPARSE says whether pointers of a move may be null.
template <bool SPARSE, typename Find>
__device__ void move_items(Index count, const Find& find) {
    const Index step = Index(gridDim.x) * blockDim.x * ACCEL_FLIGHT;
    for (Index first = Index(blockIdx.x) * blockDim.x * ACCEL_FLIGHT + threadIdx.x; first < count; first += step) {
        const Index left = count - first;
        Index numbers[ACCEL_FLIGHT];
        Move moves[ACCEL_FLIGHT];
        Item items[ACCEL_FLIGHT];
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i) numbers[i] = min(first + i * blockDim.x, count - 1);
        find(numbers, moves);
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i) {
            items[i] = Item{};
            if (!SPARSE || moves[i].source) items[i] = load(reinterpret_cast<const Item*>(moves[i].source));
        }
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i)
            if (i * blockDim.x < left && (!SPARSE || moves[i].target))
                *reinterpret_cast<Item*>(moves[i].target) = items[i];
    }
}
