// Copies long rows that start anywhere: all but their ends are read and written in aligned chunks of 16 bytes, and
// shifted in registers. Lanes that follow one another have chunks that follow one another. Distances are in items.

#ifdef ACCEL_COPY_ROWS
constexpr int LANES = 32;   // for a part of a row, whatever the warp size is: they exchange nothing
constexpr int THREADS = 256;
constexpr int CHUNK = 16;   // bytes

struct Rows {
    Divisor parts;     // of a row
    long long length;  // of a row, in bytes
};

// Takes four bytes from the eight of two registers.
__device__ inline unsigned from_byte(unsigned low, unsigned high, unsigned byte) {
#ifdef __CUDA_ARCH__
    return __funnelshift_r(low, high, 8 * byte);
#else
    return unsigned(((unsigned long long)high << 32 | low) >> (8 * byte));
#endif
}

// Takes 16 bytes from the 32 of two chunks. Registers cannot be indexed, so whole words are moved by two choices.
__device__ inline uint4 from_byte(const uint4& low, const uint4& high, unsigned byte) {
    unsigned word[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
    for (int i = 0; i < 6; ++i) word[i] = byte & 8 ? word[i + 2] : word[i];
#pragma unroll
    for (int i = 0; i < 5; ++i) word[i] = byte & 4 ? word[i + 1] : word[i];
    if constexpr (ACCEL_ITEM < 4)
#pragma unroll
        for (int i = 0; i < 4; ++i) word[i] = from_byte(word[i], word[i + 1], byte & 3);
    uint4 made;
    made.x = word[0], made.y = word[1], made.z = word[2], made.w = word[3];
    return made;
}

// Whether a chunk of the target, and the chunks of the source that it takes its bytes from, are within the row.
__device__ inline bool is_whole(long long at, unsigned phase, long long length) {
    return at >= phase && at - phase + (phase ? 2 * CHUNK : CHUNK) <= length;
}

// `offset` is that of the first chunk, which is aligned in the target; in the source it is `phase` bytes too far.
__device__ inline void copy_part(char* target, const char* source, long long offset, unsigned phase, long long length) {
    uint4 low[ACCEL_FLIGHT], high[ACCEL_FLIGHT];
#pragma unroll
    for (int k = 0; k < ACCEL_FLIGHT; ++k) {
        const long long at = offset + k * LANES * CHUNK;
        if (!is_whole(at, phase, length)) continue;
        const uint4* from = reinterpret_cast<const uint4*>(source + (at - phase));
        low[k] = load(from);
        high[k] = phase ? load(from + 1) : low[k];
    }
#pragma unroll
    for (int k = 0; k < ACCEL_FLIGHT; ++k) {
        const long long at = offset + k * LANES * CHUNK;
        if (is_whole(at, phase, length)) *reinterpret_cast<uint4*>(target + at) = from_byte(low[k], high[k], phase);
    }
}

// The chunks at the ends of a row, where 16 bytes would reach beyond it.
__device__ inline void copy_ends(char* target, const char* source, long long offset, unsigned phase, long long length) {
#pragma unroll 1
    for (int k = 0; k < ACCEL_FLIGHT; ++k) {
        const long long at = offset + k * LANES * CHUNK, end = min(at + CHUNK, length);
        if (is_whole(at, phase, length)) continue;
#pragma unroll 4
        for (long long i = at < 0 ? 0 : at; i < end; i += ACCEL_ITEM)
            *reinterpret_cast<Item*>(target + i) = load(reinterpret_cast<const Item*>(source + i));
    }
}

extern "C" __global__ void __launch_bounds__(256, 3)
    copy_rows(char* target, const char* source, const Loops loops, const Rows rows) {
    const Index count = loops.count * rows.parts.value, step = Index(gridDim.x) * (THREADS / LANES);
    for (Index number = (Index(blockIdx.x) * THREADS + threadIdx.x) / LANES; number < count; number += step) {
        Index row = number;
        const Index part = split(row, rows.parts);
        const Place place = place_of(loops, row);
        char* to = target + (long long)(Distance(place.target)) * ACCEL_ITEM;
        const char* from = source + (long long)(Distance(place.source)) * ACCEL_ITEM;
        const unsigned before = (unsigned long long)to % CHUNK, phase = ((unsigned long long)from - before) % CHUNK;
        const unsigned lane = threadIdx.x % LANES;
        const long long first = (long long)(part * (ACCEL_FLIGHT * LANES) + lane) * CHUNK - before;
        copy_part(to, from, first, phase, rows.length);
        copy_ends(to, from, first, phase, rows.length);
    }
}
#endif
