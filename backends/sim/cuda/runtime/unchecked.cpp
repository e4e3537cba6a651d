// What the machine calls in a runtime without checks.
#include "machine.h"

namespace accel_sim {
#define ACCEL_SIM_WEAK __attribute__((weak))
ACCEL_SIM_WEAK void checks_begin(Run&) {}
ACCEL_SIM_WEAK void checks_end(Run&) {}
ACCEL_SIM_WEAK void checks_block_begin(Block&) {}
ACCEL_SIM_WEAK void checks_block_end(Block&) {}
ACCEL_SIM_WEAK void checks_thread_begin(Thread&) {}
ACCEL_SIM_WEAK void checks_barrier(Block&) {}
ACCEL_SIM_WEAK void checks_collect(Block&, unsigned, uint64_t) {}
ACCEL_SIM_WEAK void checks_fence(Thread&, unsigned) {}
ACCEL_SIM_WEAK void checks_grid_barrier(Run&, Block**, uint64_t) {}
ACCEL_SIM_WEAK void checks_allocated(Thread&, void*, uint64_t) {}
ACCEL_SIM_WEAK void checks_freed(Thread&, void*) {}
}  // namespace accel_sim
