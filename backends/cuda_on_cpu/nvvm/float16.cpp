// Conversions of half precision, which numba.cuda writes as inline PTX: the functions are named after the instructions.
#include "accel_sim/kernel.h"
#include "cuda_fp16.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define TO_HALF(name, T, function) \
    EXPORT short accel_nvvm_cvt_rn_f16_##name(T value) { return __half_as_short(function(value)); }
#define FROM_HALF(name, T, function) \
    EXPORT T accel_nvvm_cvt_##name##_f16(short bits) { return function(__short_as_half(bits)); }

TO_HALF(f32, float, __float2half_rn)
TO_HALF(f64, double, __double2half)
TO_HALF(s8, signed char, __int2half_rn)
TO_HALF(u8, unsigned char, __int2half_rn)
TO_HALF(s16, short, __int2half_rn)
TO_HALF(u16, unsigned short, __int2half_rn)
TO_HALF(s32, int, __int2half_rn)
TO_HALF(u32, unsigned, __uint2half_rn)
TO_HALF(s64, long long, __ll2half_rn)
TO_HALF(u64, unsigned long long, __ull2half_rn)
FROM_HALF(f32, float, __half2float)
FROM_HALF(f64, double, __half2float)
FROM_HALF(rni_s16, short, __half2short_rn)
FROM_HALF(rni_u16, unsigned short, __half2ushort_rn)
FROM_HALF(rni_s32, int, __half2int_rn)
FROM_HALF(rni_u32, unsigned, __half2uint_rn)
FROM_HALF(rni_s64, long long, __half2ll_rn)
FROM_HALF(rni_u64, unsigned long long, __half2ull_rn)

EXPORT signed char accel_nvvm_cvt_rni_s8_f16(short bits) {
    const int value = __half2int_rn(__short_as_half(bits));
    return value < -128 ? -128 : value > 127 ? 127 : (signed char)value;
}
EXPORT unsigned char accel_nvvm_cvt_rni_u8_f16(short bits) {
    const int value = __half2int_rn(__short_as_half(bits));
    return value < 0 ? 0 : value > 255 ? 255 : (unsigned char)value;
}
