// Copies of strided elements with swizzles or a mask. Distances are in bytes.

#ifdef ACCEL_GATHER_ITEMS
struct Gathering {
    Swizzle target, source;
    Mask mask;
};

extern "C" __global__ void __launch_bounds__(256)
    gather_items(char* target, const char* source, const Loops loops, const Gathering gathering) {
    move_items<ACCEL_MASK>(loops.count, [&](Numbers numbers, Moves moves) {
        unsigned within[ACCEL_FLIGHT];
        Place places[ACCEL_FLIGHT];
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i) within[i] = within_element<ACCEL_PIECES>(numbers[i]);
        find_places(loops, numbers, places);
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i) {
            const Distance into = Distance(places[i].target), out_of = Distance(places[i].source);
            const Move move{target + swizzled<ACCEL_TARGET_SWIZZLE>(gathering.target, into) + within[i],
                            source + swizzled<ACCEL_SOURCE_SWIZZLE>(gathering.source, out_of) + within[i]};
            moves[i] = masked<ACCEL_MASK>(gathering.mask, out_of, move);
        }
    });
}
#endif
