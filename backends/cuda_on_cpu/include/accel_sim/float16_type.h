// A floating-point type of 16 bits, and its vector of two. Included once for __half and once for __nv_bfloat16, with
//   F, F2, F_RAW, F2_RAW   the names of the types
//   F_FORMAT               how it is encoded
//   F_WORD                 its name in the names of conversions: half, bfloat16
//   F_OTHER                another such type, from which it can be made; not defined: none
// Names and overloads are those of CUDA: what is ambiguous there is ambiguous here. See float16_functions.h.

#define ACCEL_SIM_JOIN_(a, b, c) a##b##c
#define ACCEL_SIM_JOIN(a, b, c) ACCEL_SIM_JOIN_(a, b, c)
#define F_NAME(before, after) ACCEL_SIM_JOIN(before, F_WORD, after)

struct __attribute__((aligned(2))) F_RAW {
    unsigned short x;
};
struct __attribute__((aligned(4))) F2_RAW {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) F {
    unsigned short __x;

    F() = default;
    constexpr F(const F_RAW& raw) : __x(raw.x) {}
#define ACCEL_SIM_FROM(T, As)                                               \
    ACCEL_SIM_INLINE constexpr F(T value) : __x(accel_sim::encode<F_FORMAT>(As(value))) {} \
    ACCEL_SIM_INLINE F& operator=(T value) { return *this = F(value); }
    ACCEL_SIM_FROM(float, float)
    ACCEL_SIM_FROM(double, double)
    ACCEL_SIM_FROM(short, float)
    ACCEL_SIM_FROM(unsigned short, float)
    ACCEL_SIM_FROM(int, double)
    ACCEL_SIM_FROM(unsigned, double)
    ACCEL_SIM_FROM(long, (long long))
    ACCEL_SIM_FROM(unsigned long, (unsigned long long))
    ACCEL_SIM_FROM(long long, (long long))
    ACCEL_SIM_FROM(unsigned long long, (unsigned long long))
#undef ACCEL_SIM_FROM
#ifdef F_OTHER
    ACCEL_SIM_INLINE explicit constexpr F(const F_OTHER& value) : F(float(value)) {}
#endif

    ACCEL_SIM_INLINE constexpr operator float() const { return F_FORMAT::decode(__x); }
    ACCEL_SIM_INLINE constexpr operator bool() const { return __x & 0x7fff; }
#define ACCEL_SIM_TO(T) \
    ACCEL_SIM_INLINE operator T() const { return accel_sim::integer_of<T>(float(*this), accel_sim::ZERO); }
    ACCEL_SIM_TO(char)
    ACCEL_SIM_TO(signed char)
    ACCEL_SIM_TO(unsigned char)
    ACCEL_SIM_TO(short)
    ACCEL_SIM_TO(unsigned short)
    ACCEL_SIM_TO(int)
    ACCEL_SIM_TO(unsigned)
    ACCEL_SIM_TO(long)
    ACCEL_SIM_TO(unsigned long)
    ACCEL_SIM_TO(long long)
    ACCEL_SIM_TO(unsigned long long)
#undef ACCEL_SIM_TO
    operator F_RAW() const { return F_RAW{__x}; }
    operator F_RAW() const volatile { return F_RAW{__x}; }
    F& operator=(const F_RAW& raw) {
        __x = raw.x;
        return *this;
    }
    volatile F& operator=(const F_RAW& raw) volatile {
        __x = raw.x;
        return *this;
    }
};

struct __attribute__((aligned(4))) F2 {
    F x, y;

    F2() = default;
    constexpr F2(const F& a, const F& b) : x(a), y(b) {}
    F2(const F2_RAW& raw) : x(F_RAW{raw.x}), y(F_RAW{raw.y}) {}
    operator F2_RAW() const { return F2_RAW{x.__x, y.__x}; }
};

namespace accel_sim {

template <>
struct FormatOf<F> {
    using type = F_FORMAT;
};

// A value from its bits.
template <>
ACCEL_SIM_INLINE constexpr F raw<F>(unsigned short bits) {
    return F(F_RAW{bits});
}

}  // namespace accel_sim

// --- conversions of scalars

#define ACCEL_SIM_ROUNDINGS(one) one(_rn, NEAREST) one(_rz, ZERO) one(_ru, UP) one(_rd, DOWN)
#define ACCEL_SIM_FROM(Type, name, As)                                                  \
    ACCEL_SIM_FROM_ROUNDED(Type, name, As, _rn, NEAREST)                                \
    ACCEL_SIM_FROM_ROUNDED(Type, name, As, _rz, ZERO)                                   \
    ACCEL_SIM_FROM_ROUNDED(Type, name, As, _ru, UP)                                     \
    ACCEL_SIM_FROM_ROUNDED(Type, name, As, _rd, DOWN)
#define ACCEL_SIM_FROM_ROUNDED(Type, name, As, suffix, rounding)                        \
    ACCEL_SIM_INLINE F F_NAME(name, suffix)(Type value) {                               \
        return accel_sim::raw<F>(accel_sim::encode<F_FORMAT>(As(value), accel_sim::rounding)); \
    }
#define ACCEL_SIM_TO(Type, name)                                                        \
    ACCEL_SIM_TO_ROUNDED(Type, name##_rn, NEAREST)                                      \
    ACCEL_SIM_TO_ROUNDED(Type, name##_rz, ZERO)                                         \
    ACCEL_SIM_TO_ROUNDED(Type, name##_ru, UP)                                           \
    ACCEL_SIM_TO_ROUNDED(Type, name##_rd, DOWN)
#define ACCEL_SIM_TO_ROUNDED(Type, name, rounding)                                      \
    ACCEL_SIM_INLINE Type F_NAME(__, name)(F value) {                                   \
        return accel_sim::integer_of<Type>(float(value), accel_sim::rounding);          \
    }
ACCEL_SIM_FROM(float, __float2, float)
ACCEL_SIM_FROM_ROUNDED(double, __double2, double, , NEAREST)
ACCEL_SIM_FROM_ROUNDED(float, __float2, float, , NEAREST)
ACCEL_SIM_FROM(short, __short2, float)
ACCEL_SIM_FROM(unsigned short, __ushort2, float)
ACCEL_SIM_FROM(int, __int2, double)
ACCEL_SIM_FROM(unsigned, __uint2, double)
ACCEL_SIM_FROM(long long, __ll2, (long long))
ACCEL_SIM_FROM(unsigned long long, __ull2, (unsigned long long))
ACCEL_SIM_TO(short, 2short)
ACCEL_SIM_TO(unsigned short, 2ushort)
ACCEL_SIM_TO(int, 2int)
ACCEL_SIM_TO(unsigned, 2uint)
ACCEL_SIM_TO(long long, 2ll)
ACCEL_SIM_TO(unsigned long long, 2ull)
ACCEL_SIM_TO_ROUNDED(signed char, 2char_rz, ZERO)
ACCEL_SIM_TO_ROUNDED(unsigned char, 2uchar_rz, ZERO)
#undef ACCEL_SIM_ROUNDINGS
#undef ACCEL_SIM_FROM
#undef ACCEL_SIM_FROM_ROUNDED
#undef ACCEL_SIM_TO
#undef ACCEL_SIM_TO_ROUNDED

ACCEL_SIM_INLINE float F_NAME(__, 2float)(F value) { return float(value); }
ACCEL_SIM_INLINE unsigned short F_NAME(__, _as_ushort)(F value) { return value.__x; }
ACCEL_SIM_INLINE short F_NAME(__, _as_short)(F value) { return short(value.__x); }
ACCEL_SIM_INLINE F F_NAME(__ushort_as_, )(unsigned short bits) { return accel_sim::raw<F>(bits); }
ACCEL_SIM_INLINE F F_NAME(__short_as_, )(short bits) { return accel_sim::raw<F>((unsigned short)bits); }

// --- conversions of vectors

ACCEL_SIM_INLINE F2 F_NAME(make_, 2)(F x, F y) { return F2(x, y); }
ACCEL_SIM_INLINE F2 F_NAME(__halves2, 2)(F x, F y) { return F2(x, y); }
ACCEL_SIM_INLINE F2 ACCEL_SIM_JOIN(__, F_WORD, F_NAME(2, 2))(F value) { return F2(value, value); }
ACCEL_SIM_INLINE F2 F_NAME(__float2, 2_rn)(float value) { return F2(F(value), F(value)); }
ACCEL_SIM_INLINE F2 F_NAME(__floats2, 2_rn)(float x, float y) { return F2(F(x), F(y)); }
ACCEL_SIM_INLINE F2 F_NAME(__float22, 2_rn)(float2 value) { return F2(F(value.x), F(value.y)); }
ACCEL_SIM_INLINE float2 F_NAME(__, 22float2)(F2 value) { return float2{float(value.x), float(value.y)}; }
ACCEL_SIM_INLINE float __low2float(F2 value) { return float(value.x); }
ACCEL_SIM_INLINE float __high2float(F2 value) { return float(value.y); }
ACCEL_SIM_INLINE F F_NAME(__low2, )(F2 value) { return value.x; }
ACCEL_SIM_INLINE F F_NAME(__high2, )(F2 value) { return value.y; }
ACCEL_SIM_INLINE F2 F_NAME(__low2, 2)(F2 value) { return F2(value.x, value.x); }
ACCEL_SIM_INLINE F2 F_NAME(__high2, 2)(F2 value) { return F2(value.y, value.y); }
ACCEL_SIM_INLINE F2 F_NAME(__lows2, 2)(F2 a, F2 b) { return F2(a.x, b.x); }
ACCEL_SIM_INLINE F2 F_NAME(__highs2, 2)(F2 a, F2 b) { return F2(a.y, b.y); }
ACCEL_SIM_INLINE F2 __lowhigh2highlow(F2 value) { return F2(value.y, value.x); }
