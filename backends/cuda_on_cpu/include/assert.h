// assert, as kernels have it: it stops the launch. No #pragma once: NDEBUG counts each time.
#include "accel_sim/abi.h"
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
    ((condition) ? (void)0 : accel_sim_assert(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
