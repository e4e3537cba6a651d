// Instructions of PTX as functions, which `ptx.py` makes inline PTX of: the name of an instruction is that of the
// function, its type is T, and registers are unsigned integers of the width of the type.
#pragma once
#include "formats.h"
#include "kernel.h"

namespace accel_sim::ptx {

template <unsigned BITS>
struct Register;
template <>
struct Register<8> {
    typedef uint8_t type;
};
template <>
struct Register<16> {
    typedef uint16_t type;
};
template <>
struct Register<32> {
    typedef uint32_t type;
};
template <>
struct Register<64> {
    typedef uint64_t type;
};
template <typename T>
using bits_of = typename Register<8 * sizeof(T)>::type;

// The bits of an operand; of a shorter one with zeros above.
template <typename R, typename T>
ACCEL_SIM_INLINE R load(const T& value) {
    R bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T) < sizeof(R) ? sizeof(T) : sizeof(R));
    return bits;
}
template <typename T, typename R>
ACCEL_SIM_INLINE void store(T& to, R bits) {
    __builtin_memcpy(&to, &bits, sizeof(T) < sizeof(R) ? sizeof(T) : sizeof(R));
}

template <typename T>
ACCEL_SIM_INLINE T as(uint64_t bits) {
    return load<T>(bits_of<T>(bits));
}
template <typename T>
ACCEL_SIM_INLINE bits_of<T> result(T value) {
    return load<bits_of<T>>(value);
}

// --- arithmetic and logic

#define ACCEL_SIM_PTX(name, expression)                                                    \
    template <typename T>                                                                  \
    ACCEL_SIM_INLINE bits_of<T> name(uint64_t a_bits, uint64_t b_bits = 0, uint64_t c = 0) { \
        [[maybe_unused]] const T a = as<T>(a_bits), b = as<T>(b_bits);                     \
        return result<T>(T(expression));                                                   \
    }
#define ACCEL_SIM_PTX_TEST(name, expression)                                               \
    template <typename T>                                                                  \
    ACCEL_SIM_INLINE bool setp_##name(uint64_t a_bits, uint64_t b_bits) {                  \
        const T a = as<T>(a_bits), b = as<T>(b_bits);                                      \
        return expression;                                                                 \
    }
ACCEL_SIM_PTX(mov, a)
ACCEL_SIM_PTX(add, a + b)
ACCEL_SIM_PTX(sub, a - b)
ACCEL_SIM_PTX(mul, a * b)
ACCEL_SIM_PTX(mul_lo, a * b)
ACCEL_SIM_PTX(mad_lo, a * b + as<T>(c))
ACCEL_SIM_PTX(min, b < a ? b : a)
ACCEL_SIM_PTX(max, a < b ? b : a)
ACCEL_SIM_PTX(neg, -a)
ACCEL_SIM_PTX(abs, a < 0 ? -a : a)
ACCEL_SIM_PTX(and_, a & b)
ACCEL_SIM_PTX(or_, a | b)
ACCEL_SIM_PTX(xor_, a ^ b)
ACCEL_SIM_PTX(not_, ~a)
// Shifts by the width or more leave nothing, or the sign.
ACCEL_SIM_PTX(shl, uint32_t(b_bits) < 8 * sizeof(T) ? a << uint32_t(b_bits) : 0)
ACCEL_SIM_PTX(shr, uint32_t(b_bits) < 8 * sizeof(T) ? a >> uint32_t(b_bits) : a >> (8 * sizeof(T) - 1))
// The approximate functions are exact here, as __tanhf and the like.
ACCEL_SIM_PTX(tanh_approx, tanh(a))
ACCEL_SIM_PTX(ex2_approx, exp2(a))
ACCEL_SIM_PTX(lg2_approx, log2(a))
ACCEL_SIM_PTX(sin_approx, sin(a))
ACCEL_SIM_PTX(cos_approx, cos(a))
ACCEL_SIM_PTX(rcp_approx, T(1) / a)
ACCEL_SIM_PTX(rsqrt_approx, T(1) / sqrt(a))
ACCEL_SIM_PTX(sqrt_approx, sqrt(a))
ACCEL_SIM_PTX(div_approx, a / b)
ACCEL_SIM_PTX_TEST(eq, a == b)
ACCEL_SIM_PTX_TEST(ne, a != b)
ACCEL_SIM_PTX_TEST(lt, a < b)
ACCEL_SIM_PTX_TEST(le, a <= b)
ACCEL_SIM_PTX_TEST(gt, a > b)
ACCEL_SIM_PTX_TEST(ge, a >= b)
#undef ACCEL_SIM_PTX
#undef ACCEL_SIM_PTX_TEST

template <typename T>
ACCEL_SIM_INLINE bits_of<T> selp(uint64_t a, uint64_t b, bool predicate) {
    return bits_of<T>(predicate ? a : b);
}
template <typename T>
ACCEL_SIM_INLINE uint32_t popc(uint64_t a) {
    return __builtin_popcountll(bits_of<T>(a));
}
template <typename T>
ACCEL_SIM_INLINE uint32_t clz(uint64_t a) {
    return bits_of<T>(a) ? __builtin_clzll(bits_of<T>(a)) - (64 - 8 * sizeof(T)) : 8 * sizeof(T);
}
template <typename T>
ACCEL_SIM_INLINE bits_of<T> brev(uint64_t a) {
    return bits_of<T>(__brevll(a) >> (64 - 8 * sizeof(T)));
}
// The position of the highest bit, or of the highest that differs from the sign; all ones if there is none.
template <typename T>
ACCEL_SIM_INLINE uint32_t bfind(uint64_t a) {
    const T value = as<T>(a);
    const bits_of<T> bits = bits_of<T>(value < 0 ? ~value : value);
    return bits ? 63 - __builtin_clzll(bits) : ~0u;
}
template <typename T>
ACCEL_SIM_INLINE uint32_t bfind_shiftamt(uint64_t a) {
    const uint32_t bit = bfind<T>(a);
    return bit == ~0u ? bit : 8 * sizeof(T) - 1 - bit;
}
ACCEL_SIM_INLINE uint64_t low_bits(uint32_t count) { return count < 64 ? (uint64_t(1) << count) - 1 : ~uint64_t(0); }
template <typename T>
ACCEL_SIM_INLINE bits_of<T> bfe(uint64_t a, uint32_t start, uint32_t width) {
    static_assert(T(-1) > T(0), "only fields without a sign");
    start &= 255, width &= 255;
    return bits_of<T>(start < 64 ? bits_of<T>(a) >> start & low_bits(width) : 0);
}
template <typename T>
ACCEL_SIM_INLINE bits_of<T> bfi(uint64_t field, uint64_t into, uint32_t start, uint32_t width) {
    start &= 255, width &= 255;
    const uint64_t mask = start < 64 ? low_bits(width) << start : 0;
    return bits_of<T>((into & ~mask) | (start < 64 ? field << start & mask : 0));
}
template <typename T>
ACCEL_SIM_INLINE uint32_t bmsk_clamp(uint32_t start, uint32_t width) {
    return start < 32 ? uint32_t(low_bits(width < 32 ? width : 32) << start) : 0;
}
template <typename T>
ACCEL_SIM_INLINE uint32_t bmsk_wrap(uint32_t start, uint32_t width) {
    return bmsk_clamp<T>(start & 31, width & 31);
}
template <typename T>
ACCEL_SIM_INLINE uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector) {
    return __byte_perm(a, b, selector);
}

// --- conversions: those of formats of 16 bits go by float, which has all their numbers

template <typename T>
constexpr bool is_short = false;
template <>
constexpr bool is_short<Half> = true;
template <>
constexpr bool is_short<BFloat16> = true;

template <typename From>
ACCEL_SIM_INLINE auto number_of(uint64_t bits) {
    if constexpr (is_short<From>) return From::decode((unsigned short)bits);
    else return as<From>(bits);
}
template <typename To, typename From>
ACCEL_SIM_INLINE auto cvt(uint64_t bits, Rounding rounding = NEAREST) {
    const auto number = number_of<From>(bits);
    if constexpr (is_short<To>) return encode<To>(number, rounding);
    else if constexpr (__is_same(const float, decltype(number)) && To(1) / 2 == To(0))
        return result<To>(integer_of<To>(number, rounding));
    else return result<To>(To(number));
}

// --- warps

// The lane that `shfl.sync` reads: c has the highest lane, or lowest for up, and from bit 8 the mask of segments.
enum Mode { UP, DOWN, BFLY, IDX };
ACCEL_SIM_INLINE uint32_t shuffled(Mode mode, bool* inside, uint32_t value, uint32_t b, uint32_t c, uint32_t mask) {
    const uint32_t own = lane(), segments = c >> 8 & 31, limit = (own & segments) | (c & 31 & ~segments);
    const int from = mode == UP     ? int(own) - int(b & 31)
                     : mode == DOWN ? int(own + (b & 31))
                     : mode == BFLY ? int(own ^ (b & 31))
                                    : int((own & segments) | (b & 31 & ~segments));
    *inside = mode == UP ? from >= int(limit) : from <= int(limit);
    const uint64_t* const values = accel_sim_collect(mask, value, SHUFFLE);
    return uint32_t(word_at(values + (*inside ? from : int(own))));
}
#define ACCEL_SIM_PTX_SHUFFLE(name, mode)                                                           \
    template <typename T>                                                                           \
    ACCEL_SIM_INLINE uint32_t name(uint32_t value, uint32_t b, uint32_t c, uint32_t mask) {         \
        bool inside;                                                                                \
        return shuffled(mode, &inside, value, b, c, mask);                                          \
    }                                                                                               \
    template <typename T>                                                                           \
    ACCEL_SIM_INLINE uint32_t name(bool* inside, uint32_t value, uint32_t b, uint32_t c, uint32_t mask) { \
        return shuffled(mode, inside, value, b, c, mask);                                           \
    }
ACCEL_SIM_PTX_SHUFFLE(shfl_sync_up, UP)
ACCEL_SIM_PTX_SHUFFLE(shfl_sync_down, DOWN)
ACCEL_SIM_PTX_SHUFFLE(shfl_sync_bfly, BFLY)
ACCEL_SIM_PTX_SHUFFLE(shfl_sync_idx, IDX)
#undef ACCEL_SIM_PTX_SHUFFLE

template <typename T>
ACCEL_SIM_INLINE uint32_t vote_sync_ballot(bool predicate, uint32_t mask) {
    return uint32_t(ballot(mask, predicate));
}
template <typename T>
ACCEL_SIM_INLINE bool vote_sync_any(bool predicate, uint32_t mask) {
    return ballot(mask, predicate) != 0;
}
template <typename T>
ACCEL_SIM_INLINE bool vote_sync_all(bool predicate, uint32_t mask) {
    return uint32_t(ballot(mask, predicate)) == mask;
}
template <typename T>
ACCEL_SIM_INLINE uint32_t match_any_sync(uint64_t value, uint32_t mask) {
    return uint32_t(match(mask, bits_of<T>(value)));
}
#define ACCEL_SIM_PTX_REDUX(name, expression)                                                       \
    template <typename T>                                                                           \
    ACCEL_SIM_INLINE bits_of<T> redux_sync_##name(uint64_t value, uint32_t mask) {                  \
        const uint64_t* const values = accel_sim_collect(mask, value, REDUCE);                      \
        T total = as<T>(word_at(values + __builtin_ctz(mask)));                                     \
        for (mask &= mask - 1; mask; mask &= mask - 1) {                                            \
            const T other = as<T>(word_at(values + __builtin_ctz(mask)));                           \
            total = expression;                                                                     \
        }                                                                                           \
        return result<T>(total);                                                                    \
    }
ACCEL_SIM_PTX_REDUX(add, total + other)
ACCEL_SIM_PTX_REDUX(min, other < total ? other : total)
ACCEL_SIM_PTX_REDUX(max, total < other ? other : total)
ACCEL_SIM_PTX_REDUX(and, total & other)
ACCEL_SIM_PTX_REDUX(or, total | other)
ACCEL_SIM_PTX_REDUX(xor, total ^ other)
#undef ACCEL_SIM_PTX_REDUX

// --- memory: an order is that of the compiler's builtins

static thread_local char near;  // one of the variables in shared memory

// The address in shared memory of which a register has the lower half, or all.
ACCEL_SIM_INLINE uint64_t shared_address(uint64_t address) {
    if (address >> 32) return address;
    const uint64_t dynamic = uint64_t(here()->dynamic_shared), distance = uint32_t(address - dynamic);
    return distance < here()->dynamic_size ? dynamic + distance : uint64_t(&near) + int32_t(uint32_t(address - uint64_t(&near)));
}

// Values that are in memory one after another, in one access.
template <typename T, unsigned COUNT>
struct __attribute__((aligned(COUNT * sizeof(T)))) Vector {
    bits_of<T> each[COUNT];
};
template <typename T, typename... R>
ACCEL_SIM_INLINE void ld_vector(uint64_t at, R&... to) {
    const Vector<T, sizeof...(R)> values = *(const Vector<T, sizeof...(R)>*)at;
    unsigned i = 0;
    ((to = R(values.each[i++])), ...);
}
template <typename T, typename... R>
ACCEL_SIM_INLINE void st_vector(uint64_t at, R... values) {
    *(Vector<T, sizeof...(R)>*)at = {{bits_of<T>(values)...}};
}

// Copies 4, 8 or 16 bytes, of which those after the first `used` become 0.
ACCEL_SIM_INLINE void copy_async(uint64_t to, uint64_t from, uint64_t size, uint64_t used = ~uint64_t(0)) {
    if (used < size) {
        for (uint64_t i = 0; i < size; ++i) ((unsigned char*)to)[i] = i < used ? ((const unsigned char*)from)[i] : 0;
    } else if (size == 16) {
        *(Vector<uint32_t, 4>*)to = *(const Vector<uint32_t, 4>*)from;
    } else if (size == 8) {
        *(uint64_t*)to = *(const uint64_t*)from;
    } else {
        *(uint32_t*)to = *(const uint32_t*)from;
    }
}

template <typename T>
ACCEL_SIM_INLINE bits_of<T> ld(uint64_t at) {
    return *(volatile bits_of<T>*)at;
}
template <typename T>
ACCEL_SIM_INLINE bits_of<T> ld(uint64_t at, int order) {
    step();
    return __atomic_load_n((bits_of<T>*)at, order);
}
template <typename T>
ACCEL_SIM_INLINE void st(uint64_t at, uint64_t value) {
    *(volatile bits_of<T>*)at = bits_of<T>(value);
}
template <typename T>
ACCEL_SIM_INLINE void st(uint64_t at, uint64_t value, int order) {
    step();
    __atomic_store_n((bits_of<T>*)at, bits_of<T>(value), order);
}

#define ACCEL_SIM_PTX_ATOM(name, builtin)                                                           \
    template <typename T>                                                                           \
    ACCEL_SIM_INLINE bits_of<T> atom_##name(uint64_t at, uint64_t value, int order) {               \
        step();                                                                                     \
        return builtin((bits_of<T>*)at, bits_of<T>(value), order);                                  \
    }
ACCEL_SIM_PTX_ATOM(exch, __atomic_exchange_n)
ACCEL_SIM_PTX_ATOM(and, __atomic_fetch_and)
ACCEL_SIM_PTX_ATOM(or, __atomic_fetch_or)
ACCEL_SIM_PTX_ATOM(xor, __atomic_fetch_xor)
#undef ACCEL_SIM_PTX_ATOM

template <typename T>
ACCEL_SIM_INLINE bits_of<T> atom_cas(uint64_t at, uint64_t expected, uint64_t value, int order) {
    step();
    bits_of<T> previous = bits_of<T>(expected);
    __atomic_compare_exchange_n((bits_of<T>*)at, &previous, bits_of<T>(value), false, order, __ATOMIC_RELAXED);
    return previous;
}
#define ACCEL_SIM_PTX_ATOM(name, expression)                                                        \
    template <typename T>                                                                           \
    ACCEL_SIM_INLINE bits_of<T> atom_##name(uint64_t at, uint64_t bits, int order) {                \
        step();                                                                                     \
        bits_of<T>* const word = (bits_of<T>*)at;                                                   \
        const T value = as<T>(bits);                                                                \
        bits_of<T> previous = __atomic_load_n(word, __ATOMIC_RELAXED);                                 \
        for (;;) {                                                                                  \
            const T old = as<T>(previous);                                                             \
            if (__atomic_compare_exchange_n(word, &previous, result<T>(expression), false, order, __ATOMIC_RELAXED)) \
                return previous;                                                                       \
        }                                                                                           \
    }
ACCEL_SIM_PTX_ATOM(add, T(old + value))
ACCEL_SIM_PTX_ATOM(min, (value < old ? value : old))
ACCEL_SIM_PTX_ATOM(max, (old < value ? value : old))
#undef ACCEL_SIM_PTX_ATOM

ACCEL_SIM_INLINE void fence(Scope scope) {
    step();
    accel_sim_fence(scope);
}

}  // namespace accel_sim::ptx
