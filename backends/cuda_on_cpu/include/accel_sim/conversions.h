// Conversions between numbers in a rounding mode, and between their bits.
#pragma once
#include "atomics.h"
#include "rounding.h"

namespace accel_sim {

// The whole number of a float in type T: the nearest one that T has. 0 for NaN, or 1 << 63 for 64 bits.
template <typename T>
ACCEL_SIM_INLINE T saturated(double whole) {
    constexpr bool is_signed = T(-1) < T(0);
    constexpr T lowest = is_signed ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0), highest = T(~lowest);
    const double limit = (is_signed ? 0.5 : 1.0) * (sizeof(T) == 8 ? 0x1p64 : 0x1p32);
    if (whole != whole) return sizeof(T) == 8 ? T(T(1) << (sizeof(T) * 8 - 1)) : T(0);
    return whole >= limit ? highest : whole <= double(lowest) ? lowest : T(whole);
}

}  // namespace accel_sim

#define ACCEL_SIM_TO_INTEGER(T, name)                                                                         \
    ACCEL_SIM_INLINE T __float2##name##_rn(float x) { return accel_sim::saturated<T>(__builtin_rintf(x)); }   \
    ACCEL_SIM_INLINE T __float2##name##_rz(float x) { return accel_sim::saturated<T>(__builtin_truncf(x)); }  \
    ACCEL_SIM_INLINE T __float2##name##_ru(float x) { return accel_sim::saturated<T>(__builtin_ceilf(x)); }   \
    ACCEL_SIM_INLINE T __float2##name##_rd(float x) { return accel_sim::saturated<T>(__builtin_floorf(x)); }  \
    ACCEL_SIM_INLINE T __double2##name##_rn(double x) { return accel_sim::saturated<T>(__builtin_rint(x)); }  \
    ACCEL_SIM_INLINE T __double2##name##_rz(double x) { return accel_sim::saturated<T>(__builtin_trunc(x)); } \
    ACCEL_SIM_INLINE T __double2##name##_ru(double x) { return accel_sim::saturated<T>(__builtin_ceil(x)); }  \
    ACCEL_SIM_INLINE T __double2##name##_rd(double x) { return accel_sim::saturated<T>(__builtin_floor(x)); }
ACCEL_SIM_TO_INTEGER(int, int)
ACCEL_SIM_TO_INTEGER(unsigned, uint)
ACCEL_SIM_TO_INTEGER(long long, ll)
ACCEL_SIM_TO_INTEGER(unsigned long long, ull)
#undef ACCEL_SIM_TO_INTEGER

#define ACCEL_SIM_FROM_IN(T, R, name, MODE)                                         \
    ACCEL_SIM_INLINE R name(T x) {                                                  \
        return accel_sim::rounded<accel_sim::MODE, R>([](T x) { return R(x); }, x); \
    }
#define ACCEL_SIM_FROM(T, R, name)                         \
    ACCEL_SIM_INLINE R __##name##_rn(T x) { return R(x); } \
    ACCEL_SIM_FROM_IN(T, R, __##name##_rz, TO_ZERO)        \
    ACCEL_SIM_FROM_IN(T, R, __##name##_ru, UPWARD)         \
    ACCEL_SIM_FROM_IN(T, R, __##name##_rd, DOWNWARD)
ACCEL_SIM_FROM(int, float, int2float)
ACCEL_SIM_FROM(unsigned, float, uint2float)
ACCEL_SIM_FROM(long long, float, ll2float)
ACCEL_SIM_FROM(unsigned long long, float, ull2float)
ACCEL_SIM_FROM(long long, double, ll2double)
ACCEL_SIM_FROM(unsigned long long, double, ull2double)
ACCEL_SIM_FROM(double, float, double2float)
#undef ACCEL_SIM_FROM
#undef ACCEL_SIM_FROM_IN
ACCEL_SIM_INLINE double __int2double_rn(int x) { return x; }
ACCEL_SIM_INLINE double __uint2double_rn(unsigned x) { return x; }

ACCEL_SIM_INLINE int __float_as_int(float x) { return accel_sim::same_bits<int>(x); }
ACCEL_SIM_INLINE unsigned __float_as_uint(float x) { return accel_sim::same_bits<unsigned>(x); }
ACCEL_SIM_INLINE float __int_as_float(int x) { return accel_sim::same_bits<float>(x); }
ACCEL_SIM_INLINE float __uint_as_float(unsigned x) { return accel_sim::same_bits<float>(x); }
ACCEL_SIM_INLINE long long __double_as_longlong(double x) { return accel_sim::same_bits<long long>(x); }
ACCEL_SIM_INLINE double __longlong_as_double(long long x) { return accel_sim::same_bits<double>(x); }
ACCEL_SIM_INLINE int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
ACCEL_SIM_INLINE int __double2loint(double x) { return int(__double_as_longlong(x)); }
ACCEL_SIM_INLINE double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)high << 32 | unsigned(low)));
}
