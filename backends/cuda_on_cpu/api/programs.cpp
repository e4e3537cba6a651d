// What the process of a whole program and its kernels call. The process calls `accel_sim_host_begin` before `main`.
#include "launch.h"

#pragma GCC visibility push(default)
extern "C" {
void accel_sim_host_begin(const accel_sim::Host* host);
// Registers a variable of the module.
void accel_sim_host_variable(void* address, uint64_t size, const char* name, uint32_t readonly);
// The owner of a range of a launch.
const accel_sim::Origin* accel_sim_host_owner(uint64_t range);
// Launches a kernel of the program; see host_launch.h.
cudaError accel_sim_host_launch(const char* kernel, void (*entry)(void**), void** arguments, const uint32_t* sizes,
                                uint32_t count, const accel_sim::Dim* grid, const accel_sim::Dim* block, uint64_t shared,
                                void* stream, uint32_t cooperative);
}
#pragma GCC visibility pop

namespace accel_sim {

// The launch that runs a kernel holds the lock.
void entered(const char*, void* pc) {
    if (on_fiber()) fail_at(uint64_t(pc), UNSUPPORTED, "functions of the host's API in kernels");
}

void forget_cells(uint64_t* cells) { accel_sim_drop_cells(cells); }
uint64_t used_of_heap() { return accel_sim_heap_used(nullptr); }
void reset_heap() { accel_sim_reset_heap(nullptr); }

}  // namespace accel_sim

using namespace accel_sim;

void accel_sim_host_begin(const Host* program) {
    host = *program;
    host.image.launch = accel_sim_launch, host.image.release = accel_sim_release;
    seed_order(host.seed);
}

void accel_sim_host_variable(void* address, uint64_t size, const char* name, uint32_t readonly) {
    const Locked locked(machine_lock);
    add_range(address, size, {name, 0, 0, MemoryKind::VARIABLE, 0}, readonly != 0);
}

const Origin* accel_sim_host_owner(uint64_t range) {
    uint64_t count;
    const Range* ranges = all_ranges(&count);
    return range < count ? &origin_of(ranges[range]) : nullptr;
}

cudaError accel_sim_host_launch(const char* kernel, void (*entry)(void**), void** arguments, const uint32_t* sizes,
                                uint32_t count, const Dim* grid, const Dim* block, uint64_t shared, void* stream,
                                uint32_t cooperative) {
    void* pc = ACCEL_SIM_CALLER;
    if (on_fiber()) fail_at(uint64_t(pc), UNSUPPORTED, "kernel launches from kernels");
    const Call call(kernel, pc, Needs::CONTEXT_IS_MADE);
    return submit_launch(call, {&host.image, entry, *grid, *block, shared, cooperative}, arguments, sizes, count, stream);
}
