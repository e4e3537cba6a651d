// Copies with offset tables: the offsets of elements come from a table, or, at an end without one, from a stride.

#ifdef ACCEL_COPY_TABLE
struct End {
    long long start, stride;  // the entries of a table are in units of stride
    Swizzle swizzle;
};

struct Lookup {
    Index count;
    End target, source;
    Mask mask;
};

__device__ inline long long distance_of(const End& end, const long long* table, Index number) {
    return end.start + (table ? table[number] : static_cast<long long>(number)) * end.stride;
}

extern "C" __global__ void __launch_bounds__(256) copy_table(char* target, const char* source,
                                                             const long long* target_table,
                                                             const long long* source_table, const Lookup lookup) {
    move_items<ACCEL_MASK>(lookup.count, [&](Numbers numbers, Moves moves) {
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i) {
            const unsigned within = within_element<ACCEL_PIECES>(numbers[i]);
            const long long into = distance_of(lookup.target, target_table, numbers[i]);
            const long long out_of = distance_of(lookup.source, source_table, numbers[i]);
            const Move move{target + swizzled<ACCEL_TARGET_SWIZZLE>(lookup.target.swizzle, into) + within,
                            source + swizzled<ACCEL_SOURCE_SWIZZLE>(lookup.source.swizzle, out_of) + within};
            moves[i] = masked<ACCEL_MASK>(lookup.mask, out_of, move);
        }
    });
}
#endif
