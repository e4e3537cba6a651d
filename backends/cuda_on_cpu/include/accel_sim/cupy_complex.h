// CuPy's complex numbers: those of C++, which also compute with numbers of other types.
#pragma once
#include <complex>
#include <type_traits>

using std::complex;

namespace accel_sim {
template <typename T, typename U>
using other_number = std::enable_if_t<std::is_arithmetic<U>::value && !std::is_same<T, U>::value, std::common_type_t<T, U>>;
}

#define ACCEL_SIM_MIXED(op)                                                                    \
    template <typename T, typename U, typename R = accel_sim::other_number<T, U>>              \
    inline __device__ complex<R> operator op(const complex<T>& x, const U& y) {                \
        return complex<R>(x) op static_cast<R>(y);                                             \
    }                                                                                          \
    template <typename T, typename U, typename R = accel_sim::other_number<T, U>>              \
    inline __device__ complex<R> operator op(const U& x, const complex<T>& y) {                \
        return static_cast<R>(x) op complex<R>(y);                                             \
    }                                                                                          \
    template <typename T, typename U, std::enable_if_t<!std::is_same<T, U>::value, int> = 0>   \
    inline __device__ complex<std::common_type_t<T, U>> operator op(const complex<T>& x, const complex<U>& y) { \
        using R = std::common_type_t<T, U>;                                                    \
        return complex<R>(x) op complex<R>(y);                                                 \
    }
ACCEL_SIM_MIXED(+)
ACCEL_SIM_MIXED(-)
ACCEL_SIM_MIXED(*)
ACCEL_SIM_MIXED(/)
#undef ACCEL_SIM_MIXED
