// Sets elements to one value; their distances in bytes come from loops or from a table.
// ACCEL_TABLE, whether there is a table: 0 or 1.

#ifdef ACCEL_FILL_ITEMS
struct Filling {
    Swizzle swizzle;
};

struct Pattern {
    unsigned long long low, high;  // the value, once or repeated, least byte first
};

// Not an array: indexing one with a variable would force it from registers into memory.
__device__ inline Item item_at(const Pattern& pattern, unsigned byte) {
#if ACCEL_ITEM == 16
    Item item;
    item.x = unsigned(pattern.low), item.y = unsigned(pattern.low >> 32);
    item.z = unsigned(pattern.high), item.w = unsigned(pattern.high >> 32);
    return item;
#else
    return Item((byte < 8 ? pattern.low : pattern.high) >> (8 * (byte % 8)));
#endif
}

extern "C" __global__ void __launch_bounds__(256)
    fill_items(char* target, const long long* table, const unsigned long long low, const unsigned long long high,
               const Loops loops, const Filling filling) {
    const Pattern pattern{low, high};
    const Index step = Index(gridDim.x) * blockDim.x;
    for (Index first = Index(blockIdx.x) * blockDim.x + threadIdx.x; first < loops.count; first += step) {
        Index number = first;
        const unsigned within = within_element<ACCEL_PIECES>(number);
#if ACCEL_TABLE
        // Not the stride of the loop, which is 0 for a single element.
        const Distance distance = table[number] * (ACCEL_PIECES * ACCEL_ITEM);
#else
        const Distance distance = Distance(place_of(loops, number).target);
#endif
        char* to = target + swizzled<ACCEL_TARGET_SWIZZLE>(filling.swizzle, distance) + within;
        *reinterpret_cast<Item*>(to) = item_at(pattern, within);
    }
}
#endif
