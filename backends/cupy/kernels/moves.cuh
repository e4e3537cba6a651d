// Shared by the copy kernels: every thread moves several items at once.

// A swizzle of a distance d: in d + offset, the masked bits, shifted, are XORed into others. All zeros change nothing.
struct Swizzle {
    long long mask, offset;
    int shift;
};

__device__ inline long long swizzled(const Swizzle& swizzle, long long distance) {
    distance += swizzle.offset;
    const long long taken = distance & swizzle.mask;
    return distance ^ (swizzle.shift < 0 ? taken << -swizzle.shift : taken >> swizzle.shift);
}

// If target is null nothing is written; if source is null zeros are written.
struct Move {
    char* target;
    const char* source;
};

// Elements of the source at distances of bound or more are not read; zero says whether zeros are written for them.
struct Mask {
    long long bound;
    int zero;
};

__device__ inline Move masked(const Mask& mask, long long distance, Move move) {
    if (distance >= mask.bound) {
        move.source = nullptr;
        if (!mask.zero) move.target = nullptr;
    }
    return move;
}

using Numbers = Index (&)[ACCEL_FLIGHT];
using Moves = Move (&)[ACCEL_FLIGHT];

// All loads are issued before the first store, to hide their latency. Neighbouring threads have neighbouring numbers,
// and so usually neighbouring addresses. `find` turns numbers into moves. Numbers past the end are clamped to the last
// item, which is then copied again: so no bounds checks are needed. SPARSE says whether pointers of a move may be null.
template <bool SPARSE, typename Find>
__device__ void move_items(Index count, const Find& find) {
    const Index step = Index(gridDim.x) * blockDim.x * ACCEL_FLIGHT;
    for (Index first = Index(blockIdx.x) * blockDim.x * ACCEL_FLIGHT + threadIdx.x; first < count; first += step) {
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
            if (!SPARSE || moves[i].target) *reinterpret_cast<Item*>(moves[i].target) = items[i];
    }
}
