// Mathematical functions of float and double, on the C library of the host.
//
// <cmath> is not included: it takes more time than the rest of a small unit. The functions of C are declared as there.
// Overloads for float are templates: if the source includes <cmath>, its functions are preferred and nothing clashes.
// Approximate functions (__sinf, __expf ...) are as exact as the others.
#pragma once
#include "keywords.h"

#ifndef INFINITY
#define INFINITY (__builtin_inff ())
#endif
#ifndef NAN
#define NAN (__builtin_nanf (""))
#endif

namespace accel_sim {

template <typename T, typename... Types>
struct IsOneOf {
    static constexpr bool value = false;
};
template <typename T, typename First, typename... Rest>
struct IsOneOf<T, First, Rest...> {
    static constexpr bool value = __is_same(T, First) || IsOneOf<T, Rest...>::value;
};
template <bool>
struct If {};
template <>
struct If<true> {
    typedef int type;
};
template <typename T, typename... Types>
using only = typename If<IsOneOf<T, Types...>::value>::type;

}  // namespace accel_sim

#define ACCEL_SIM_OVERLOAD(T, ...) template <typename T, accel_sim::only<T, __VA_ARGS__> = 0> ACCEL_SIM_INLINE

// Functions of C: a declaration for double and for float, and an overload for float without the suffix f.
#define ACCEL_SIM_MATH_1(name)                  \
    extern "C" double name(double x) noexcept;  \
    extern "C" float name##f(float x) noexcept; \
    ACCEL_SIM_OVERLOAD(T, float) T name(T x) { return name##f(x); }
#define ACCEL_SIM_MATH_2(name)                           \
    extern "C" double name(double x, double y) noexcept; \
    extern "C" float name##f(float x, float y) noexcept; \
    ACCEL_SIM_OVERLOAD(T, float) T name(T x, T y) { return name##f(x, y); }
#define ACCEL_SIM_MATH_TO(R, name)          \
    extern "C" R name(double x) noexcept;   \
    extern "C" R name##f(float x) noexcept; \
    ACCEL_SIM_OVERLOAD(T, float) R name(T x) { return name##f(x); }
#define ACCEL_SIM_MATH_SCALE(name, N)                \
    extern "C" double name(double x, N n) noexcept;  \
    extern "C" float name##f(float x, N n) noexcept; \
    ACCEL_SIM_OVERLOAD(T, float) T name(T x, N n) { return name##f(x, n); }

ACCEL_SIM_MATH_1(acos)
ACCEL_SIM_MATH_1(acosh)
ACCEL_SIM_MATH_1(asin)
ACCEL_SIM_MATH_1(asinh)
ACCEL_SIM_MATH_1(atan)
ACCEL_SIM_MATH_1(atanh)
ACCEL_SIM_MATH_1(cbrt)
ACCEL_SIM_MATH_1(ceil)
ACCEL_SIM_MATH_1(cos)
ACCEL_SIM_MATH_1(cosh)
ACCEL_SIM_MATH_1(erf)
ACCEL_SIM_MATH_1(erfc)
ACCEL_SIM_MATH_1(exp)
ACCEL_SIM_MATH_1(exp10)
ACCEL_SIM_MATH_1(exp2)
ACCEL_SIM_MATH_1(expm1)
ACCEL_SIM_MATH_1(fabs)
ACCEL_SIM_MATH_1(floor)
ACCEL_SIM_MATH_1(j0)
ACCEL_SIM_MATH_1(j1)
ACCEL_SIM_MATH_1(lgamma)
ACCEL_SIM_MATH_1(log)
ACCEL_SIM_MATH_1(log10)
ACCEL_SIM_MATH_1(log1p)
ACCEL_SIM_MATH_1(log2)
ACCEL_SIM_MATH_1(logb)
ACCEL_SIM_MATH_1(nearbyint)
ACCEL_SIM_MATH_1(rint)
ACCEL_SIM_MATH_1(round)
ACCEL_SIM_MATH_1(sin)
ACCEL_SIM_MATH_1(sinh)
ACCEL_SIM_MATH_1(sqrt)
ACCEL_SIM_MATH_1(tan)
ACCEL_SIM_MATH_1(tanh)
ACCEL_SIM_MATH_1(tgamma)
ACCEL_SIM_MATH_1(trunc)
ACCEL_SIM_MATH_1(y0)
ACCEL_SIM_MATH_1(y1)
ACCEL_SIM_MATH_2(atan2)
ACCEL_SIM_MATH_2(copysign)
ACCEL_SIM_MATH_2(fdim)
ACCEL_SIM_MATH_2(fmax)
ACCEL_SIM_MATH_2(fmin)
ACCEL_SIM_MATH_2(fmod)
ACCEL_SIM_MATH_2(hypot)
ACCEL_SIM_MATH_2(nextafter)
ACCEL_SIM_MATH_2(pow)
ACCEL_SIM_MATH_2(remainder)
ACCEL_SIM_MATH_TO(int, ilogb)
ACCEL_SIM_MATH_TO(long, lrint)
ACCEL_SIM_MATH_TO(long, lround)
ACCEL_SIM_MATH_TO(long long, llrint)
ACCEL_SIM_MATH_TO(long long, llround)
ACCEL_SIM_MATH_SCALE(ldexp, int)
ACCEL_SIM_MATH_SCALE(scalbn, int)
ACCEL_SIM_MATH_SCALE(scalbln, long)

extern "C" {
double fma(double x, double y, double z) noexcept;
float fmaf(float x, float y, float z) noexcept;
double jn(int n, double x) noexcept;
float jnf(int n, float x) noexcept;
double yn(int n, double x) noexcept;
float ynf(int n, float x) noexcept;
double nan(const char* tag) noexcept;
float nanf(const char* tag) noexcept;
int abs(int x) noexcept;
long labs(long x) noexcept;
long long llabs(long long x) noexcept;

// These write through pointers. Of the functions of the C library the checks would not see it. gnu_inline: the builtins
// still call the library.
#define ACCEL_SIM_INSTEAD extern __attribute__((always_inline, gnu_inline)) inline
#define ACCEL_SIM_MATH_WRITES(T, f)                                      \
    ACCEL_SIM_INSTEAD T frexp##f(T x, int* exponent) noexcept {          \
        int result = 0;                                                   \
        const T mantissa = __builtin_frexp##f(x, &result);                \
        return *exponent = result, mantissa;                              \
    }                                                                    \
    ACCEL_SIM_INSTEAD T modf##f(T x, T* whole) noexcept {                \
        T result = 0;                                                     \
        const T part = __builtin_modf##f(x, &result);                     \
        return *whole = result, part;                                     \
    }                                                                    \
    ACCEL_SIM_INSTEAD T remquo##f(T x, T y, int* quotient) noexcept {    \
        int result = 0;                                                   \
        const T rest = __builtin_remquo##f(x, y, &result);                \
        return *quotient = result, rest;                                  \
    }                                                                    \
    ACCEL_SIM_INSTEAD void sincos##f(T x, T* sine, T* cosine) noexcept { \
        *sine = __builtin_sin##f(x);                                     \
        __asm__("" : "+m"(x)); /* or the compiler calls sincos */        \
        *cosine = __builtin_cos##f(x);                                   \
    }
ACCEL_SIM_MATH_WRITES(double, )
ACCEL_SIM_MATH_WRITES(float, f)
#undef ACCEL_SIM_MATH_WRITES
}

ACCEL_SIM_OVERLOAD(T, float) T fma(T x, T y, T z) { return fmaf(x, y, z); }
ACCEL_SIM_OVERLOAD(T, float) T frexp(T x, int* exponent) { return frexpf(x, exponent); }
ACCEL_SIM_OVERLOAD(T, float) T modf(T x, T* whole) { return modff(x, whole); }
ACCEL_SIM_OVERLOAD(T, float) T remquo(T x, T y, int* quotient) { return remquof(x, y, quotient); }
ACCEL_SIM_OVERLOAD(T, float) void sincos(T x, T* sine, T* cosine) { sincosf(x, sine, cosine); }
ACCEL_SIM_OVERLOAD(T, long, long long, float, double) T abs(T x) { return x < 0 ? -x : x == 0 ? T(0) : x; }

ACCEL_SIM_OVERLOAD(T, float, double) bool isnan(T x) { return __builtin_isnan(x); }
ACCEL_SIM_OVERLOAD(T, float, double) bool isinf(T x) { return __builtin_isinf(x); }
ACCEL_SIM_OVERLOAD(T, float, double) bool isfinite(T x) { return __builtin_isfinite(x); }
ACCEL_SIM_OVERLOAD(T, float, double) bool signbit(T x) { return __builtin_signbit(x); }

// The smaller and the larger of numbers of two types, which become R.
#define ACCEL_SIM_MIN_MAX(R, A, B)                                                   \
    ACCEL_SIM_INLINE constexpr R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
    ACCEL_SIM_INLINE constexpr R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define ACCEL_SIM_MIN_MAX_OF(T) ACCEL_SIM_MIN_MAX(T, T, T) ACCEL_SIM_MIN_MAX_SIGNED(unsigned T, T)
#define ACCEL_SIM_MIN_MAX_SIGNED(U, T) \
    ACCEL_SIM_MIN_MAX(U, U, U)         \
    ACCEL_SIM_MIN_MAX(U, U, T)         \
    ACCEL_SIM_MIN_MAX(U, T, U)
ACCEL_SIM_MIN_MAX_OF(int)
ACCEL_SIM_MIN_MAX_OF(long)
ACCEL_SIM_MIN_MAX_OF(long long)
#define ACCEL_SIM_FMIN_FMAX(R, A, B, f)                                  \
    ACCEL_SIM_INLINE R min(A a, B b) { return __builtin_fmin##f(a, b); } \
    ACCEL_SIM_INLINE R max(A a, B b) { return __builtin_fmax##f(a, b); }
ACCEL_SIM_FMIN_FMAX(float, float, float, f)
ACCEL_SIM_FMIN_FMAX(double, double, double, )
ACCEL_SIM_FMIN_FMAX(double, float, double, )
ACCEL_SIM_FMIN_FMAX(double, double, float, )
ACCEL_SIM_INLINE constexpr unsigned umin(unsigned a, unsigned b) { return min(a, b); }
ACCEL_SIM_INLINE constexpr unsigned umax(unsigned a, unsigned b) { return max(a, b); }
ACCEL_SIM_INLINE constexpr long long llmin(long long a, long long b) { return min(a, b); }
ACCEL_SIM_INLINE constexpr long long llmax(long long a, long long b) { return max(a, b); }
ACCEL_SIM_INLINE constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
ACCEL_SIM_INLINE constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// The C library declares some of these too.
extern "C" {
ACCEL_SIM_INLINE float __cosf(float x) noexcept { return __builtin_cosf(x); }
ACCEL_SIM_INLINE float __sinf(float x) noexcept { return __builtin_sinf(x); }
ACCEL_SIM_INLINE float __tanf(float x) noexcept { return __builtin_tanf(x); }
ACCEL_SIM_INLINE float __tanhf(float x) noexcept { return __builtin_tanhf(x); }
ACCEL_SIM_INLINE float __expf(float x) noexcept { return __builtin_expf(x); }
ACCEL_SIM_INLINE float __exp10f(float x) noexcept { return exp10f(x); }
ACCEL_SIM_INLINE float __logf(float x) noexcept { return __builtin_logf(x); }
ACCEL_SIM_INLINE float __log2f(float x) noexcept { return __builtin_log2f(x); }
ACCEL_SIM_INLINE float __log10f(float x) noexcept { return __builtin_log10f(x); }
ACCEL_SIM_INLINE float __powf(float x, float y) noexcept { return __builtin_powf(x, y); }
ACCEL_SIM_INLINE void __sincosf(float x, float* sine, float* cosine) noexcept { sincosf(x, sine, cosine); }
}
ACCEL_SIM_INLINE float __fdividef(float x, float y) { return x / y; }
ACCEL_SIM_INLINE float fdividef(float x, float y) { return x / y; }
ACCEL_SIM_INLINE float fdivide(float x, float y) { return x / y; }
ACCEL_SIM_INLINE double fdivide(double x, double y) { return x / y; }
ACCEL_SIM_INLINE float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

#undef ACCEL_SIM_FMIN_FMAX
#undef ACCEL_SIM_MIN_MAX_SIGNED
#undef ACCEL_SIM_MIN_MAX_OF
#undef ACCEL_SIM_MIN_MAX
#undef ACCEL_SIM_MATH_SCALE
#undef ACCEL_SIM_MATH_TO
#undef ACCEL_SIM_MATH_2
#undef ACCEL_SIM_MATH_1
