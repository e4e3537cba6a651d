// Accesses that are rare, wide, not aligned or atomic; and those that are refused.
#include "checks_access.h"

#include <stdio.h>

namespace accel_sim {

namespace {

constexpr unsigned VOLATILE_STEPS = 64;

void check_written(const Access& access, Range& range) {
    if (!range.written) return;
    if (access.mode & READ) check_read_written(access, range);
    if (access.mode & WRITE) check_write_written(access, range);
}

// The range of an access that may be made, and was checked; null if it has no shadow.
Range* check_access(Access& access, uint64_t alignment) {
    Thread& thread = access.thread;
    Checks& checks = *checks_of(thread);
    if (access.address % alignment && checks.memory) misaligned(access, "");
    if ((access.address ^ (uint64_t)&thread) < STACK) {
        if (access.address + access.size > thread.shadow.local_low) check_local(access);
        return nullptr;
    }
    Range* range = locate(access);
    if (!range) return nullptr;
    const bool global = !on_chip(space_of(thread, range));
    if (global && !range->readonly && !range->released)
        checks.sites[access.site].range = range;
    check_written(access, *range);
    if (checks.race) check_cells(access, *range, global ? checks.floor : thread.shadow.block->barrier);
    return range;
}

}  // namespace

void check_slowly(const void* at, uint64_t size, uint32_t mode, void* pc, uint64_t alignment) {
    Thread* thread = checked_thread();
    if (!thread || !size) return;
    Access access{*thread, (uint64_t)at, size, (uint64_t)pc, mode, checks_of(*thread)->site((uint64_t)pc)};
    const Range* range = check_access(access, alignment);
    if (!(mode & VOLATILE) || !range || !range->cells) return;
    if (mode & WRITE) return publish(*thread, cells_at(*range, access.address));
    read_volatile(access, *range);
    // It may wait in a loop of these, which rarely are at an instruction where a signal could let others run.
    if (++thread->steps < VOLATILE_STEPS) return;
    thread->steps = 0;
    accel_sim_yield();
}

void dead(Thread& thread, uint64_t address, uint64_t size, uint32_t mode, void* pc) {
    if (!checks_of(thread)->memory) return;
    Finding finding = finding_of({thread, address, size, (uint64_t)pc, mode, 0}, DANGLING, nullptr);
    finding.space = SPACE_LOCAL;
    fail(*thread.run, finding);
}

const uint64_t* check_atomic(const void* at, uint64_t size, uint32_t mode, void* pc) {
    Thread* thread = checked_thread();
    if (!thread) return nullptr;
    if (checks_of(*thread)->observes) observe(*thread, (uint64_t)at, size, mode, pc);
    Access access{*thread, (uint64_t)at, size, (uint64_t)pc, mode, checks_of(*thread)->site((uint64_t)pc)};
    const Range* range = check_access(access, size);
    return range && range->cells ? cells_at(*range, access.address) : nullptr;
}

void misaligned(const Access& access, const char* type) {
    Finding finding = finding_of(access, MISALIGNED, nullptr);
    snprintf(finding.text, sizeof finding.text, "%s", type);
    fail(*access.thread.run, finding);
}

void index_out_of_bounds(Thread& thread, uint64_t index, uint64_t pc) {
    Finding finding = finding_of({thread, 0, 0, pc, 0, 0}, INDEX_OUT_OF_BOUNDS, nullptr);
    finding.detail = index;
    fail(*thread.run, finding);
}

}  // namespace accel_sim
