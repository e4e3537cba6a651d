// hip_bfloat16: HIP's older type, whose bits are public. See hip_bf16.h for the newer.
#pragma once
#include "../cuda_bf16.h"

struct hip_bfloat16 {
    unsigned short data;

    enum truncate_t { truncate };

    hip_bfloat16() = default;
    explicit hip_bfloat16(float value) : data(accel_sim::encode<accel_sim::BFloat16>(value)) {}
    explicit hip_bfloat16(float value, truncate_t)
        : data(accel_sim::encode<accel_sim::BFloat16>(value, accel_sim::ZERO)) {}
    operator float() const { return accel_sim::BFloat16::decode(data); }
    static hip_bfloat16 round_to_bfloat16(float value) { return hip_bfloat16(value); }
    static hip_bfloat16 round_to_bfloat16(float value, truncate_t how) { return hip_bfloat16(value, how); }

#define ACCEL_SIM_ASSIGNS(symbol) \
    hip_bfloat16& operator symbol##=(hip_bfloat16 other) { return *this = *this symbol other; }
#define ACCEL_SIM_COMPUTES(symbol)                                                    \
    friend hip_bfloat16 operator symbol(hip_bfloat16 a, hip_bfloat16 b) {             \
        return hip_bfloat16(float(a) symbol float(b));                                \
    }                                                                                 \
    ACCEL_SIM_ASSIGNS(symbol)
    ACCEL_SIM_COMPUTES(+)
    ACCEL_SIM_COMPUTES(-)
    ACCEL_SIM_COMPUTES(*)
    ACCEL_SIM_COMPUTES(/)
#undef ACCEL_SIM_ASSIGNS
#undef ACCEL_SIM_COMPUTES
    friend hip_bfloat16 operator-(hip_bfloat16 a) {
        a.data ^= 0x8000;
        return a;
    }
    friend hip_bfloat16 operator+(hip_bfloat16 a) { return a; }
};
