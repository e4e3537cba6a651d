// Barriers of a block, and fences.
#pragma once
#include "atomics.h"

ACCEL_SIM_INLINE void __syncthreads(unsigned place = ACCEL_SIM_PLACE) {
    accel_sim_barrier(0, accel_sim::BARRIER_PLAIN | place);
}
ACCEL_SIM_INLINE int __syncthreads_count(int predicate, unsigned place = ACCEL_SIM_PLACE) {
    return int(uint32_t(accel_sim_barrier(predicate, accel_sim::BARRIER_COUNT | place)));
}
ACCEL_SIM_INLINE int __syncthreads_and(int predicate, unsigned place = ACCEL_SIM_PLACE) {
    const uint64_t passed = accel_sim_barrier(predicate, accel_sim::BARRIER_AND | place);
    return uint32_t(passed) == passed >> 32;
}
ACCEL_SIM_INLINE int __syncthreads_or(int predicate, unsigned place = ACCEL_SIM_PLACE) {
    return uint32_t(accel_sim_barrier(predicate, accel_sim::BARRIER_OR | place)) != 0;
}

// A thread may wait for another in a loop of fences.
ACCEL_SIM_INLINE void __threadfence_block() { accel_sim::step(), accel_sim_fence(accel_sim::SCOPE_BLOCK); }
ACCEL_SIM_INLINE void __threadfence() { accel_sim::step(), accel_sim_fence(accel_sim::SCOPE_DEVICE); }
ACCEL_SIM_INLINE void __threadfence_system() { accel_sim::step(), accel_sim_fence(accel_sim::SCOPE_SYSTEM); }
