// What CuPy's headers expect of NVRTC, for g++. They are included here, because a kernel's text is put into a namespace.
#pragma once
#include "../gpu_code/host_gpu.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include <math.h>
#include <stddef.h>

#define __noinline__

using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

template <typename To, typename From>
To bits_as(From value) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To made;
    memcpy(&made, &value, sizeof made);
    return made;
}
inline int __float_as_int(float value) { return bits_as<int>(value); }
inline float __int_as_float(int value) { return bits_as<float>(value); }
inline long long __double_as_longlong(double value) { return bits_as<long long>(value); }
inline double __longlong_as_double(long long value) { return bits_as<double>(value); }
inline int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

// CUDA's functions that C++ does not have. They are templates, because a later C library may have some of them.
template <typename T> T sinpi(T x) { return T(std::sin(M_PI * x)); }
template <typename T> T cospi(T x) { return T(std::cos(M_PI * x)); }
template <typename T> T erfcx(T x) {
    double far = 1 / (2.0 * x * x);
    return T(x < 25 ? std::exp(double(x) * x) * std::erfc(double(x)) : (1 - far + 3 * far * far) / (x * std::sqrt(M_PI)));
}
// The inverses: Winitzki's approximation, and then Newton's method.
inline double near_inverse_of_erf(double product) {
    double a = 0.147, logarithm = std::log(product), term = 2 / (M_PI * a) + logarithm / 2;
    return std::sqrt(std::sqrt(term * term - logarithm / a) - term);
}
inline double newton_step(double x, double error) { return error * std::sqrt(M_PI) / 2 * std::exp(x * x); }
template <typename T> T erfinv(T y) {
    double x = std::copysign(near_inverse_of_erf(1 - double(y) * y), y);
    for (int step = 0; step < 5; ++step) x -= newton_step(x, std::erf(x) - y);
    return T(x);
}
template <typename T> T erfcinv(T y) {
    double x = std::copysign(near_inverse_of_erf(y * (2 - double(y))), 1 - y);
    for (int step = 0; step < 5; ++step) x += newton_step(x, std::erfc(x) - y);
    return T(x);
}
template <typename T> T normcdf(T x) { return T(std::erfc(-x / std::sqrt(2.0)) / 2); }
template <typename T> T normcdfinv(T p) { return T(-std::sqrt(2.0) * erfcinv(2.0 * p)); }
template <typename T> T cyl_bessel_i0(T x) { return T(std::cyl_bessel_i(0.0, std::abs(double(x)))); }
template <typename T> T cyl_bessel_i1(T x) { return T(std::copysign(std::cyl_bessel_i(1.0, std::abs(double(x))), x)); }
inline float erfcxf(float x) { return erfcx(x); }
inline float normcdff(float x) { return normcdf(x); }
inline float normcdfinvf(float p) { return normcdfinv(p); }
inline float cyl_bessel_i0f(float x) { return cyl_bessel_i0(x); }
inline float cyl_bessel_i1f(float x) { return cyl_bessel_i1(x); }

#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
