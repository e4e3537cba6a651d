// threadIdx, blockIdx, blockDim, gridDim, warpSize.
#pragma once
#include "vector_types.h"

namespace accel_sim {

// A word of memory of the runtime. Assembly: it is no access of the kernel, so that the checks must not see it.
ACCEL_SIM_INLINE uint64_t word_at(const uint64_t* at) {
    uint64_t value;
#if defined(__x86_64__)
    __asm__("movq %1, %0" : "=r"(value) : "m"(*at));
#elif defined(__aarch64__)
    __asm__("ldr %0, %1" : "=r"(value) : "m"(*at));
#else
    value = *at;
#endif
    return value;
}

// What a lane gives to others. It may have no value, as long as no other lane takes it: one lane sets a variable, and all
// of them get it by a shuffle.
#if ACCEL_SIM_CHECKED
template <typename T>
__attribute__((noinline, no_sanitize("thread"))) T unseen(const T& value) {
    return value;
}
template <typename T>
ACCEL_SIM_INLINE T offered(const T& value) {
    accel_sim_reads(__builtin_addressof(value), sizeof value);
    return unseen(value);
}
#else
template <typename T>
ACCEL_SIM_INLINE const T& offered(const T& value) {
    return value;
}
#endif
template <typename T>
ACCEL_SIM_INLINE T offered(const volatile T& value) {
    return value;
}

// A field of Here. It does not change while a function runs, so the compiler may load it once: no memory operand.
template <unsigned OFFSET>
ACCEL_SIM_INLINE unsigned field() {
    unsigned value;
#if defined(__x86_64__)
    __asm__("movl %c2(%1), %0" : "=r"(value) : "r"(here()), "i"(OFFSET));
#elif defined(__aarch64__)
    __asm__("ldr %w0, [%1, %2]" : "=r"(value) : "r"(here()), "i"(OFFSET));
#else
    value = *(const unsigned*)((const char*)here() + OFFSET);
#endif
    return value;
}

template <unsigned OFFSET>
ACCEL_SIM_INLINE uint3 fields() {
    return uint3{field<OFFSET>(), field<OFFSET + 4>(), field<OFFSET + 8>()};
}

ACCEL_SIM_INLINE unsigned lane() { return field<__builtin_offsetof(Here, lane)>(); }

}  // namespace accel_sim

#define threadIdx (accel_sim::fields<__builtin_offsetof(accel_sim::Here, thread)>())
#define blockIdx (accel_sim::fields<__builtin_offsetof(accel_sim::Here, block)>())
#define blockDim (accel_sim::fields<__builtin_offsetof(accel_sim::Here, block_dim)>())
#define gridDim (accel_sim::fields<__builtin_offsetof(accel_sim::Here, grid_dim)>())

constexpr int warpSize = ACCEL_SIM_WARP;
