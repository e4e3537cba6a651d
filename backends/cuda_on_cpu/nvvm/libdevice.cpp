// The functions of libdevice, which numba.cuda calls for mathematics: those that CUDA text has, under other names.
#include "accel_sim/kernel.h"
#include "cuda_fp16.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// R is the result, the other types are those of the arguments. A function may have another type of the same size.
// A whole number of 32 bits need not be a float: which power it is would not be known.
static double power(double x, int n) { return pow(x, double(n)); }

#define AS_1(R, A, name, function) \
    EXPORT R __nv_##name(A a) { return (R)function(a); }
#define AS_2(R, A, B, name, function) \
    EXPORT R __nv_##name(A a, B b) { return (R)function(a, b); }
#define AS_3(R, A, B, C, name, function) \
    EXPORT R __nv_##name(A a, B b, C c) { return (R)function(a, b, c); }
#define ROUNDED_1(R, A, name)                                            \
    AS_1(R, A, name##_rd, __##name##_rd) AS_1(R, A, name##_rn, __##name##_rn) \
    AS_1(R, A, name##_ru, __##name##_ru) AS_1(R, A, name##_rz, __##name##_rz)
#define ROUNDED_2(R, A, B, name)                                               \
    AS_2(R, A, B, name##_rd, __##name##_rd) AS_2(R, A, B, name##_rn, __##name##_rn) \
    AS_2(R, A, B, name##_ru, __##name##_ru) AS_2(R, A, B, name##_rz, __##name##_rz)
#define ROUNDED_3(R, A, B, C, name)                                                  \
    AS_3(R, A, B, C, name##_rd, __##name##_rd) AS_3(R, A, B, C, name##_rn, __##name##_rn) \
    AS_3(R, A, B, C, name##_ru, __##name##_ru) AS_3(R, A, B, C, name##_rz, __##name##_rz)
#define WRITES(T, f)                                                                  \
    EXPORT T __nv_frexp##f(T x, int* exponent) { return frexp##f(x, exponent); }      \
    EXPORT T __nv_modf##f(T x, T* whole) { return modf##f(x, whole); }                \
    EXPORT T __nv_remquo##f(T x, T y, int* part) { return remquo##f(x, y, part); }    \
    EXPORT void __nv_sincos##f(T x, T* sine, T* cosine) { sincos##f(x, sine, cosine); } \
    EXPORT void __nv_sincospi##f(T x, T* sine, T* cosine) { sincospi##f(x, sine, cosine); }

WRITES(double, )
WRITES(float, f)
EXPORT void __nv_fast_sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
EXPORT float __nv_half2float(short bits) { return __half2float(__short_as_half(bits)); }
EXPORT short __nv_float2half_rn(float x) { return __half_as_short(__float2half_rn(x)); }

AS_1(int, int, abs, abs) AS_1(int, int, brev, __brev) AS_1(int, int, clz, __clz) AS_1(int, int, ffs, __ffs)
AS_1(int, int, popc, __popc) ROUNDED_1(double, double, drcp) ROUNDED_1(double, double, dsqrt)
AS_1(double, double, acos, acos) AS_1(double, double, acosh, acosh) AS_1(double, double, asin, asin)
AS_1(double, double, asinh, asinh) AS_1(double, double, atan, atan) AS_1(double, double, atanh, atanh)
AS_1(double, double, cbrt, accel_sim::cube_root) AS_1(double, double, ceil, ceil) AS_1(double, double, cos, cos)
AS_1(double, double, cosh, cosh) AS_1(double, double, cospi, cospi) AS_1(double, double, erf, erf)
AS_1(double, double, erfc, erfc) AS_1(double, double, erfcinv, erfcinv) AS_1(double, double, erfcx, erfcx)
AS_1(double, double, erfinv, erfinv) AS_1(double, double, exp, exp) AS_1(double, double, exp10, exp10)
AS_1(double, double, exp2, exp2) AS_1(double, double, expm1, expm1) AS_1(double, double, fabs, fabs)
AS_1(double, double, floor, floor) AS_1(double, double, j0, j0) AS_1(double, double, j1, j1)
AS_1(double, double, lgamma, lgamma) AS_1(double, double, log, log) AS_1(double, double, log10, log10)
AS_1(double, double, log1p, log1p) AS_1(double, double, log2, log2) AS_1(double, double, logb, logb)
AS_1(double, double, nearbyint, nearbyint) AS_1(double, double, normcdf, normcdf)
AS_1(double, double, normcdfinv, normcdfinv) AS_1(double, double, rcbrt, rcbrt) AS_1(double, double, rint, rint)
AS_1(double, double, round, round) AS_1(double, double, rsqrt, rsqrt) AS_1(double, double, sin, sin)
AS_1(double, double, sinh, sinh) AS_1(double, double, sinpi, sinpi) AS_1(double, double, sqrt, sqrt)
AS_1(double, double, tan, tan) AS_1(double, double, tanh, tanh) AS_1(double, double, tgamma, tgamma)
AS_1(double, double, trunc, trunc) AS_1(double, double, y0, y0) AS_1(double, double, y1, y1)
ROUNDED_1(float, float, frcp) ROUNDED_1(float, float, fsqrt) AS_1(float, float, acosf, acosf)
AS_1(float, float, acoshf, acoshf) AS_1(float, float, asinf, asinf) AS_1(float, float, asinhf, asinhf)
AS_1(float, float, atanf, atanf) AS_1(float, float, atanhf, atanhf) AS_1(float, float, cbrtf, cbrtf)
AS_1(float, float, ceilf, ceilf) AS_1(float, float, cosf, cosf) AS_1(float, float, coshf, coshf)
AS_1(float, float, cospif, cospif) AS_1(float, float, erfcf, erfcf) AS_1(float, float, erfcinvf, erfcinvf)
AS_1(float, float, erfcxf, erfcxf) AS_1(float, float, erff, erff) AS_1(float, float, erfinvf, erfinvf)
AS_1(float, float, exp10f, exp10f) AS_1(float, float, exp2f, exp2f) AS_1(float, float, expf, expf)
AS_1(float, float, expm1f, expm1f) AS_1(float, float, fabsf, fabsf) AS_1(float, float, fast_cosf, __cosf)
AS_1(float, float, fast_exp10f, __exp10f) AS_1(float, float, fast_expf, __expf)
AS_1(float, float, fast_log10f, __log10f) AS_1(float, float, fast_log2f, __log2f)
AS_1(float, float, fast_logf, __logf) AS_1(float, float, fast_sinf, __sinf) AS_1(float, float, fast_tanf, __tanf)
AS_1(float, float, floorf, floorf) AS_1(float, float, j0f, j0f) AS_1(float, float, j1f, j1f)
AS_1(float, float, lgammaf, lgammaf) AS_1(float, float, log10f, log10f) AS_1(float, float, log1pf, log1pf)
AS_1(float, float, log2f, log2f) AS_1(float, float, logbf, logbf) AS_1(float, float, logf, logf)
AS_1(float, float, nearbyintf, nearbyintf) AS_1(float, float, normcdff, normcdff)
AS_1(float, float, normcdfinvf, normcdfinvf) AS_1(float, float, rcbrtf, rcbrtf) AS_1(float, float, rintf, rintf)
AS_1(float, float, roundf, roundf) AS_1(float, float, rsqrtf, rsqrtf) AS_1(float, float, saturatef, __saturatef)
AS_1(float, float, sinf, sinf) AS_1(float, float, sinhf, sinhf) AS_1(float, float, sinpif, sinpif)
AS_1(float, float, sqrtf, sqrtf) AS_1(float, float, tanf, tanf) AS_1(float, float, tanhf, tanhf)
AS_1(float, float, tgammaf, tgammaf) AS_1(float, float, truncf, truncf) AS_1(float, float, y0f, y0f)
AS_1(float, float, y1f, y1f) AS_1(float, float, frsqrt_rn, __frsqrt_rn) ROUNDED_2(double, double, double, dadd)
ROUNDED_2(double, double, double, ddiv) ROUNDED_2(double, double, double, dmul)
AS_2(double, double, double, atan2, atan2) AS_2(double, double, double, copysign, copysign)
AS_2(double, double, double, fdim, fdim) AS_2(double, double, double, fmax, fmax)
AS_2(double, double, double, fmin, fmin) AS_2(double, double, double, fmod, fmod)
AS_2(double, double, double, hypot, hypot) AS_2(double, double, double, nextafter, nextafter)
AS_2(double, double, double, pow, pow) AS_2(double, double, double, remainder, remainder)
ROUNDED_2(float, float, float, fadd) ROUNDED_2(float, float, float, fdiv) ROUNDED_2(float, float, float, fmul)
ROUNDED_2(float, float, float, fsub) AS_2(float, float, float, atan2f, atan2f)
AS_2(float, float, float, copysignf, copysignf) AS_2(float, float, float, fast_fdividef, __fdividef)
AS_2(float, float, float, fast_powf, __powf) AS_2(float, float, float, fdimf, fdimf)
AS_2(float, float, float, fmaxf, fmaxf) AS_2(float, float, float, fminf, fminf)
AS_2(float, float, float, fmodf, fmodf) AS_2(float, float, float, hypotf, hypotf)
AS_2(float, float, float, nextafterf, nextafterf) AS_2(float, float, float, powf, powf)
AS_2(float, float, float, remainderf, remainderf) AS_1(long long, long long, brevll, __brevll)
AS_1(long long, long long, llabs, llabs) AS_3(int, int, int, int, byte_perm, __byte_perm)
AS_3(int, int, int, int, sad, __sad) AS_3(int, int, int, int, usad, __usad) AS_1(int, long long, clzll, __clzll)
AS_1(int, long long, ffsll, __ffsll) AS_1(int, long long, popcll, __popcll) ROUNDED_1(float, double, double2float)
ROUNDED_1(int, double, double2int) ROUNDED_1(int, double, double2uint) AS_1(int, double, double2hiint, __double2hiint)
AS_1(int, double, double2loint, __double2loint) AS_1(int, double, ilogb, ilogb) AS_1(int, double, isfinited, isfinite)
AS_1(int, double, isinfd, isinf) AS_1(int, double, isnand, isnan) AS_1(int, double, signbitd, signbit)
ROUNDED_1(long long, double, double2ll) ROUNDED_1(long long, double, double2ull)
AS_1(long long, double, double_as_longlong, __double_as_longlong) AS_1(long long, double, llrint, llrint)
AS_1(long long, double, llround, llround) ROUNDED_1(int, float, float2int) ROUNDED_1(int, float, float2uint)
AS_1(int, float, finitef, isfinite) AS_1(int, float, float_as_int, __float_as_int) AS_1(int, float, ilogbf, ilogbf)
AS_1(int, float, isinff, isinf) AS_1(int, float, isnanf, isnan) AS_1(int, float, signbitf, signbit)
ROUNDED_1(long long, float, float2ll) ROUNDED_1(long long, float, float2ull) AS_1(long long, float, llrintf, llrintf)
AS_1(long long, float, llroundf, llroundf) ROUNDED_3(double, double, double, double, fma)
AS_3(double, double, double, double, fma, fma) ROUNDED_3(float, float, float, float, fmaf)
AS_3(float, float, float, float, fmaf, fmaf) AS_2(int, int, int, hadd, __hadd) AS_2(int, int, int, max, max)
AS_2(int, int, int, min, min) AS_2(int, int, int, mul24, __mul24) AS_2(int, int, int, mulhi, __mulhi)
AS_2(int, int, int, rhadd, __rhadd) AS_2(int, int, int, uhadd, __uhadd) AS_2(int, int, int, umax, umax)
AS_2(int, int, int, umin, umin) AS_2(int, int, int, umul24, __umul24) AS_2(int, int, int, umulhi, __umulhi)
AS_2(int, int, int, urhadd, __urhadd) AS_2(double, int, int, hiloint2double, __hiloint2double)
AS_1(double, int, int2double_rn, __int2double_rn) AS_1(double, int, uint2double_rn, __uint2double_rn)
ROUNDED_1(float, int, int2float) ROUNDED_1(float, int, uint2float) AS_1(float, int, int_as_float, __int_as_float)
AS_2(double, int, double, jn, jn) AS_2(double, int, double, yn, yn) AS_2(float, int, float, jnf, jnf)
AS_2(float, int, float, ynf, ynf) AS_2(double, double, int, ldexp, ldexp) AS_2(double, double, int, powi, pow)
AS_2(double, double, int, scalbn, scalbn) AS_2(float, float, int, ldexpf, ldexpf) AS_2(float, float, int, powif, power)
AS_2(float, float, int, scalbnf, scalbnf) ROUNDED_1(double, long long, ll2double)
ROUNDED_1(double, long long, ull2double) AS_1(double, long long, longlong_as_double, __longlong_as_double)
ROUNDED_1(float, long long, ll2float) ROUNDED_1(float, long long, ull2float)
AS_2(long long, long long, long long, llmax, llmax) AS_2(long long, long long, long long, llmin, llmin)
AS_2(long long, long long, long long, mul64hi, __mul64hi) AS_2(long long, long long, long long, ullmax, ullmax)
AS_2(long long, long long, long long, ullmin, ullmin) AS_2(long long, long long, long long, umul64hi, __umul64hi)
