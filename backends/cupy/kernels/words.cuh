// A word is what a thread reads or writes in one access: one item, or PACK items that are neighbours.

// Takes four of the eight bytes of two registers; each digit of SELECTOR is the number of a byte, the last digit first.
template <unsigned SELECTOR>
__device__ inline unsigned picked(unsigned low, unsigned high) {
#ifdef __CUDA_ARCH__
    return __byte_perm(low, high, SELECTOR);
#else
    const unsigned long long both = (unsigned long long)high << 32 | low;
    unsigned made = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) made |= unsigned(both >> 8 * (SELECTOR >> 4 * i & 7) & 0xFF) << 8 * i;
    return made;
#endif
}

// The registers of a word.
__device__ inline void take_apart(unsigned (&parts)[1], unsigned word) { parts[0] = word; }
__device__ inline void take_apart(unsigned (&parts)[2], unsigned long long word) {
    parts[0] = unsigned(word), parts[1] = unsigned(word >> 32);
}
__device__ inline void take_apart(unsigned (&parts)[4], const uint4& word) {
    parts[0] = word.x, parts[1] = word.y, parts[2] = word.z, parts[3] = word.w;
}
__device__ inline void put_together(unsigned& word, const unsigned (&parts)[1]) { word = parts[0]; }
__device__ inline void put_together(unsigned long long& word, const unsigned (&parts)[2]) {
    word = (unsigned long long)parts[1] << 32 | parts[0];
}
__device__ inline void put_together(uint4& word, const unsigned (&parts)[4]) {
    word.x = parts[0], word.y = parts[1], word.z = parts[2], word.w = parts[3];
}

// Transposes the 4 x 4 bytes of four registers.
__device__ inline void turn_bytes(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
    const unsigned low = picked<0x5140>(a, b), high = picked<0x7362>(a, b);  // low is a0 b0 a1 b1
    const unsigned other_low = picked<0x5140>(c, d), other_high = picked<0x7362>(c, d);
    a = picked<0x5410>(low, other_low), b = picked<0x7632>(low, other_low);
    c = picked<0x5410>(high, other_high), d = picked<0x7632>(high, other_high);
}

// Transposes the 2 x 2 pairs of bytes of two registers.
__device__ inline void turn_pairs(unsigned& a, unsigned& b) {
    const unsigned first = picked<0x5410>(a, b);
    b = picked<0x7632>(a, b), a = first;
}

// Transposes the PACK x PACK items of PACK words. Only items smaller than a register take instructions: others move by
// being called differently.
template <typename Word, int PACK>
__device__ inline void turn(Word (&words)[PACK]) {
    constexpr int SIZE = sizeof(Word) / PACK;
    if constexpr (PACK > 1) {
        constexpr int LENGTH = SIZE < 4 ? 4 / SIZE : 1;  // items of a register
        constexpr int WIDTH = SIZE < 4 ? 1 : SIZE / 4;   // registers of an item
        constexpr int PARTS = sizeof(Word) / 4;
        unsigned parts[PACK][PARTS], turned[PACK][PARTS];
#pragma unroll
        for (int i = 0; i < PACK; ++i) take_apart(parts[i], words[i]);
#pragma unroll
        for (int i = 0; i < PACK; i += LENGTH)
#pragma unroll
            for (int j = 0; j < PARTS; j += WIDTH) {
                if constexpr (SIZE == 1) turn_bytes(parts[i][j], parts[i + 1][j], parts[i + 2][j], parts[i + 3][j]);
                if constexpr (SIZE == 2) turn_pairs(parts[i][j], parts[i + 1][j]);
                // Square (i, j) of the registers becomes square (j, i).
#pragma unroll
                for (int k = 0; k < LENGTH; ++k)
#pragma unroll
                    for (int l = 0; l < WIDTH; ++l)
                        turned[j / WIDTH * LENGTH + k][i / LENGTH * WIDTH + l] = parts[i + k][j + l];
            }
#pragma unroll
        for (int i = 0; i < PACK; ++i) put_together(words[i], turned[i]);
    }
}
