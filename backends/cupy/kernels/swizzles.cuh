// What may happen to the distance of an element: swizzles, and a mask. Macros, 0 or 1; what a copy lacks costs nothing:
// ACCEL_TARGET_SWIZZLE, ACCEL_SOURCE_SWIZZLE, whether there is a swizzle.
// ACCEL_MASK, whether there is a mask.
// ACCEL_PIECES, items of an element: an element may not be aligned for a single access.

// A swizzle of a distance d in bytes: in d + offset, the masked bits, shifted, are XORed into others. One of both shifts
// is 0.
struct Swizzle {
    Distance mask, offset;
    int left, right;
};

template <bool SWIZZLED>
__device__ inline Distance swizzled(const Swizzle& swizzle, Distance distance) {
    if constexpr (!SWIZZLED) return distance;
    distance += swizzle.offset;
    return distance ^ (((distance & swizzle.mask) << swizzle.left) >> swizzle.right);
}

// If target is null nothing is written; if source is null zeros are written.
struct Move {
    char* target;
    const char* source;
};

// Elements of the source at distances of bound or more are not read; zero says whether zeros are written for them.
struct Mask {
    Distance bound;
    int zero;
};

template <bool MASKED>
__device__ inline Move masked(const Mask& mask, Distance distance, Move move) {
    if constexpr (!MASKED) return move;
    if (distance >= mask.bound) {
        move.source = nullptr;
        if (!mask.zero) move.target = nullptr;
    }
    return move;
}

// Replaces the number of an item by that of its element, and returns the item's distance from the element's start.
template <unsigned PIECES>
__device__ inline unsigned within_element(Index& number) {
    const Index element = number / PIECES;
    const unsigned piece = unsigned(number - element * PIECES);
    number = element;
    return piece * ACCEL_ITEM;
}
