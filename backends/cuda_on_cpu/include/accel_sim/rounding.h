// Arithmetic in the four rounding modes: _rn to nearest (the mode of the processor), _rz, _ru, _rd.
#pragma once
#include "math_functions.h"

namespace accel_sim {

#if defined(__x86_64__)
enum RoundingMode : unsigned { DOWNWARD = 0x2000, UPWARD = 0x4000, TO_ZERO = 0x6000 };

// Sets the rounding mode of the processor while it lives.
class InMode {
    unsigned before_;

public:
    ACCEL_SIM_INLINE explicit InMode(RoundingMode mode) {
        unsigned now;
        __asm__ volatile("stmxcsr %0" : "=m"(before_));
        now = (before_ & ~0x6000u) | mode;
        __asm__ volatile("ldmxcsr %0" ::"m"(now));
    }
    ACCEL_SIM_INLINE ~InMode() { __asm__ volatile("ldmxcsr %0" ::"m"(before_)); }
};
#define ACCEL_SIM_PIN(value) __asm__ volatile("" : "+x"(value))
#elif defined(__aarch64__)
enum RoundingMode : uint64_t { UPWARD = 1 << 22, DOWNWARD = 2 << 22, TO_ZERO = 3 << 22 };

class InMode {
    uint64_t before_;

public:
    ACCEL_SIM_INLINE explicit InMode(RoundingMode mode) {
        __asm__ volatile("mrs %0, fpcr" : "=r"(before_));
        __asm__ volatile("msr fpcr, %0" ::"r"((before_ & ~uint64_t(TO_ZERO)) | mode));
    }
    ACCEL_SIM_INLINE ~InMode() { __asm__ volatile("msr fpcr, %0" ::"r"(before_)); }
};
#define ACCEL_SIM_PIN(value) __asm__ volatile("" : "+w"(value))
#else
#error "the simulated device runs kernels on x86-64 and aarch64"
#endif

// Keeps the compiler from moving the computation of a value over the changes of the mode.
ACCEL_SIM_INLINE void pin(float& value) { ACCEL_SIM_PIN(value); }
ACCEL_SIM_INLINE void pin(double& value) { ACCEL_SIM_PIN(value); }
template <typename T>
ACCEL_SIM_INLINE void pin(T& value) {
    __asm__ volatile("" : "+r"(value));
}
#undef ACCEL_SIM_PIN

template <RoundingMode MODE, typename R, typename Function, typename... T>
ACCEL_SIM_INLINE R rounded(Function function, T... values) {
    InMode mode(MODE);
    const int pinned[] = {(pin(values), 0)...};
    (void)pinned;
    R result = function(values...);
    pin(result);
    return result;
}

}  // namespace accel_sim

// name##_rn, _rz, _ru, _rd of an expression of x, y, z of type T.
#define ACCEL_SIM_ROUNDED_IN(T, name, MODE, parameters, values, expression)                                            \
    ACCEL_SIM_INLINE T name parameters {                                                                               \
        return accel_sim::rounded<accel_sim::MODE, T>([] parameters { return T(expression); }, ACCEL_SIM_LIST values); \
    }
#define ACCEL_SIM_LIST(...) __VA_ARGS__
#define ACCEL_SIM_ROUNDED(T, name, parameters, values, expression)              \
    ACCEL_SIM_INLINE T name##_rn parameters { return expression; }              \
    ACCEL_SIM_ROUNDED_IN(T, name##_rz, TO_ZERO, parameters, values, expression) \
    ACCEL_SIM_ROUNDED_IN(T, name##_ru, UPWARD, parameters, values, expression)  \
    ACCEL_SIM_ROUNDED_IN(T, name##_rd, DOWNWARD, parameters, values, expression)

ACCEL_SIM_ROUNDED(float, __fadd, (float x, float y), (x, y), x + y)
ACCEL_SIM_ROUNDED(float, __fsub, (float x, float y), (x, y), x - y)
ACCEL_SIM_ROUNDED(float, __fmul, (float x, float y), (x, y), x * y)
ACCEL_SIM_ROUNDED(float, __fdiv, (float x, float y), (x, y), x / y)
ACCEL_SIM_ROUNDED(float, __frcp, (float x), (x), 1 / x)
ACCEL_SIM_ROUNDED(float, __fsqrt, (float x), (x), __builtin_sqrtf(x))
ACCEL_SIM_ROUNDED(float, __fmaf, (float x, float y, float z), (x, y, z), __builtin_fmaf(x, y, z))
ACCEL_SIM_ROUNDED(float, __fmaf_ieee, (float x, float y, float z), (x, y, z), __builtin_fmaf(x, y, z))
ACCEL_SIM_ROUNDED(double, __dadd, (double x, double y), (x, y), x + y)
ACCEL_SIM_ROUNDED(double, __dsub, (double x, double y), (x, y), x - y)
ACCEL_SIM_ROUNDED(double, __dmul, (double x, double y), (x, y), x * y)
ACCEL_SIM_ROUNDED(double, __ddiv, (double x, double y), (x, y), x / y)
ACCEL_SIM_ROUNDED(double, __drcp, (double x), (x), 1 / x)
ACCEL_SIM_ROUNDED(double, __dsqrt, (double x), (x), __builtin_sqrt(x))
ACCEL_SIM_ROUNDED(double, __fma, (double x, double y, double z), (x, y, z), __builtin_fma(x, y, z))
// The quotient of doubles rounds to the right float: 1 / sqrt(x) is never close to the middle of two floats.
ACCEL_SIM_INLINE float __frsqrt_rn(float x) { return float(1 / __builtin_sqrt(double(x))); }

#undef ACCEL_SIM_ROUNDED
#undef ACCEL_SIM_LIST
#undef ACCEL_SIM_ROUNDED_IN
