// Findings, and where threads stand.
#include "worker.h"

#include <stdio.h>

namespace accel_sim {

Place place_of(const Thread& thread, uint64_t pc, uint32_t mode, uint32_t size) {
    return {pc, thread.block, thread.thread, mode, size};
}

static bool same(const Finding& one, const Finding& other) {
    return one.kind == other.kind && one.here.pc == other.here.pc && one.other.pc == other.other.pc;
}

void report(Run& run, const Finding& finding) {
    Launch& launch = *run.launch;
    Locked locked(run.machine->lock);
    for (uint64_t i = 0; i < launch.finding_count; ++i)
        if (same(launch.findings[i], finding)) {
            Finding& first = launch.findings[i];
            ++first.count;
            if (first.scope < finding.scope) first.scope = finding.scope;
            return;
        }
    if (launch.finding_count == launch.finding_capacity) return;
    Finding& added = launch.findings[launch.finding_count++] = finding;
    if (!added.count) added.count = 1;
}

bool stop(Run& run, Kind kind) {
    uint32_t nothing = NOTHING;
    return __atomic_compare_exchange_n(&run.stopped, &nothing, uint32_t(kind), false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED);
}

void fail(Run& run, const Finding& finding) {
    if (!current_worker) {
        fputs("accel: an error in code of the host that a kernel would be stopped for\n", stderr);
        abort();
    }
    if (stop(run, Kind(finding.kind))) report(run, finding);
    leave(*current_worker);
}

uint64_t draw(Thread& thread) { return draw(thread.block_state->random); }

static void stand(Launch& launch, const Block& block, unsigned number, Dim thread, bool runnable) {
    if (launch.standing_count == launch.standing_capacity) return;
    const Slot& slot = block.slots[number];
    const uint32_t state = runnable || slot.state == READY ? RUNNING : slot.state;
    const uint64_t pc = state == NOT_STARTED || state == ENDED ? 0 : slot.waits_at;
    launch.standings[launch.standing_count++] = {pc, block.index, thread, state};
}

static bool is_runnable(const Block& block, unsigned number) {
    for (unsigned i = 0; i < block.runnable; ++i)
        if (block.ring[(block.head + i) & 1023] == number) return true;
    return false;
}

static constexpr bool ORDER[] = {true, false};  // first the threads that are somewhere

void stand(Worker& worker, const Block& block) {
    Machine& machine = *worker.machine;
    Locked locked(machine.lock);
    for (const bool stands : ORDER)
        for (unsigned i = 0; i < block.size; ++i) {
            if (bool(block.threads[i]) != stands) continue;
            const bool runnable = stands && is_runnable(block, i);
            stand(*machine.run.launch, block, i, machine.thread_indices[i], runnable);
        }
}

}  // namespace accel_sim
