// Nested loops, distributed over all threads: the number of an item determines the counter of each loop, and so the
// offsets of the item.

#if ACCEL_COUNT == 32
using Index = unsigned;
__device__ inline Index high_half(Index a, Index b) { return __umulhi(a, b); }
#else
using Index = unsigned long long;
__device__ inline Index high_half(Index a, Index b) { return __umul64hi(a, b); }
#endif

#if ACCEL_DISTANCE == 32
using Distance = int;
using Offset = unsigned;
#else
using Distance = long long;
using Offset = unsigned long long;
#endif

// GPUs have no instruction for integer division. This divides by multiplication, and is right for all numbers below
// half of the range of Index (Granlund and Montgomery, Division by invariant integers using multiplication, 1994).
struct Divisor {
    Index value, magic;
    unsigned shift;
};

// Replaces a number by the quotient and returns the remainder.
__device__ inline Index split(Index& number, const Divisor& by) {
    const Index quotient = (high_half(number, by.magic) + number) >> by.shift;
    const Index remainder = number - quotient * by.value;
    number = quotient;
    return remainder;
}

struct Loop {
    Divisor extent;
    Distance target_stride, source_stride;
};

struct Loops {
    Index count;
    unsigned rank;  // at least 1
    Distance target_start, source_start;
    Loop loop[ACCEL_LOOPS];  // the slowest first
};

// Distances from the start of the target and of the source, in bytes or in items, as the strides are. They are unsigned,
// since intermediate sums may overflow where the total does not.
struct Place {
    Offset target, source;
};

// Computes several places at once, so that the multiplications of one item hide the latency of another's.
template <int N>
__device__ inline void find_places(const Loops& loops, Index (&numbers)[N], Place (&places)[N]) {
#pragma unroll
    for (int k = 0; k < N; ++k) places[k] = {Offset(loops.target_start), Offset(loops.source_start)};
#pragma unroll 1
    for (int i = int(loops.rank) - 1; i >= 0; --i) {
        const Loop& loop = loops.loop[i];
#pragma unroll
        for (int k = 0; k < N; ++k) {
            // The slowest loop takes the remaining number: no division.
            const Index count = i ? split(numbers[k], loop.extent) : numbers[k];
            places[k].target += count * Offset(loop.target_stride);
            places[k].source += count * Offset(loop.source_stride);
        }
    }
}

__device__ inline Place place_of(const Loops& loops, Index number) {
    Place place[1];
    Index numbers[1]{number};
    find_places(loops, numbers, place);
    return place[0];
}
