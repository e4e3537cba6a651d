// What CuPy's headers expect of NVRTC, for g++. They are included here, because a kernel's text is put into a namespace.
#pragma once
#include "../gpu_code/host_gpu.h"

#include <cassert>
#include <cstddef>
#include <cmath>

#include <math.h>
#include <stddef.h>

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

#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
#include <cupy/atomics.cuh>
#include <cupy/math_constants.h>
