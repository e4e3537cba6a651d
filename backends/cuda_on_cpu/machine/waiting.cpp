// Barriers, warp collectives, and how threads give way to others.
#include "worker.h"

#define ACCEL_SIM_WAITS_AT ((uint64_t)__builtin_return_address(0))

namespace accel_sim {

// Runs others until this thread is chosen again. The caller has put it in the list from which it will be chosen.
static void suspend(Worker& worker, Block& block, unsigned number, State state) {
    Slot& slot = block.slots[number];
    slot.state = state;
    if (worker.run->checks) checks_switch(block);
    const bool gives_way = __builtin_expect(worker.pending, 0) && serve_tick(worker, block);
    if (gives_way || !block.runnable) {
        accel_sim_switch(&slot.stack_pointer, worker.scheduler);
    } else if ((worker.running = pick(block)) != number) {
        resume(worker, block, &slot.stack_pointer);
    }
    slot.state = RUNNING;
}

static void finding_at(Worker& worker, Block& block, unsigned number, Kind kind, unsigned other, uint64_t detail) {
    Finding finding = {};
    finding.kind = kind;
    finding.range = -1;
    finding.detail = detail;
    finding.here = place_of(*block.threads[number], block.slots[number].waits_at, 0, 0);
    finding.other = finding.here;
    finding.other.pc = block.slots[other].waits_at;
    finding.other.thread = worker.machine->thread_indices[other];
    report(*worker.run, finding);
}

// What a block does without getting further until it gives way to other blocks.
constexpr unsigned MANY_TICKS = 50, MANY_COLLECTIVES = 512, MANY_YIELDS = 8;

static bool checks_sync(const Worker& worker) { return worker.run->launch->checks & CHECK_SYNC; }

// --- barriers of the block: of its threads that have not ended, as on GPUs since compute capability 7.0

static void release_barrier(Worker& worker, Block& block) {
    const Launch& launch = *worker.run->launch;
    if (launch.checks) checks_barrier(block);
    if (checks_sync(worker)) find_passed(worker, block);
    for (unsigned i = 0; i < block.arrivals; ++i) push(block, block.arrived[i]);
    for (unsigned first = 0; first < block.size; first += launch.warp_size) {
        Warp& warp = block.warps[warp_of(worker, first)];
        warp.running = unsigned(__builtin_popcountll(warp.live));
    }
    block.barrier_result = block.passed | uint64_t(block.arrivals) << 32;
    block.arrivals = block.passed = block.yields = block.collectives = 0;
}

// --- collectives of a warp

static Group* open_group(Block& block, Warp& warp, uint64_t mask, unsigned kind) {
    for (Group* group = warp.open; group; group = group->next)
        if (group->mask == mask && group->kind == kind) return group;
    Group* group = warp.free;
    if (group) {
        warp.free = group->next;
    } else {
        touch_stack();
        group = (Group*)calloc(1, sizeof(Group));
        if (!group) return nullptr;
        group->made_before = block.groups;
        block.groups = group;
    }
    group->mask = mask, group->kind = kind, group->arrived = 0;
    group->next = warp.open;
    return warp.open = group;
}

static void drop_group(Warp& warp, Slot& slot) {
    Group* group = slot.group;
    slot.group = nullptr;
    if (!group || --group->users) return;
    group->next = warp.free;
    warp.free = group;
}

static void remove_open(Warp& warp, Group* group) {
    Group** link = &warp.open;
    while (*link != group) link = &(*link)->next;
    *link = group->next;
}

static void complete(Worker& worker, Block& block, unsigned warp_number, Group* group) {
    Warp& warp = block.warps[warp_number];
    const unsigned warp_size = worker.run->launch->warp_size;
    remove_open(warp, group);
    if (checks_sync(worker)) find_passed(worker, block, warp, *group, warp_number * warp_size);
    if (worker.run->launch->checks) checks_collect(block, warp_number, group->arrived);
    group->values[64] = group->arrived;
    group->users = unsigned(__builtin_popcountll(group->arrived));
    for (unsigned lane = 0; lane < warp_size; ++lane) {
        if (group->arrived >> lane & 1) {
            push(block, warp_number * warp_size + lane);
        } else {
            group->values[lane] = draw(block.random);
        }
    }
    warp.running += group->users;
    if (++block.collectives > MANY_COLLECTIVES) worker.pending = 1;
}

static bool is_complete(const Warp& warp, const Group& group) { return !(group.mask & warp.live & ~group.arrived); }

// Lets the lanes in accel_sim_active go on: those that are at the same call together.
static void release_active(Block& block, unsigned warp_number) {
    Warp& warp = block.warps[warp_number];
    const unsigned first = warp_number * block.run->launch->warp_size;
    while (warp.active) {
        const uint64_t site = block.slots[first + unsigned(__builtin_ctzll(warp.active))].waits_at;
        uint64_t together = 0;
        for (uint64_t left = warp.active; left; left &= left - 1) {
            const unsigned lane = unsigned(__builtin_ctzll(left));
            if (block.slots[first + lane].waits_at == site) together |= uint64_t(1) << lane;
        }
        for (uint64_t left = together; left; left &= left - 1, ++warp.running) {
            const unsigned number = first + unsigned(__builtin_ctzll(left));
            block.slots[number].mask = together;
            push(block, number);
        }
        warp.active &= ~together;
    }
}

// One lane less runs.
static void lane_waits(Block& block, unsigned warp_number) {
    Warp& warp = block.warps[warp_number];
    if (!--warp.running && warp.active) release_active(block, warp_number);
}

void thread_ended(Worker& worker, Block& block, unsigned number) {
    if (worker.run->checks) checks_switch(block);
    const unsigned warp_number = warp_of(worker, number);
    Warp& warp = block.warps[warp_number];
    warp.live &= ~(uint64_t(1) << lane_of(worker, number));
    drop_group(warp, block.slots[number]);
    for (Group *group = warp.open, *next; group; group = next) {
        next = group->next;
        if (is_complete(warp, *group)) complete(worker, block, warp_number, group);
    }
    lane_waits(block, warp_number);
    --block.alive;
    if (block.arrivals && block.arrivals == block.alive) release_barrier(worker, block);
}

void release_from_grid(Block& block) {
    for (unsigned i = 0; i < block.size; ++i)
        if (block.slots[i].state == AT_GRID_BARRIER) {
            push(block, i);
            ++block.warps[warp_of(*block.worker, i)].running;
        }
    block.at_grid_barrier = 0;
    block.in_grid_barrier = false;
}

// --- giving way

bool serve_tick(Worker& worker, Block& block) {
    worker.pending = 0;
    check_limits(worker);
    if (worker.run->stopped) leave(worker);
    const bool enough = worker.ticks > MANY_TICKS || block.collectives > MANY_COLLECTIVES;
    return enough && block.alive && others_wait(worker);
}

void give_way(Worker& worker, Block& block, unsigned number, uint64_t pc) {
    block.slots[number].waits_at = pc;
    push(block, number);
    const unsigned many = block.runnable < MANY_YIELDS / 2 ? 2 * block.runnable - 1 : MANY_YIELDS;
    if (++block.yields > many && others_wait(worker)) {
        block.slots[number].state = READY;
        if (worker.run->checks) checks_switch(block);
        if (worker.pending) serve_tick(worker, block);
        worker.spins = true;
        accel_sim_switch(&block.slots[number].stack_pointer, worker.scheduler);
        block.slots[number].state = RUNNING;
    } else {
        suspend(worker, block, number, READY);
    }
}

}  // namespace accel_sim

using namespace accel_sim;

extern "C" uint64_t accel_sim_barrier(int predicate, unsigned kind) {
    Worker& worker = *current_worker;
    Block& block = *worker.block;
    const unsigned number = worker.running;
    Slot& slot = block.slots[number];
    slot.waits_at = ACCEL_SIM_WAITS_AT;
    if (!block.arrivals) {
        block.barrier_site = slot.waits_at, block.barrier_kind = kind;
    } else if (checks_sync(worker) && (block.barrier_site != slot.waits_at || block.barrier_kind != kind)) {
        // Compilers make one call of two, and two of one. What they are given tells them apart.
        finding_at(worker, block, number, DIVERGENT_BARRIER, block.arrived[0], block.barrier_kind != kind ? TWO : MAYBE_ONE);
    }
    block.arrived[block.arrivals++] = uint16_t(number);
    block.passed += predicate != 0;
    lane_waits(block, warp_of(worker, number));
    slot.state = AT_BARRIER;
    if (block.arrivals == block.alive) release_barrier(worker, block);
    suspend(worker, block, number, AT_BARRIER);
    return block.barrier_result;
}

extern "C" const uint64_t* accel_sim_collect(uint64_t mask, uint64_t value, unsigned kind) {
    Worker& worker = *current_worker;
    Block& block = *worker.block;
    const unsigned number = worker.running, warp_number = warp_of(worker, number), lane = lane_of(worker, number);
    Warp& warp = block.warps[warp_number];
    Slot& slot = block.slots[number];
    slot.waits_at = ACCEL_SIM_WAITS_AT;
    slot.mask = mask;
    drop_group(warp, slot);
    if (!(mask >> lane & 1)) {
        if (checks_sync(worker)) finding_at(worker, block, number, WRONG_MASK, number, mask);
        mask = uint64_t(1) << lane;  // undefined on a GPU; here the lane is alone
    }
    Group* group = open_group(block, warp, mask, kind);
    if (!group) stop(*worker.run, NO_MEMORY), leave(worker);
    group->values[lane] = value;
    group->arrived |= uint64_t(1) << lane;
    slot.group = group;
    if (is_complete(warp, *group)) complete(worker, block, warp_number, group);
    lane_waits(block, warp_number);
    suspend(worker, block, number, IN_WARP);
    return group->values;
}

extern "C" uint64_t accel_sim_active() {
    Worker& worker = *current_worker;
    Block& block = *worker.block;
    const unsigned number = worker.running, warp_number = warp_of(worker, number);
    block.slots[number].waits_at = ACCEL_SIM_WAITS_AT;
    block.warps[warp_number].active |= uint64_t(1) << lane_of(worker, number);
    lane_waits(block, warp_number);
    suspend(worker, block, number, IN_WARP);
    return block.slots[number].mask;
}

extern "C" void accel_sim_grid_barrier() {
    Worker& worker = *current_worker;
    Block& block = *worker.block;
    const unsigned number = worker.running;
    block.slots[number].waits_at = ACCEL_SIM_WAITS_AT;
    if (!worker.run->launch->cooperative) {
        finding_at(worker, block, number, NOT_COOPERATIVE, number, 0);
        stop(*worker.run, NOT_COOPERATIVE);
        leave(worker);
    }
    ++block.at_grid_barrier;
    if (block.at_grid_barrier == block.alive && checks_sync(worker)) find_passed(worker, block);
    lane_waits(block, warp_of(worker, number));
    suspend(worker, block, number, AT_GRID_BARRIER);
}

extern "C" void accel_sim_yield() {
    Worker* worker = current_worker;
    if (!worker) return;
    self().steps = 0;
    give_way(*worker, *worker->block, worker->running, ACCEL_SIM_WAITS_AT);
}

extern "C" void accel_sim_fence(unsigned scope) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (current_worker && current_worker->run->launch->checks) checks_fence(self(), scope);
}

// Host code of a program has the clock of C.
extern "C" uint64_t accel_sim_clock() { return current_worker ? now() : uint64_t(clock()); }
