// Integer functions: bits, bytes, high products, sums of differences, dot products.
#pragma once
#include "keywords.h"

ACCEL_SIM_INLINE constexpr int __popc(unsigned x) { return __builtin_popcount(x); }
ACCEL_SIM_INLINE constexpr int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
ACCEL_SIM_INLINE constexpr int __clz(int x) { return x ? __builtin_clz(x) : 32; }
ACCEL_SIM_INLINE constexpr int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
ACCEL_SIM_INLINE constexpr int __ffs(int x) { return __builtin_ffs(x); }
ACCEL_SIM_INLINE constexpr int __ffsll(long long x) { return __builtin_ffsll(x); }
// Of HIP.
ACCEL_SIM_INLINE constexpr int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }

ACCEL_SIM_INLINE constexpr unsigned long long __brevll(unsigned long long x) {
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}
ACCEL_SIM_INLINE constexpr unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }
// The position of the n-th set bit from `base` on: upwards, or downwards for a negative n; ~0 if there is none.
ACCEL_SIM_INLINE constexpr unsigned __fns(unsigned mask, unsigned base, int n) {
    if (n == 0) return mask >> base & 1 ? base : ~0u;
    const int step = n > 0 ? 1 : -1;
    for (int at = int(base); at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && (n -= step) == 0) return unsigned(at);
    return ~0u;
}

// Each digit of the selector takes one of the eight bytes of y and x, or copies its sign into all bits.
ACCEL_SIM_INLINE constexpr unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 32; i += 8) {
        const unsigned digit = selector >> i / 2 & 15, byte = unsigned(bytes >> digit % 8 * 8) & 0xff;
        result |= (digit < 8 ? byte : byte >> 7 ? 0xff : 0) << i;
    }
    return result;
}
ACCEL_SIM_INLINE constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)high << 32 | low) << shift % 32 >> 32);
}
ACCEL_SIM_INLINE constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)high << 32 | low) >> shift % 32);
}
ACCEL_SIM_INLINE constexpr unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift < 32 ? __funnelshift_l(low, high, shift) : low;
}
ACCEL_SIM_INLINE constexpr unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift < 32 ? __funnelshift_r(low, high, shift) : high;
}

ACCEL_SIM_INLINE constexpr int __mulhi(int x, int y) { return int((long long)x * y >> 32); }
ACCEL_SIM_INLINE constexpr unsigned __umulhi(unsigned x, unsigned y) {
    return unsigned((unsigned long long)x * y >> 32);
}
ACCEL_SIM_INLINE constexpr long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
ACCEL_SIM_INLINE constexpr unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
ACCEL_SIM_INLINE constexpr unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
ACCEL_SIM_INLINE constexpr int __mul24(int x, int y) {
    return int(unsigned(int(unsigned(x) << 8) >> 8) * unsigned(int(unsigned(y) << 8) >> 8));
}
ACCEL_SIM_INLINE constexpr int mul24(int x, int y) { return __mul24(x, y); }
ACCEL_SIM_INLINE constexpr unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }
ACCEL_SIM_INLINE constexpr int mulhi(int x, int y) { return __mulhi(x, y); }

ACCEL_SIM_INLINE constexpr unsigned __usad(unsigned x, unsigned y, unsigned sum) {
    return (x > y ? x - y : y - x) + sum;
}
ACCEL_SIM_INLINE constexpr unsigned __sad(int x, int y, unsigned sum) {
    return (x > y ? unsigned(x) - unsigned(y) : unsigned(y) - unsigned(x)) + sum;
}
ACCEL_SIM_INLINE constexpr int __hadd(int x, int y) { return int(((long long)x + y) >> 1); }
ACCEL_SIM_INLINE constexpr int __rhadd(int x, int y) { return int(((long long)x + y + 1) >> 1); }
ACCEL_SIM_INLINE constexpr unsigned __uhadd(unsigned x, unsigned y) {
    return unsigned(((unsigned long long)x + y) >> 1);
}
ACCEL_SIM_INLINE constexpr unsigned __urhadd(unsigned x, unsigned y) {
    return unsigned(((unsigned long long)x + y + 1) >> 1);
}

namespace accel_sim {

// Part i of a word, as a number of type T.
template <typename T>
ACCEL_SIM_INLINE constexpr int part(unsigned word, int i) {
    return int(T(word >> i * 8 * sizeof(T)));
}

// The sum of products of the parts of a, which are of type A, with those of type B that start with part `first` of b.
template <typename A, typename B>
ACCEL_SIM_INLINE constexpr unsigned dot(unsigned a, unsigned b, unsigned sum, int first = 0) {
    for (unsigned i = 0; i < 4 / sizeof(A); ++i) sum += unsigned(part<A>(a, i)) * unsigned(part<B>(b, first + i));
    return sum;
}

}  // namespace accel_sim

ACCEL_SIM_INLINE constexpr int __dp4a(int a, int b, int sum) {
    return int(accel_sim::dot<signed char, signed char>(a, b, sum));
}
ACCEL_SIM_INLINE constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    return accel_sim::dot<unsigned char, unsigned char>(a, b, sum);
}
ACCEL_SIM_INLINE constexpr int __dp2a_lo(int a, int b, int sum) {
    return int(accel_sim::dot<short, signed char>(a, b, sum));
}
ACCEL_SIM_INLINE constexpr int __dp2a_hi(int a, int b, int sum) {
    return int(accel_sim::dot<short, signed char>(a, b, sum, 2));
}
ACCEL_SIM_INLINE constexpr unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
    return accel_sim::dot<unsigned short, unsigned char>(a, b, sum);
}
ACCEL_SIM_INLINE constexpr unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
    return accel_sim::dot<unsigned short, unsigned char>(a, b, sum, 2);
}
