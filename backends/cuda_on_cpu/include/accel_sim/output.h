// printf, clocks, and what stops a kernel.
#pragma once
#include "../assert.h"
#include "memory.h"

extern "C" {
int printf(const char* format, ...) ACCEL_SIM_IS(accel_sim_printf);
long clock() noexcept ACCEL_SIM_IS(accel_sim_clock);
}

ACCEL_SIM_INLINE long long clock64() { return (long long)accel_sim_clock(); }
ACCEL_SIM_INLINE long long wall_clock64() { return (long long)accel_sim_clock(); }
ACCEL_SIM_INLINE unsigned long long __globaltimer() { return accel_sim_clock(); }
ACCEL_SIM_INLINE void __nanosleep(unsigned) { accel_sim_yield(); }
ACCEL_SIM_INLINE void __trap() { accel_sim_trap(); }
ACCEL_SIM_INLINE void __brkpt() { accel_sim_trap(); }
ACCEL_SIM_INLINE void __brkpt(int) { accel_sim_trap(); }
ACCEL_SIM_INLINE void __prof_trigger(int) {}
ACCEL_SIM_INLINE void __builtin_amdgcn_s_sleep(int) { accel_sim_yield(); }
