// Arithmetic on the two halfwords or the four bytes of a word, and the DPX functions.
#pragma once
#include "integers.h"

namespace accel_sim {

template <typename T>
ACCEL_SIM_INLINE constexpr int clamped(int x) {
    constexpr bool is_signed = T(-1) < T(0);
    constexpr int highest = (1 << (8 * sizeof(T) - is_signed)) - 1, lowest = is_signed ? -highest - 1 : 0;
    return x < lowest ? lowest : x > highest ? highest : x;
}

// A number as part i, of type T, of a word.
template <typename T>
ACCEL_SIM_INLINE unsigned placed(int x, int i) {
    constexpr int bits = 8 * sizeof(T);
    return (unsigned(x) & ((1u << bits) - 1)) << i * bits;
}

template <typename T>
ACCEL_SIM_INLINE unsigned sum_of_differences(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 4 / sizeof(T); ++i) sum += unsigned(__builtin_abs(part<T>(a, i) - part<T>(b, i)));
    return sum;
}

}  // namespace accel_sim

// name##2 and name##4 of an expression of parts x (and y), which are of the type T in the expression.
#define ACCEL_SIM_PARTS_1(name, Half, Byte, expression) \
    ACCEL_SIM_PART_1(name##2, Half, expression) ACCEL_SIM_PART_1(name##4, Byte, expression)
#define ACCEL_SIM_PART_1(name, Type, expression)                              \
    ACCEL_SIM_INLINE unsigned name(unsigned a) {                              \
        typedef Type T;                                                       \
        unsigned result = 0;                                                  \
        for (int i = 0; i < 4 / int(sizeof(T)); ++i) {                        \
            const int x = accel_sim::part<T>(a, i);                           \
            result |= accel_sim::placed<T>(expression, i);                    \
        }                                                                     \
        return result;                                                        \
    }
#define ACCEL_SIM_PARTS(name, Half, Byte, expression) \
    ACCEL_SIM_PART(name##2, Half, expression) ACCEL_SIM_PART(name##4, Byte, expression)
#define ACCEL_SIM_PART(name, Type, expression)                                        \
    ACCEL_SIM_INLINE unsigned name(unsigned a, unsigned b) {                          \
        typedef Type T;                                                               \
        unsigned result = 0;                                                          \
        for (int i = 0; i < 4 / int(sizeof(T)); ++i) {                                \
            const int x = accel_sim::part<T>(a, i), y = accel_sim::part<T>(b, i);     \
            result |= accel_sim::placed<T>(expression, i);                            \
        }                                                                             \
        return result;                                                                \
    }
#define ACCEL_SIM_SIGNED(name, expression) ACCEL_SIM_PARTS(name, short, signed char, expression)
#define ACCEL_SIM_UNSIGNED(name, expression) ACCEL_SIM_PARTS(name, unsigned short, unsigned char, expression)

ACCEL_SIM_PARTS_1(__vabs, short, signed char, x < 0 ? -x : x)
ACCEL_SIM_PARTS_1(__vabsss, short, signed char, accel_sim::clamped<T>(x < 0 ? -x : x))
ACCEL_SIM_PARTS_1(__vneg, short, signed char, -x)
ACCEL_SIM_PARTS_1(__vnegss, short, signed char, accel_sim::clamped<T>(-x))
ACCEL_SIM_UNSIGNED(__vadd, x + y)
ACCEL_SIM_SIGNED(__vaddss, accel_sim::clamped<T>(x + y))
ACCEL_SIM_UNSIGNED(__vaddus, accel_sim::clamped<T>(x + y))
ACCEL_SIM_UNSIGNED(__vsub, x - y)
ACCEL_SIM_SIGNED(__vsubss, accel_sim::clamped<T>(x - y))
ACCEL_SIM_UNSIGNED(__vsubus, accel_sim::clamped<T>(x - y))
ACCEL_SIM_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
ACCEL_SIM_UNSIGNED(__vavgu, (x + y + 1) >> 1)
ACCEL_SIM_UNSIGNED(__vhaddu, (x + y) >> 1)
ACCEL_SIM_SIGNED(__vabsdiffs, x > y ? x - y : y - x)
ACCEL_SIM_UNSIGNED(__vabsdiffu, x > y ? x - y : y - x)
ACCEL_SIM_SIGNED(__vmaxs, x > y ? x : y)
ACCEL_SIM_UNSIGNED(__vmaxu, x > y ? x : y)
ACCEL_SIM_SIGNED(__vmins, x < y ? x : y)
ACCEL_SIM_UNSIGNED(__vminu, x < y ? x : y)

// Comparisons give all bits or none, or 1 or 0.
#define ACCEL_SIM_COMPARE(name, SIGN, condition)         \
    ACCEL_SIM_##SIGN(__vcmp##name, (condition) ? -1 : 0) \
    ACCEL_SIM_##SIGN(__vset##name, (condition) ? 1 : 0)
ACCEL_SIM_COMPARE(eq, UNSIGNED, x == y)
ACCEL_SIM_COMPARE(ne, UNSIGNED, x != y)
ACCEL_SIM_COMPARE(ges, SIGNED, x >= y)
ACCEL_SIM_COMPARE(geu, UNSIGNED, x >= y)
ACCEL_SIM_COMPARE(gts, SIGNED, x > y)
ACCEL_SIM_COMPARE(gtu, UNSIGNED, x > y)
ACCEL_SIM_COMPARE(les, SIGNED, x <= y)
ACCEL_SIM_COMPARE(leu, UNSIGNED, x <= y)
ACCEL_SIM_COMPARE(lts, SIGNED, x < y)
ACCEL_SIM_COMPARE(ltu, UNSIGNED, x < y)
#undef ACCEL_SIM_COMPARE

ACCEL_SIM_INLINE unsigned __vsads2(unsigned a, unsigned b) { return accel_sim::sum_of_differences<short>(a, b); }
ACCEL_SIM_INLINE unsigned __vsads4(unsigned a, unsigned b) { return accel_sim::sum_of_differences<signed char>(a, b); }
ACCEL_SIM_INLINE unsigned __vsadu2(unsigned a, unsigned b) {
    return accel_sim::sum_of_differences<unsigned short>(a, b);
}
ACCEL_SIM_INLINE unsigned __vsadu4(unsigned a, unsigned b) {
    return accel_sim::sum_of_differences<unsigned char>(a, b);
}

// DPX: the larger or the smaller of a sum and a number, of three numbers, and of these and 0.
#define ACCEL_SIM_DPX(name, compare)                                                \
    ACCEL_SIM_DPX_32(name, compare, int, s32)                                       \
    ACCEL_SIM_DPX_32(name, compare, unsigned, u32)                                  \
    ACCEL_SIM_DPX_16(name, compare, short, s16x2)                                   \
    ACCEL_SIM_DPX_16(name, compare, unsigned short, u16x2)                          \
    ACCEL_SIM_DPX_RELU(name, int, s32, [](int x) { return x > 0 ? x : 0; }(result)) \
    ACCEL_SIM_DPX_RELU(name, unsigned, s16x2, __vmaxs2(result, 0))
#define ACCEL_SIM_DPX_32(name, compare, T, type)                                     \
    ACCEL_SIM_INLINE T __vi##name##_##type(T a, T b) { return a compare b ? a : b; } \
    ACCEL_SIM_INLINE T __vi##name##3_##type(T a, T b, T c) {                         \
        return __vi##name##_##type(__vi##name##_##type(a, b), c);                    \
    }                                                                                \
    ACCEL_SIM_INLINE T __viadd##name##_##type(T a, T b, T c) {                       \
        return __vi##name##_##type(T(unsigned(a) + unsigned(b)), c);                 \
    }                                                                                \
    ACCEL_SIM_INLINE T __vib##name##_##type(T a, T b, bool* first) {                 \
        *first = a == b || a compare b;                                              \
        return a compare b ? a : b;                                                  \
    }
#define ACCEL_SIM_DPX_16(name, compare, Type, type)                                                    \
    ACCEL_SIM_PART(__vi##name##_##type, Type, x compare y ? x : y)                                     \
    ACCEL_SIM_INLINE unsigned __vi##name##3_##type(unsigned a, unsigned b, unsigned c) {            \
        return __vi##name##_##type(__vi##name##_##type(a, b), c);                                   \
    }                                                                                               \
    ACCEL_SIM_INLINE unsigned __viadd##name##_##type(unsigned a, unsigned b, unsigned c) {          \
        return __vi##name##_##type(__vadd2(a, b), c);                                               \
    }                                                                                               \
    ACCEL_SIM_INLINE unsigned __vib##name##_##type(unsigned a, unsigned b, bool* high, bool* low) { \
        const unsigned result = __vi##name##_##type(a, b), same = __vcmpeq2(result, a);             \
        *high = same >> 16 != 0, *low = (same & 0xffff) != 0;                                       \
        return result;                                                                              \
    }
#define ACCEL_SIM_DPX_RELU(name, T, type, expression)                 \
    ACCEL_SIM_INLINE T __vi##name##_##type##_relu(T a, T b) {         \
        const T result = __vi##name##_##type(a, b);                   \
        return expression;                                            \
    }                                                                 \
    ACCEL_SIM_INLINE T __vi##name##3_##type##_relu(T a, T b, T c) {   \
        const T result = __vi##name##3_##type(a, b, c);               \
        return expression;                                            \
    }                                                                 \
    ACCEL_SIM_INLINE T __viadd##name##_##type##_relu(T a, T b, T c) { \
        const T result = __viadd##name##_##type(a, b, c);             \
        return expression;                                            \
    }
ACCEL_SIM_DPX(max, >)
ACCEL_SIM_DPX(min, <)

#undef ACCEL_SIM_DPX_RELU
#undef ACCEL_SIM_DPX_16
#undef ACCEL_SIM_DPX_32
#undef ACCEL_SIM_DPX
#undef ACCEL_SIM_UNSIGNED
#undef ACCEL_SIM_SIGNED
#undef ACCEL_SIM_PART
#undef ACCEL_SIM_PARTS
#undef ACCEL_SIM_PART_1
#undef ACCEL_SIM_PARTS_1
