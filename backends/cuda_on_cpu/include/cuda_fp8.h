// Floating-point types of 8 bits, as in CUDA's header of this name: e4m3, e5m2, and the exponents e8m0.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;
enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

namespace accel_sim {

// MANTISSA bits after the first one; HIGHEST is the largest finite number, BEYOND what is above it.
template <int MANTISSA, int BIAS, unsigned HIGHEST, unsigned BEYOND>
struct Small {
    static ACCEL_SIM_INLINE __nv_fp8_storage_t encode(double value, bool saturates) {
        const double size = __builtin_fabs(value);
        if (size != size) return 0x7f;
        int exponent = size > 0 ? ilogb(size < 1e30 ? size : 1e30) : 1 - BIAS;
        if (exponent < 1 - BIAS) exponent = 1 - BIAS;
        const double units = rint(ldexp(size < 1e30 ? size : 1e30, MANTISSA - exponent));
        const double number = double((exponent - 1 + BIAS) << MANTISSA) + units;
        const unsigned bits = number <= HIGHEST ? unsigned(number) : saturates ? HIGHEST : BEYOND;
        return __nv_fp8_storage_t((__builtin_signbit(value) ? 0x80 : 0) | bits);
    }
    static ACCEL_SIM_INLINE float decode(__nv_fp8_storage_t bits) {
        const unsigned rest = bits & 0x7f, field = rest >> MANTISSA, low = rest & ((1 << MANTISSA) - 1);
        float value = field ? ldexpf(float(low + (1 << MANTISSA)), int(field) - BIAS - MANTISSA)
                            : ldexpf(float(low), 1 - BIAS - MANTISSA);
        if (rest > HIGHEST) value = rest == BEYOND && BEYOND != 0x7f ? __builtin_inff() : __builtin_nanf("");
        return bits & 0x80 ? -value : value;
    }
};
using E4M3 = Small<3, 7, 0x7e, 0x7f>;
using E5M2 = Small<2, 15, 0x7b, 0x7c>;

// Powers of two, without a sign.
struct E8M0 {
    static ACCEL_SIM_INLINE __nv_fp8_storage_t encode(double value, bool saturates, cudaRoundMode mode = cudaRoundPosInf) {
        const double size = __builtin_fabs(value);
        if (size != size) return 0xff;
        if (size == __builtin_inf()) return saturates ? 0xfe : 0xff;
        if (size == 0) return 0;
        int exponent = ilogb(size);
        if (mode == cudaRoundPosInf && ldexp(1.0, exponent) < size) ++exponent;
        return exponent > 127 ? (saturates ? 0xfe : 0xff) : exponent < -127 ? 0 : __nv_fp8_storage_t(exponent + 127);
    }
    static ACCEL_SIM_INLINE float decode(__nv_fp8_storage_t bits) {
        return bits == 0xff ? __builtin_nanf("") : ldexpf(1, int(bits) - 127);
    }
};

ACCEL_SIM_INLINE __nv_fp8_storage_t small(double value, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
    return kind == __NV_E4M3 ? E4M3::encode(value, saturation == __NV_SATFINITE) : E5M2::encode(value, saturation == __NV_SATFINITE);
}
ACCEL_SIM_INLINE float large(__nv_fp8_storage_t bits, __nv_fp8_interpretation_t kind) {
    return kind == __NV_E4M3 ? E4M3::decode(bits) : E5M2::decode(bits);
}

}  // namespace accel_sim

#define ACCEL_SIM_FP8_FROM(T) \
    ACCEL_SIM_INLINE explicit ACCEL_SIM_FP8(T value) : __x(ACCEL_SIM_FORMAT::encode(double(value), true)) {}
#define ACCEL_SIM_FP8_TO(T) \
    ACCEL_SIM_INLINE explicit operator T() const { return accel_sim::integer_of<T>(float(*this), accel_sim::ZERO); }
#define ACCEL_SIM_FP8_MEMBERS                                                                                        \
    __nv_fp8_storage_t __x;                                                                                          \
    ACCEL_SIM_FP8() = default;                                                                                       \
    ACCEL_SIM_INLINE explicit ACCEL_SIM_FP8(const __half& value) : ACCEL_SIM_FP8(float(value)) {}                    \
    ACCEL_SIM_INLINE explicit ACCEL_SIM_FP8(const __nv_bfloat16& value) : ACCEL_SIM_FP8(float(value)) {}             \
    ACCEL_SIM_FP8_FROM(float) ACCEL_SIM_FP8_FROM(double) ACCEL_SIM_FP8_FROM(short) ACCEL_SIM_FP8_FROM(unsigned short) \
    ACCEL_SIM_FP8_FROM(int) ACCEL_SIM_FP8_FROM(unsigned) ACCEL_SIM_FP8_FROM(long) ACCEL_SIM_FP8_FROM(unsigned long)  \
    ACCEL_SIM_FP8_FROM(long long) ACCEL_SIM_FP8_FROM(unsigned long long)                                             \
    ACCEL_SIM_INLINE explicit operator float() const { return ACCEL_SIM_FORMAT::decode(__x); }                       \
    ACCEL_SIM_INLINE explicit operator double() const { return ACCEL_SIM_FORMAT::decode(__x); }                      \
    ACCEL_SIM_INLINE explicit operator __half() const { return __half(float(*this)); }                               \
    ACCEL_SIM_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }                 \
    ACCEL_SIM_INLINE explicit operator bool() const { return float(*this) != 0; }                                    \
    ACCEL_SIM_FP8_TO(char) ACCEL_SIM_FP8_TO(signed char) ACCEL_SIM_FP8_TO(unsigned char) ACCEL_SIM_FP8_TO(short)     \
    ACCEL_SIM_FP8_TO(unsigned short) ACCEL_SIM_FP8_TO(int) ACCEL_SIM_FP8_TO(unsigned) ACCEL_SIM_FP8_TO(long)         \
    ACCEL_SIM_FP8_TO(unsigned long) ACCEL_SIM_FP8_TO(long long) ACCEL_SIM_FP8_TO(unsigned long long)

#define ACCEL_SIM_FP8 __nv_fp8_e4m3
#define ACCEL_SIM_FORMAT accel_sim::E4M3
struct __nv_fp8_e4m3 {
    ACCEL_SIM_FP8_MEMBERS
};
#undef ACCEL_SIM_FP8
#undef ACCEL_SIM_FORMAT
#define ACCEL_SIM_FP8 __nv_fp8_e5m2
#define ACCEL_SIM_FORMAT accel_sim::E5M2
struct __nv_fp8_e5m2 {
    ACCEL_SIM_FP8_MEMBERS
};
#undef ACCEL_SIM_FP8
#undef ACCEL_SIM_FORMAT
#define ACCEL_SIM_FP8 __nv_fp8_e8m0
#define ACCEL_SIM_FORMAT accel_sim::E8M0
struct __nv_fp8_e8m0 {
    ACCEL_SIM_FP8_MEMBERS
};
#undef ACCEL_SIM_FP8
#undef ACCEL_SIM_FORMAT
#undef ACCEL_SIM_FP8_MEMBERS
#undef ACCEL_SIM_FP8_FROM
#undef ACCEL_SIM_FP8_TO

// --- conversions of storage

#define ACCEL_SIM_FP8_OF(name, T, value)                                                                  \
    ACCEL_SIM_INLINE __nv_fp8_storage_t __nv_cvt_##name##_to_fp8(const T x, const __nv_saturation_t saturation, \
                                                                 const __nv_fp8_interpretation_t kind) {   \
        return accel_sim::small(value, saturation, kind);                                                  \
    }
#define ACCEL_SIM_FP8_PAIR(name, T, first, second)                                                          \
    ACCEL_SIM_INLINE __nv_fp8x2_storage_t __nv_cvt_##name##_to_fp8x2(const T x, const __nv_saturation_t saturation, \
                                                                     const __nv_fp8_interpretation_t kind) { \
        return __nv_fp8x2_storage_t(accel_sim::small(first, saturation, kind) |                              \
                                    accel_sim::small(second, saturation, kind) << 8);                        \
    }
#define ACCEL_SIM_E8M0_OF(name, T, value)                                                                   \
    ACCEL_SIM_INLINE __nv_fp8_storage_t __nv_cvt_##name##_to_e8m0(const T x, const __nv_saturation_t saturation, \
                                                                  const cudaRoundMode mode) {               \
        return accel_sim::E8M0::encode(value, saturation == __NV_SATFINITE, mode);                          \
    }
ACCEL_SIM_FP8_OF(float, float, x)
ACCEL_SIM_FP8_OF(double, double, x)
ACCEL_SIM_FP8_OF(halfraw, __half_raw, float(__half(x)))
ACCEL_SIM_FP8_OF(bfloat16raw, __nv_bfloat16_raw, float(__nv_bfloat16(x)))
ACCEL_SIM_FP8_PAIR(float2, float2, x.x, x.y)
ACCEL_SIM_FP8_PAIR(double2, double2, x.x, x.y)
ACCEL_SIM_E8M0_OF(float, float, x)
ACCEL_SIM_E8M0_OF(double, double, x)
ACCEL_SIM_E8M0_OF(bfloat16raw, __nv_bfloat16_raw, float(__nv_bfloat16(x)))
#undef ACCEL_SIM_FP8_OF
#undef ACCEL_SIM_FP8_PAIR
#undef ACCEL_SIM_E8M0_OF

ACCEL_SIM_INLINE __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t kind) {
    return __half(accel_sim::large(x, kind));
}
ACCEL_SIM_INLINE __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) {
    return __nv_bfloat16(accel_sim::E8M0::decode(x));
}
