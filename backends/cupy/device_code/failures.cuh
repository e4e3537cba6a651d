// What debug mode checks. The record has the site, the iteration, the axis, the index, the extent and the offset of the
// first failure; and the number of failures.

__device__ __attribute__((noinline)) void record_failure(i64* failures, int site, i64 iteration, int axis, i64 at,
                                                         i64 extent, i64 offset) {
    if (atomicAdd(reinterpret_cast<u64*>(failures + 6), 1ull) != 0) return;
    failures[0] = site, failures[1] = iteration, failures[2] = axis;
    failures[3] = at, failures[4] = extent, failures[5] = offset;
}

struct Guard {
    i64* failures;
    int site;
    i64 iteration, offset;
    __device__ bool inside(int) const { return true; }
    template <typename... Others>
    __device__ bool inside(int axis, i64 at, i64 extent, Others... others) const {
        if (at >= 0 && at < extent) return inside(axis + 1, others...);
        record_failure(failures, site, iteration, axis, at, extent, offset);
        return false;
    }
};
// Whether each index is at least 0 and less than its extent; the arguments end with pairs of these.
template <typename... Pairs>
__device__ inline bool inside(i64* failures, int site, i64 iteration, i64 offset, Pairs... pairs) {
    return Guard{failures, site, iteration, offset}.inside(0, pairs...);
}
