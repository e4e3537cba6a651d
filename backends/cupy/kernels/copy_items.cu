// Copies of strided items: `copy_items`; and with swizzles or a bound: `gather_items`.

extern "C" __global__ void __launch_bounds__(256) copy_items(char* target, const char* source, const Loops loops) {
    move_items<false>(loops.count, [&](Numbers numbers, Moves moves) {
        Place places[ACCEL_FLIGHT];
        find_places(loops, numbers, places);
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i)
            moves[i] = {target + Distance(places[i].target), source + Distance(places[i].source)};
    });
}

struct Gathering {
    Divisor pieces;  // accesses per element: an element may not be aligned for a single access
    Swizzle target, source;
    Mask mask;
};

extern "C" __global__ void __launch_bounds__(256)
    gather_items(char* target, const char* source, const Loops loops, const Gathering gathering) {
    move_items<true>(loops.count, [&](Numbers numbers, Moves moves) {
        Index within[ACCEL_FLIGHT];
        Place places[ACCEL_FLIGHT];
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i) within[i] = split(numbers[i], gathering.pieces) * ACCEL_ITEM;
        find_places(loops, numbers, places);
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i) {
            const Distance into = Distance(places[i].target), out_of = Distance(places[i].source);
            const Move move{target + swizzled(gathering.target, into) + within[i],
                            source + swizzled(gathering.source, out_of) + within[i]};
            moves[i] = masked(gathering.mask, out_of, move);
        }
    });
}
