// The runtime as one unit.
#include "findings.cpp"
#include "printing.cpp"
#include "blocks.cpp"
#include "waiting.cpp"
#include "faults.cpp"
#include "machine.cpp"

#if __has_include("checks.cpp")
#include "checks.cpp"
#include "callbacks.cpp"
#else
namespace accel_sim {
void checks_begin(Run&) {}
void checks_end(Run&) {}
void checks_block_begin(Block&) {}
void checks_block_end(Block&) {}
void checks_thread_begin(Thread&) {}
void checks_barrier(Block&) {}
void checks_collect(Block&, unsigned, uint64_t) {}
void checks_fence(Thread&, unsigned) {}
void checks_grid_barrier(Run&, Block**, uint64_t) {}
void checks_allocated(Thread&, void*, uint64_t) {}
void checks_freed(Thread&, void*) {}
}  // namespace accel_sim
#endif
