// Binary floating-point formats that are narrower than float: decoding, and encoding with one rounding.
//
// Integers only, the same code for every compiler: g++ 12 has no __bf16, and calls a function for each _Float16.
#pragma once
#include "kernel.h"

namespace accel_sim {

enum Rounding { NEAREST, ZERO, UP, DOWN };

ACCEL_SIM_INLINE constexpr float float_of(unsigned bits) { return __builtin_bit_cast(float, bits); }
ACCEL_SIM_INLINE constexpr unsigned bits_of(float value) { return __builtin_bit_cast(unsigned, value); }

// IEEE 754 binary16.
struct Half {
    static constexpr unsigned short NAN_BITS = 0x7fff, INFINITY_BITS = 0x7c00, ONE = 0x3c00, MAX = 0x7bff;

    static ACCEL_SIM_INLINE constexpr float decode(unsigned short bits) {
        const unsigned sign = unsigned(bits & 0x8000) << 16, rest = unsigned(bits & 0x7fff) << 13;
        if (rest >= 0x0f800000) return float_of(sign | 0x70000000 | rest);  // infinity, NaN
        return float_of(sign | bits_of(float_of(rest) * 0x1p112f));
    }

    static ACCEL_SIM_INLINE constexpr unsigned short encode(float value) {
        const unsigned bits = bits_of(value), rest = bits & 0x7fffffff;
        const unsigned sign = bits >> 16 & 0x8000;
        if (rest > 0x7f800000) return NAN_BITS;
        if (rest >= 0x47800000) return sign | INFINITY_BITS;
        if (rest < 0x38800000) return sign | (bits_of(float_of(rest) + 0.5f) - 0x3f000000);  // subnormal
        return sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13;
    }
};

// The upper half of a float.
struct BFloat16 {
    static constexpr unsigned short NAN_BITS = 0x7fff, INFINITY_BITS = 0x7f80, ONE = 0x3f80, MAX = 0x7f7f;

    static ACCEL_SIM_INLINE constexpr float decode(unsigned short bits) { return float_of(unsigned(bits) << 16); }

    static ACCEL_SIM_INLINE constexpr unsigned short encode(float value) {
        const unsigned bits = bits_of(value);
        if ((bits & 0x7fffffff) > 0x7f800000) return NAN_BITS;
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    }
};

// The value rounded to float with the last bit set if it is not exact: another rounding to fewer bits is then right.
ACCEL_SIM_INLINE constexpr float odd(double value) {
    const float near = float(value);
    if (double(near) == value || value != value) return near;
    const bool above = __builtin_fabs(double(near)) > __builtin_fabs(value);
    return float_of((bits_of(near) - above) | 1);
}
ACCEL_SIM_INLINE constexpr float odd(float value) { return value; }
ACCEL_SIM_INLINE constexpr float odd(unsigned long long value) {
    const bool inexact = value >> 53 && value & 0xfff;
    return odd(double(inexact ? (value & ~0xfffull) | 0x1000 : value));
}
ACCEL_SIM_INLINE constexpr float odd(long long value) {
    return value < 0 ? -odd(-(unsigned long long)value) : odd((unsigned long long)value);
}

ACCEL_SIM_INLINE constexpr unsigned short next_up(unsigned short bits) {
    return bits == 0x8000 ? 1 : bits & 0x8000 ? bits - 1 : bits + 1;
}
ACCEL_SIM_INLINE constexpr unsigned short next_down(unsigned short bits) {
    return bits == 0 ? 0x8001 : bits & 0x8000 ? bits + 1 : bits - 1;
}

template <typename Format, typename From>
ACCEL_SIM_INLINE constexpr unsigned short encode(From from, Rounding rounding = NEAREST) {
    const float value = odd(from);
    const unsigned short bits = Format::encode(value);
    if (rounding == NEAREST || value != value) return bits;
    const float nearest = Format::decode(bits);
    if (nearest < value && (rounding == UP || (rounding == ZERO && value < 0))) return next_up(bits);
    if (nearest > value && (rounding == DOWN || (rounding == ZERO && value > 0))) return next_down(bits);
    return bits;
}

// a * b + c, rounded once. The product is exact in double; the sum is rounded to odd.
template <typename Format>
ACCEL_SIM_INLINE unsigned short fused(unsigned short a, unsigned short b, unsigned short c) {
    const double product = double(Format::decode(a)) * Format::decode(b), other = Format::decode(c);
    double sum = product + other;
    if (__builtin_isfinite(sum)) {
        const double part = sum - product, error = (product - (sum - part)) + (other - part);
        unsigned long long bits = __builtin_bit_cast(unsigned long long, sum);
        if (error != 0 && !(bits & 1)) {
            bits += (error > 0) == (sum > 0) ? 1 : -1;
            sum = __builtin_bit_cast(double, bits);
        }
    }
    return encode<Format>(sum);
}

// The value as an integer: the nearest that it can hold, 0 for NaN, as a GPU converts.
template <typename Integer>
ACCEL_SIM_INLINE Integer integer_of(float value, Rounding rounding) {
    if (value != value) return 0;
    const float whole = rounding == NEAREST ? __builtin_rintf(value)
                        : rounding == ZERO  ? __builtin_truncf(value)
                        : rounding == UP    ? __builtin_ceilf(value)
                                            : __builtin_floorf(value);
    constexpr int bits = 8 * sizeof(Integer);
    constexpr bool is_signed = Integer(-1) < Integer(0);
    constexpr float above = float(1ull << (bits - 1)) * (is_signed ? 1 : 2);
    constexpr Integer lowest = is_signed ? Integer(1ull << (bits - 1)) : 0;
    if (whole >= above) return Integer(~lowest);
    return whole < (is_signed ? -above : 0) ? lowest : Integer(whole);
}

// For each type of 16 bits: its format, and a value from its bits.
template <typename T>
struct FormatOf;
template <typename T>
constexpr T raw(unsigned short bits);

// Replaces a word in memory by next(word), atomically. Returns the old word.
template <typename Word, typename Next>
ACCEL_SIM_INLINE Word replace(Word* at, Next next) {
    Word old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, Word(next(old)), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
    return old;
}

}  // namespace accel_sim
