// What compiled code of numba.cuda calls besides the runtime: compiled once, with the headers that CUDA text has.
#include "accel_sim/kernel.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void accel_nvvm_step() { accel_sim::step(); }

// Of the values of a collective: the lanes of the mask whose value is not 0, and above them those that took part.
EXPORT uint64_t accel_nvvm_votes(const uint64_t* values, uint32_t mask) {
    const uint32_t lanes = mask & uint32_t(values[64]);
    uint32_t votes = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (values[__builtin_ctz(rest)]) votes |= rest & -rest;
    return uint64_t(lanes) << 32 | votes;
}

// The same for the lanes that have a value.
EXPORT uint64_t accel_nvvm_matches(const uint64_t* values, uint32_t mask, uint64_t value) {
    const uint32_t lanes = mask & uint32_t(values[64]);
    uint32_t equal = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (values[__builtin_ctz(rest)] == value) equal |= rest & -rest;
    return uint64_t(lanes) << 32 | equal;
}
