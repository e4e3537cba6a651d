// The generator Philox4x32-10 (Salmon et al. 2011): a counter, encrypted in ten rounds.
#pragma once
#include <stdint.h>

#include "keywords.h"

namespace accel_sim {

ACCEL_SIM_INLINE uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round, key.x += 0x9e3779b9, key.y += 0xbb67ae85) {
        const uint64_t a = uint64_t(0xd2511f53) * counter.x, b = uint64_t(0xcd9e8d57) * counter.z;
        counter.x = unsigned(b >> 32) ^ counter.y ^ key.x;
        counter.y = unsigned(b);
        counter.z = unsigned(a >> 32) ^ counter.w ^ key.y;
        counter.w = unsigned(a);
    }
    return counter;
}

}  // namespace accel_sim
