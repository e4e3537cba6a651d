// Copies of strided items. Distances are in items.

#ifdef ACCEL_COPY_ITEMS
extern "C" __global__ void __launch_bounds__(256) copy_items(char* target, const char* source, const Loops loops) {
    move_items<false>(loops.count, [&](Numbers numbers, Moves moves) {
        Place places[ACCEL_FLIGHT];
        find_places(loops, numbers, places);
#pragma unroll
        for (int i = 0; i < ACCEL_FLIGHT; ++i)
            moves[i] = {target + (long long)(Distance(places[i].target)) * ACCEL_ITEM,
                        source + (long long)(Distance(places[i].source)) * ACCEL_ITEM};
    });
}
#endif
