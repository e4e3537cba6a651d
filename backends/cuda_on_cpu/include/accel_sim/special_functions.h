// Mathematical functions that CUDA has, and C has not. Those of float are those of double, rounded.
#pragma once
#include "math_functions.h"

namespace accel_sim {

constexpr double PI = 3.14159265358979323846, SQRT_PI = 1.77245385090551602730, SQRT_HALF = 0.70710678118654752440;

// sin and cos of pi x: 2 x is a whole number plus a rest, both exact.
inline void sincospi(double x, double& sine, double& cosine) {
    if (__builtin_fabs(x) >= 0x1p53 && __builtin_isfinite(x)) x = __builtin_copysign(0., x);  // even
    const double quarters = __builtin_rint(2 * x), angle = PI * __builtin_fma(-0.5, quarters, x);
    const double s = __builtin_sin(angle), c = __builtin_cos(angle);
    const double sines[4] = {s, c, -s, -c};
    const unsigned quarter = __builtin_isfinite(x) ? unsigned((long long)quarters) : 0;
    sine = sines[quarter % 4], cosine = sines[(quarter + 1) % 4] + 0.;  // no -0
}
inline double sinpi(double x) {
    double sine, cosine;
    return sincospi(x, sine, cosine), sine;
}
inline double cospi(double x) {
    double sine, cosine;
    return sincospi(x, sine, cosine), cosine;
}

// exp(x^2) erfc(x) for x >= 0.
inline double erfcx_positive(double x) {
    if (x < 12) {
        const double square = x * x;
        return exp(square) * (1 + __builtin_fma(x, x, -square)) * erfc(x);
    }
    const double step = 0.5 / x / x;
    double term = 1, sum = 1;
    for (int i = 1; i < 24; i += 2) sum += term *= -step * i;
    return sum / (x * SQRT_PI);
}

inline double erfcx(double x) {
    if (x >= 0) return erfcx_positive(x);
    const double square = x * x;
    return exp(square) * (1 + __builtin_fma(x, x, -square)) * erfc(x);
}

// The first guess of the inverse of erf, with an error of 0.2 %: log is of 1 - y^2.
inline double erfinv_guess(double log) {
    const double a = 0.147, b = 2 / (PI * a) + log / 2;
    return sqrt(sqrt(b * b - log / a) - b);
}

// For |y| <= 0.5: Halley's iteration.
inline double erfinv_inside(double y) {
    double x = __builtin_copysign(erfinv_guess(log1p(-y * y)), y);
    for (int i = 0; i < 2; ++i) {
        const double error = (erf(x) - y) * (SQRT_PI / 2) * exp(x * x);
        x -= error / (1 + x * error);
    }
    return x;
}

// The C library's is 2 ulps off or more; one step of Newton's iteration with an exact cube.
inline double cube_root(double x) {
    const double y = cbrt(x), square = y * y;
    if (!(square > 0 && square < __builtin_inf())) return y;
    const double rest = __builtin_fma(square, y, -x) + __builtin_fma(y, y, -square) * y;
    return y - rest / (3 * square);
}

// For 0 < y < 0.5: Newton's iteration for log erfc, which does not underflow.
inline double erfcinv_below(double y) {
    const double log_y = log(y);
    double x = erfinv_guess(log_y + log(2 - y));
    for (int i = 0; i < 4; ++i) {
        const double scaled = erfcx_positive(x);
        x += (log(scaled) - x * x - log_y) * (SQRT_PI / 2) * scaled;
    }
    return x;
}

inline double erfcinv(double y) {
    if (!(y >= 0 && y <= 2)) return __builtin_nan("");
    if (y > 1) return -erfcinv(2 - y);
    return y == 0 ? __builtin_inf() : y < 0.5 ? erfcinv_below(y) : erfinv_inside(1 - y);
}

inline double erfinv(double y) {
    const double size = __builtin_fabs(y);
    return size <= 0.5 ? (y == 0 ? y : erfinv_inside(y)) : __builtin_copysign(erfcinv(1 - size), y);
}

// erfc(-x sqrt(1/2)) / 2. The rounding error of the argument counts where erfc is steep.
inline double normcdf(double x) {
    const double z = -x * SQRT_HALF, rest = __builtin_fma(-x, SQRT_HALF, -z) - x * -4.8336466567264567e-17;
    const double correction = __builtin_fabs(z) < 30 ? 2 / SQRT_PI * exp(-z * z) * rest : 0;
    return 0.5 * (erfc(z) - correction);
}

// Modified Bessel functions of order 0 and 1 for x >= 0: the power series, or the asymptotic one.
inline double bessel_i(int order, double x) {
    if (x < 40) {
        const double square = x * x / 4;
        double term = order ? x / 2 : 1, sum = term;
        for (int i = 1; term > sum * 1e-18; ++i) sum += term *= square / (i * double(i + order));
        return sum;
    }
    double term = 1, sum = 1;
    for (int i = 1; i < 20; ++i) sum += term *= ((2 * i - 1) * (2 * i - 1) - 4 * order * order) / (8 * x * i);
    const double root = exp(x / 2);
    return root * (sum / sqrt(2 * PI * x)) * root;
}

template <typename T>
inline double norm_of(int count, const T* values) {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum = hypot(sum, double(values[i]));
    return sum;
}

}  // namespace accel_sim

// A function for double, for float, and the overload for float.
#define ACCEL_SIM_MATH_1(name, expression)                        \
    ACCEL_SIM_INLINE double name(double x) { return expression; } \
    ACCEL_SIM_INLINE float name##f(float single) {                \
        const double x = single;                                  \
        return float(expression);                                 \
    }                                                             \
    ACCEL_SIM_OVERLOAD(T, float) T name(T x) { return name##f(x); }

ACCEL_SIM_MATH_1(rsqrt, 1 / sqrt(x))
ACCEL_SIM_MATH_1(rcbrt, 1 / accel_sim::cube_root(x))
ACCEL_SIM_MATH_1(sinpi, accel_sim::sinpi(x))
ACCEL_SIM_MATH_1(cospi, accel_sim::cospi(x))
ACCEL_SIM_MATH_1(erfinv, accel_sim::erfinv(x))
ACCEL_SIM_MATH_1(erfcinv, accel_sim::erfcinv(x))
ACCEL_SIM_MATH_1(erfcx, accel_sim::erfcx(x))
ACCEL_SIM_MATH_1(normcdf, accel_sim::normcdf(x))
ACCEL_SIM_MATH_1(normcdfinv, -accel_sim::erfcinv(2 * x) / accel_sim::SQRT_HALF)
ACCEL_SIM_MATH_1(cyl_bessel_i0, accel_sim::bessel_i(0, fabs(x)))
ACCEL_SIM_MATH_1(cyl_bessel_i1, copysign(accel_sim::bessel_i(1, fabs(x)), x))
#undef ACCEL_SIM_MATH_1

// Of several numbers: norms, and their reciprocals.
#define ACCEL_SIM_NORMS(T, f)                                                                                     \
    ACCEL_SIM_INLINE T norm3d##f(T a, T b, T c) { return T(hypot(hypot(double(a), double(b)), double(c))); }      \
    ACCEL_SIM_INLINE T norm4d##f(T a, T b, T c, T d) {                                                            \
        return T(hypot(hypot(double(a), double(b)), hypot(double(c), double(d))));                                \
    }                                                                                                             \
    ACCEL_SIM_INLINE T rhypot##f(T a, T b) { return T(1 / hypot(double(a), double(b))); }                         \
    ACCEL_SIM_INLINE T rnorm3d##f(T a, T b, T c) { return T(1 / hypot(hypot(double(a), double(b)), double(c))); } \
    ACCEL_SIM_INLINE T rnorm4d##f(T a, T b, T c, T d) {                                                           \
        return T(1 / hypot(hypot(double(a), double(b)), hypot(double(c), double(d))));                            \
    }                                                                                                             \
    ACCEL_SIM_INLINE T norm##f(int count, const T* values) { return T(accel_sim::norm_of(count, values)); }       \
    ACCEL_SIM_INLINE T rnorm##f(int count, const T* values) { return T(1 / accel_sim::norm_of(count, values)); }  \
    ACCEL_SIM_INLINE void sincospi##f(T x, T* sine, T* cosine) {                                                  \
        double s, c;                                                                                              \
        accel_sim::sincospi(x, s, c);                                                                             \
        *sine = T(s), *cosine = T(c);                                                                             \
    }
ACCEL_SIM_NORMS(double, )
ACCEL_SIM_NORMS(float, f)
#undef ACCEL_SIM_NORMS
ACCEL_SIM_OVERLOAD(T, float) T rhypot(T a, T b) { return rhypotf(a, b); }
ACCEL_SIM_OVERLOAD(T, float) void sincospi(T x, T* sine, T* cosine) { sincospif(x, sine, cosine); }
