// Operators of Python in the kernels of cupyx.jit.
#pragma once
#include <cmath>
#include <type_traits>

#include "cupy_arrays.h"

namespace accel_sim {
template <typename T>
using whole = std::enable_if_t<std::is_integral<T>::value, int>;
template <typename T>
using real = std::enable_if_t<!std::is_integral<T>::value, int>;

template <typename A, typename B, typename R = decltype(A() + B()), real<R> = 0>
ACCEL_SIM_INLINE R divided(A a, B b) { return R(a) / R(b); }
template <typename A, typename B, typename R = decltype(A() + B()), whole<R> = 0>
ACCEL_SIM_INLINE double divided(A a, B b) { return double(a) / double(b); }

template <typename A, typename B, typename R = decltype(A() + B()), real<R> = 0>
ACCEL_SIM_INLINE R floor_divided(A a, B b) { return floor(R(a) / R(b)); }
template <typename A, typename B, typename R = decltype(A() + B()), whole<R> = 0>
ACCEL_SIM_INLINE R floor_divided(A a, B b) {
    if (b == 0) return 0;
    const R quotient = R(a) / R(b);
    return quotient * R(b) != R(a) && (R(a) < 0) != (R(b) < 0) ? quotient - 1 : quotient;
}

template <typename A, typename B, typename R = decltype(A() + B()), real<R> = 0>
ACCEL_SIM_INLINE R remainder_of(A a, B b) { return R(a) - floor(R(a) / R(b)) * R(b); }
template <typename A, typename B, typename R = decltype(A() + B()), whole<R> = 0>
ACCEL_SIM_INLINE R remainder_of(A a, B b) { return b == 0 ? R(0) : R(a) - floor_divided(a, b) * R(b); }

template <typename A, typename B, typename R = decltype(A() + B()), real<R> = 0>
ACCEL_SIM_INLINE R raised(A a, B b) { return pow(R(a), R(b)); }
template <typename A, typename B, typename R = decltype(A() + B()), whole<R> = 0>
ACCEL_SIM_INLINE R raised(A a, B b) {
    if (b < 0) return a == A(1) ? R(1) : a == A(-1) ? (b % 2 == 0 ? R(1) : R(-1)) : R(0);
    R result = 1, base = a;
    for (R left = b; left > 0; left >>= 1, base *= base)
        if (left & 1) result *= base;
    return result;
}

// The value of an assignment; NumPy calls the casts that are allowed same_kind.
template <typename T, typename V>
ACCEL_SIM_INLINE T same_kind(const V& value) {
    static_assert(!std::is_integral<T>::value || std::is_integral<V>::value,
                  "a floating point number is assigned to an integer: write the cast, as in cupy.int32(x)");
    return static_cast<T>(value);
}
}  // namespace accel_sim
