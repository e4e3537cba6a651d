// Transposes by tiles: a tile is read along the loop that is contiguous in the source (b), and written along the loop
// that is contiguous in the target (a), so that neighbouring threads access neighbouring addresses in both.

constexpr int SIDE = 32;  // words of a tile's side: 128 bytes and more in a row
constexpr int ROWS = 8;   // rows at once: a block has SIDE * ROWS threads

struct Plane {
    Index a_extent, b_extent;
    Distance a_target_stride, a_source_stride, b_target_stride, b_source_stride;
};

// Items are read and written as words of PACK items, except at the end of a row.
template <typename Word, int PACK>
__device__ inline Word load_word(const char* from, Index left) {
    if (left >= PACK) return load(reinterpret_cast<const Word*>(from));
    Word word{};
    if constexpr (PACK > 1)
        for (int i = 0; i < PACK - 1; ++i)
            if (i < left) word |= Word(load(reinterpret_cast<const Item*>(from) + i)) << (8 * ACCEL_ITEM * i);
    return word;
}

template <typename Word, int PACK>
__device__ inline void store_word(char* to, const Word& word, Index left) {
    if (left >= PACK) {
        *reinterpret_cast<Word*>(to) = word;
    } else if constexpr (PACK > 1) {
        for (int i = 0; i < PACK - 1; ++i)
            if (i < left) reinterpret_cast<Item*>(to)[i] = Item(word >> (8 * ACCEL_ITEM * i));
    }
}

// Transposes the PACK x PACK items of PACK words.
template <typename Word, int PACK>
__device__ inline void transpose_words(Word (&words)[PACK]) {
    if constexpr (PACK > 1) {
        Word turned[PACK]{};
#pragma unroll
        for (int i = 0; i < PACK; ++i)
#pragma unroll
            for (int j = 0; j < PACK; ++j) turned[i] |= Word(Item(words[j] >> (8 * ACCEL_ITEM * i))) << (8 * ACCEL_ITEM * j);
#pragma unroll
        for (int i = 0; i < PACK; ++i) words[i] = turned[i];
    }
}

// The number of items from index `at` to the end.
template <bool WHOLE, int PACK>
__device__ inline Index left(Index extent, Index at) {
    return WHOLE ? PACK : at < extent ? extent - at : 0;
}

// One more column than is used, so that the words of a column are in different banks of shared memory.
template <typename Word, int PACK>
using Tile = Word[PACK][SIDE][SIDE + 1];

// WHOLE tiles need no bounds checks; most tiles are whole.
template <typename Word, int PACK, bool WHOLE>
__device__ inline void transpose_tile(Tile<Word, PACK>& shared, char* target, const char* source, Place corner,
                                      const Plane& plane, Index a_extent, Index b_extent) {
    const unsigned x = threadIdx.x, y = threadIdx.y;

    // Rows of words in flight at once: as many as the registers allow.
    constexpr int AT_ONCE = PACK == 4 ? 2 : 4;
#pragma unroll 1
    for (int done = 0; done < SIDE / ROWS; done += AT_ONCE) {
        const unsigned first = y + done * ROWS;
        Word words[AT_ONCE][PACK];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
#pragma unroll
            for (int i = 0; i < PACK; ++i) {
                const Index a = (first + k * ROWS) * PACK + i, b = x * PACK;
                const Index distance = corner.source + a * plane.a_source_stride + b * plane.b_source_stride;
                words[k][i] = Word{};
                if (WHOLE || a < a_extent)
                    words[k][i] = load_word<Word, PACK>(source + Distance(distance), left<WHOLE, PACK>(b_extent, b));
            }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            transpose_words<Word, PACK>(words[k]);
#pragma unroll
            for (int i = 0; i < PACK; ++i) shared[i][x][first + k * ROWS] = words[k][i];
        }
    }
    __syncthreads();
#pragma unroll AT_ONCE
    for (int k = 0; k < SIDE / ROWS; ++k)
#pragma unroll
        for (int i = 0; i < PACK; ++i) {
            const unsigned row = y + k * ROWS;
            const Index a = x * PACK, b = row * PACK + i;
            const Index distance = corner.target + a * plane.a_target_stride + b * plane.b_target_stride;
            if (WHOLE || b < b_extent)
                store_word<Word, PACK>(target + Distance(distance), shared[i][row][x], left<WHOLE, PACK>(a_extent, a));
        }
}

// The last two loops of the tiles are those of the plane.
template <typename Word, int PACK>
__device__ inline void transpose(char* target, const char* source, const Loops& tiles, const Plane& plane) {
    constexpr Index LENGTH = SIDE * PACK;
    __shared__ Tile<Word, PACK> shared;
    for (Index tile = blockIdx.x; tile < tiles.count; tile += gridDim.x) {
        const Place corner = place_of(tiles, tile);
        Index rest = tile;
        const Index a_extent = plane.a_extent - split(rest, tiles.loop[tiles.rank - 1].extent) * LENGTH;
        const Index b_extent = plane.b_extent - split(rest, tiles.loop[tiles.rank - 2].extent) * LENGTH;
        if (a_extent >= LENGTH && b_extent >= LENGTH)
            transpose_tile<Word, PACK, true>(shared, target, source, corner, plane, a_extent, b_extent);
        else
            transpose_tile<Word, PACK, false>(shared, target, source, corner, plane, a_extent, b_extent);
        __syncthreads();  // the next tile must not overwrite what is still being written out
    }
}

extern "C" __global__ void __launch_bounds__(256)
    transpose_items(char* target, const char* source, const Loops tiles, const Plane plane) {
    transpose<Item, 1>(target, source, tiles, plane);
}

#if ACCEL_ITEM < 4
// Like transpose_items, for rows that start at multiples of 4 bytes in source and target.
extern "C" __global__ void __launch_bounds__(256, 4)
    transpose_packed(char* target, const char* source, const Loops tiles, const Plane plane) {
    transpose<unsigned, 4 / ACCEL_ITEM>(target, source, tiles, plane);
}
#endif
