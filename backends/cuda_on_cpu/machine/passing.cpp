// Threads that go past a barrier at which others wait. Barriers do not wait for threads that have ended, so such a thread does
// no harm here: but CUDA asks that all threads of a block come to a barrier that is in a statement, or none.
#include "worker.h"

namespace accel_sim {

static Passed* passed_on(Passed* all, unsigned count, uint64_t path) {
    for (unsigned i = 0; i < count; ++i)
        if (all[i].path == path) return &all[i];
    return nullptr;
}

// Adds it, or replaces what has its path and fewer times.
static void keep(Passed* all, unsigned& count, unsigned most, const Passed& added) {
    Passed* same = passed_on(all, count, added.path);
    if (same && same->times >= added.times) return;
    if (!same && count == most) return;
    (same ? *same : all[count++]) = added;
}

static Passing& passing_now(Thread& thread) {
    Passing& passing = thread.passing;
    if (passing.barriers != thread.block_state->barriers) passing.count = 0;
    passing.barriers = thread.block_state->barriers;
    return passing;
}

void keep_passed(Block& block, Thread& thread) {
    const Passing& passing = passing_now(thread);
    for (unsigned i = 0; i < passing.count; ++i) keep(block.past, block.past_count, 64, passing.passed[i]);
}

// Whether a thread that ended went past what this thread is still in.
static const Passed* left_behind(const Block& block, Thread& thread) {
    const Passing& passing = passing_now(thread);
    for (unsigned i = 0; i < passing.depth && i < Passing::DEEPEST; ++i) {
        const Passed* past = passed_on((Passed*)block.past, block.past_count, passing.paths[i]);
        const Passed* own = passed_on((Passed*)passing.passed, passing.count, passing.paths[i]);
        if (past && past->times > (own ? own->times : 0)) return past;
    }
    return nullptr;
}

// All threads that have not ended wait at barriers.
void find_passed(Worker& worker, Block& block) {
    for (unsigned i = 0; block.past_count && i < block.size; ++i) {
        Thread* thread = block.threads[i];
        const Passed* past = thread ? left_behind(block, *thread) : nullptr;
        if (!past) continue;
        Finding finding = {};
        finding.kind = DIVERGENT_BARRIER;
        finding.range = -1;
        finding.detail = PAST;
        finding.here = place_of(*thread, block.slots[i].waits_at, 0, 0);
        finding.other = finding.here;
        finding.other.pc = past->pc;
        finding.other.thread = worker.machine->thread_indices[past->thread];
        report(*worker.run, finding);
    }
    block.past_count = 0;
    ++block.barriers;
}

}  // namespace accel_sim

using namespace accel_sim;

extern "C" unsigned accel_sim_enter(unsigned number) {
    if (!current_worker) return 0;
    Passing& passing = self().passing;
    const uint64_t around = passing.depth && passing.depth <= Passing::DEEPEST ? passing.paths[passing.depth - 1] : 0;
    if (passing.depth < Passing::DEEPEST) passing.paths[passing.depth] = mixed(around ^ number);
    return passing.depth++;
}

extern "C" void accel_sim_leave(unsigned depth) {
    if (current_worker) self().passing.depth = depth;
}

extern "C" void accel_sim_passed(unsigned depth) {
    if (!current_worker || depth >= Passing::DEEPEST) return;
    Thread& thread = self();
    Passing& passing = passing_now(thread);
    const uint64_t path = passing.paths[depth];
    const Passed* before = passed_on(passing.passed, passing.count, path);
    keep(passing.passed, passing.count, Passing::MOST,
         {path, uint64_t(__builtin_return_address(0)), before ? before->times + 1 : 1, thread.linear});
}
