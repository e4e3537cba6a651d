// Threads that go past a barrier, or a collective of their warp, at which others wait. These do not wait for threads that have
// ended, so such a thread does no harm here: but CUDA asks that all threads come to what is in a statement, or none.
#include "worker.h"

namespace accel_sim {

const Passed* PassedOnes::on(uint64_t path) const {
    for (unsigned i = 0; i < count; ++i)
        if (each[i].path == path) return &each[i];
    return nullptr;
}

void PassedOnes::keep(const Passed& added) {
    Passed* same = (Passed*)on(added.path);
    if (same && same->times >= added.times) return;
    if (!same && count == MOST) return;
    (same ? *same : each[count++]) = added;
}

static Warp& warp_of(Thread& thread) { return thread.block_state->warps[thread.warp]; }

// Those of a thread, without what came before `past` began.
static PassedOnes& now(PassedOnes& own, const PassedOnes& past) {
    if (own.since != past.since) own.count = 0;
    own.since = past.since;
    return own;
}

static void begin_anew(PassedOnes& past) { past.count = 0, ++past.since; }

void keep_passed(Block& block, Thread& thread) {
    Warp& warp = warp_of(thread);
    const PassedOnes &of_block = now(thread.passing.of_block, block.past), &of_warp = now(thread.passing.of_warp, warp.past);
    for (unsigned i = 0; i < of_block.count; ++i) block.past.keep(of_block.each[i]);
    for (unsigned i = 0; i < of_warp.count; ++i) warp.past.keep(of_warp.each[i]);
}

// What a thread that ended went past, and this one is still in.
static const Passed* left_behind(const Passing& passing, const PassedOnes& own, const PassedOnes& past) {
    for (unsigned i = 0; i < passing.depth && i < Passing::DEEPEST; ++i) {
        const Passed *gone = past.on(passing.paths[i]), *mine = own.on(passing.paths[i]);
        if (gone && gone->times > (mine ? mine->times : 0)) return gone;
    }
    return nullptr;
}

static void report_passed(Worker& worker, Block& block, const Thread& thread, const Passed& passed, Kind kind, uint64_t detail) {
    Finding finding = {};
    finding.kind = kind;
    finding.range = -1;
    finding.detail = detail;
    finding.here = place_of(thread, block.slots[thread.linear].waits_at, 0, 0);
    finding.other = finding.here;
    finding.other.pc = passed.pc;
    finding.other.thread = worker.machine->thread_indices[passed.thread];
    report(*worker.run, finding);
}

// All threads that have not ended wait at barriers.
void find_passed(Worker& worker, Block& block) {
    for (unsigned i = 0; block.past.count && i < block.size; ++i) {
        Thread* thread = block.threads[i];
        if (!thread) continue;
        const PassedOnes& own = now(thread->passing.of_block, block.past);
        const Passed* passed = left_behind(thread->passing, own, block.past);
        if (passed) report_passed(worker, block, *thread, *passed, DIVERGENT_BARRIER, PAST);
    }
    begin_anew(block.past);
    for (unsigned first = 0; first < block.size; first += worker.run->launch->warp_size)
        begin_anew(block.warps[warp_of(worker, first)].past);
}

// The lanes of a collective that have not ended have arrived.
void find_passed(Worker& worker, Block& block, Warp& warp, const Group& group, unsigned first) {
    for (uint64_t lanes = warp.past.count ? group.arrived : 0; lanes; lanes &= lanes - 1) {
        Thread* thread = block.threads[first + unsigned(__builtin_ctzll(lanes))];
        if (!thread) continue;
        const Passed* passed = left_behind(thread->passing, now(thread->passing.of_warp, warp.past), warp.past);
        if (passed && group.mask >> (passed->thread - first) & 1)
            report_passed(worker, block, *thread, *passed, WRONG_MASK, group.mask);
    }
    if ((group.arrived & warp.live) == warp.live) begin_anew(warp.past);
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

static void pass(PassedOnes& own, uint64_t path, uint64_t pc, unsigned thread) {
    const Passed* before = own.on(path);
    own.keep({path, pc, before ? before->times + 1 : 1, thread});
}

static void pass_at(unsigned depth, uint64_t pc) {
    if (!current_worker || depth >= Passing::DEEPEST) return;
    Thread& thread = self();
    Passing& passing = thread.passing;
    pass(now(passing.of_block, thread.block_state->past), passing.paths[depth], pc, thread.linear);
    pass(now(passing.of_warp, warp_of(thread).past), passing.paths[depth], pc, thread.linear);
}

extern "C" void accel_sim_passed(unsigned depth) { pass_at(depth, uint64_t(__builtin_return_address(0))); }

// The same for a statement that is only a branch and where its ways meet: `depth` is -1 where the thread is not in it.
extern "C" void accel_sim_begin(int* depth, unsigned number) {
    if (*depth < 0) *depth = int(accel_sim_enter(number));
}

extern "C" void accel_sim_past(int* depth) {
    if (*depth < 0) return;
    pass_at(unsigned(*depth), uint64_t(__builtin_return_address(0)));
    accel_sim_leave(unsigned(*depth));
    *depth = -1;
}
