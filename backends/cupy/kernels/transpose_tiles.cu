// Transposes by tiles: a tile is read along the loop that is contiguous in the source (b), and written along the loop
// that is contiguous in the target (a), so that neighbouring threads access neighbouring addresses in both.
//
// A thread reads squares of PACK x PACK items as PACK words, transposes them in registers, and stores words of the
// target's order in shared memory. Distances are in items. Macros:
// ACCEL_WORD, bytes of a word; the extents of the plane and the distances of its rows are multiples of PACK items.
// ACCEL_SIDE_A, ACCEL_SIDE_B, items of a tile's sides.

#ifdef ACCEL_TRANSPOSE_TILES
using Word = Access<ACCEL_WORD>::Type;

constexpr int THREADS = 256;
constexpr int PACK = ACCEL_WORD / ACCEL_ITEM;
constexpr int ACROSS = ACCEL_SIDE_B / PACK;                  // threads along b
constexpr int DOWN = THREADS / ACROSS;                       // threads along a
constexpr int SQUARES = ACCEL_SIDE_A / (DOWN * PACK);        // of a thread
constexpr int COLUMNS = ACCEL_SIDE_A / PACK;                 // words of a row in shared memory
// Words in flight at once. AMD's compiler keeps the multiples of a stride in scalar registers, which are few; distances
// of 64 bits take two registers each.
#if defined(__HIP_DEVICE_COMPILE__) || ACCEL_DISTANCE == 64
constexpr int MOST = 8;
#else
constexpr int MOST = 16;
#endif
constexpr int AT_ONCE = SQUARES * PACK > MOST ? MOST / PACK : SQUARES;  // squares
constexpr int WRITES = AT_ONCE * PACK;
using Tile = Word[ACCEL_SIDE_B][COLUMNS];

struct Plane {
    Divisor a_tiles, b_tiles;
    Index a_extent, b_extent;
    Distance a_source_stride, b_target_stride;
};

// The words of 128 bytes in shared memory, or of several rows at the same place, are in different banks. Words smaller
// than a bank stay together in fours of bytes.
__device__ inline unsigned column_of(unsigned row, unsigned column) {
    constexpr unsigned BANK = ACCEL_WORD < 4 ? 4 : ACCEL_WORD;
    return column ^ (row / PACK % (128 / BANK) * (BANK / ACCEL_WORD));
}

// One multiplication and addition, if distances have 32 bits.
template <typename Type>
__device__ inline Type* moved(Type* from, Distance stride, int steps) {
    return from + static_cast<long long>(stride) * steps;
}

// WHOLE tiles need no bounds checks; most tiles are whole. `left` are the items from the tile's corner to the end.
template <bool WHOLE>
__device__ inline void read_tile(Tile& shared, const Item* source, Distance stride, Index a_left, Index b_left) {
    const unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    const Item* from = source + Distance(y * PACK * Offset(stride) + x * PACK);
    if (!WHOLE && x * PACK >= b_left) a_left = 0;
#pragma unroll 1
    for (int done = 0; done < SQUARES; done += AT_ONCE) {
        Word words[AT_ONCE][PACK];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
#pragma unroll
            for (int i = 0; i < PACK; ++i) {
                words[k][i] = Word{};
                if (WHOLE || (y + (done + k) * DOWN) * PACK < a_left)
                    words[k][i] = load(reinterpret_cast<const Word*>(moved(from, stride, k * DOWN * PACK + i)));
            }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            turn<Word, PACK>(words[k]);
#pragma unroll
            for (int i = 0; i < PACK; ++i)
                shared[x * PACK + i][column_of(x * PACK + i, y + (done + k) * DOWN)] = words[k][i];
        }
        from = moved(from, stride, AT_ONCE * DOWN * PACK);
    }
}

template <bool WHOLE>
__device__ inline void write_tile(Tile& shared, Item* target, Distance stride, Index a_left, Index b_left) {
    constexpr int ROWS = THREADS / COLUMNS;  // at once
    const unsigned row = threadIdx.x / COLUMNS, column = threadIdx.x % COLUMNS;
    Item* to = target + Distance(row * Offset(stride) + column * PACK);
    if (!WHOLE && column * PACK >= a_left) b_left = 0;
#pragma unroll(WRITES)
    for (int k = 0; k < ACCEL_SIDE_B / ROWS; ++k)
        if (WHOLE || row + k * ROWS < b_left)
            *reinterpret_cast<Word*>(moved(to, stride, k * ROWS)) =
                shared[row + k * ROWS][column_of(row + k * ROWS, column)];
}

template <bool WHOLE>
__device__ inline void transpose_tile(Tile& shared, Item* target, const Item* source, const Plane& plane, Index a_left,
                                      Index b_left) {
    read_tile<WHOLE>(shared, source, plane.a_source_stride, a_left, b_left);
    __syncthreads();
    write_tile<WHOLE>(shared, target, plane.b_target_stride, a_left, b_left);
}

extern "C" __global__ void __launch_bounds__(256, 3)
    transpose_tiles(char* target, const char* source, const Loops planes, const Plane plane) {
    __shared__ Tile shared;
    const Index count = planes.count * plane.a_tiles.value * plane.b_tiles.value;
    for (Index tile = blockIdx.x; tile < count; tile += gridDim.x) {
        Index number = tile;
        const Index a = split(number, plane.a_tiles) * ACCEL_SIDE_A, b = split(number, plane.b_tiles) * ACCEL_SIDE_B;
        const Place corner = place_of(planes, number);
        Item* to = reinterpret_cast<Item*>(target) + Distance(corner.target + a + b * Offset(plane.b_target_stride));
        const Item* from =
            reinterpret_cast<const Item*>(source) + Distance(corner.source + b + a * Offset(plane.a_source_stride));
        const Index a_left = plane.a_extent - a, b_left = plane.b_extent - b;
        if (a_left >= ACCEL_SIDE_A && b_left >= ACCEL_SIDE_B)
            transpose_tile<true>(shared, to, from, plane, a_left, b_left);
        else
            transpose_tile<false>(shared, to, from, plane, a_left, b_left);
        __syncthreads();  // the next tile must not overwrite what is still being written out
    }
}
#endif
