// What the copies have in common: every thread moves items, several at once.

// What becomes of a distance: d + offset, with the bits of the mask mixed into others. All zeros leave it as it is.
struct Swizzle {
    long long mask, offset;
    int shift;
};

__device__ inline long long swizzled(const Swizzle& swizzle, long long distance) {
    distance += swizzle.offset;
    const long long taken = distance & swizzle.mask;
    return distance ^ (swizzle.shift < 0 ? taken << -swizzle.shift : taken >> swizzle.shift);
}

// Without a target nothing is written; without a source zeros are.
struct Move {
    char* target;
    const char* source;
};

// Which elements of the source are there, and what is written for those that are not.
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

// All loads are under way before the first store waits for one: latency is what a copy has to hide. Neighbouring threads
// have neighbouring numbers, and so as a rule neighbouring addresses. `find` makes moves of numbers; there are no checks
// for the end, as those past it move the last item once more. SPARSE says whether a move may lack an end.
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
