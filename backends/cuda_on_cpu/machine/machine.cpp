// Launches, workers, and the fibers that run threads.
#include "heap.h"

#include <sched.h>

namespace accel_sim {

__thread Worker* current_worker ACCEL_SIM_FAST_TLS;

// --- fibers

// What the threads that a stack runs have in common.
static void bind(Thread& thread, Worker& worker, Block& block) {
    const Launch& launch = *worker.run->launch;
    memset((void*)&thread, 0, sizeof thread);
    thread.block = block.index, thread.block_dim = launch.block, thread.grid_dim = launch.grid;
    thread.warp_size = launch.warp_size;
    thread.dynamic_shared = block.dynamic_begin, thread.dynamic_size = launch.dynamic_shared;
    thread.block_state = &block, thread.worker = &worker, thread.run = worker.run;
}

static void begin_thread(Thread& thread, Block& block, unsigned number) {
    const Worker& worker = *thread.worker;
    thread.thread = worker.machine->thread_indices[number];
    thread.linear = number, thread.lane = lane_of(worker, number), thread.warp = warp_of(worker, number);
    thread.steps = thread.passing.depth = thread.passing.of_block.count = thread.passing.of_warp.count = 0;
    block.threads[number] = &thread;
    block.slots[number].state = RUNNING;
    block.yields = block.collectives = 0;
    if (thread.run->launch->checks) checks_thread_begin(thread);
}

static void end_thread(Worker& worker, Block& block, unsigned number) {
    if (worker.run->launch->checks & CHECK_SYNC) keep_passed(block, *block.threads[number]);
    block.threads[number] = nullptr;
    block.slots[number].state = ENDED;
    thread_ended(worker, block, number);
}

// Gives the stack back, and goes on elsewhere.
[[noreturn]] static void finish_fiber(Worker& worker, Stack* stack, void* to) {
    void* nowhere;
    worker.stacks->give(stack);
    accel_sim_switch(&nowhere, to);
    __builtin_unreachable();
}

// Runs threads one after another on one stack, as long as none waits.
static void run_threads() {
    Thread& thread = self();
    Worker& worker = *thread.worker;
    Block& block = *worker.block;
    const Launch& launch = *worker.run->launch;
    for (;;) {
        begin_thread(thread, block, worker.running);
        launch.entry(launch.arguments);
        end_thread(worker, block, thread.linear);
        const bool gives_way = __builtin_expect(worker.pending, 0) && serve_tick(worker, block);
        if (gives_way || !block.runnable) finish_fiber(worker, thread.stack, worker.scheduler);
        worker.running = pick(block);
        if (block.threads[worker.running])
            finish_fiber(worker, thread.stack, block.slots[worker.running].stack_pointer);
    }
}

// Continues or starts the chosen thread; `*from` becomes where the caller goes on.
void resume(Worker& worker, Block& block, void** from) {
    const unsigned number = worker.running;
    if (block.threads[number]) return accel_sim_switch(from, block.slots[number].stack_pointer);
    Stack* stack = worker.stacks->take();
    if (!stack) {
        stop(*worker.run, NO_MEMORY);
        if (from == &worker.scheduler) return;
        leave(worker);
    }
    Thread& thread = *(Thread*)stack->base;
    bind(thread, worker, block);
    thread.stack = stack;
    accel_sim_switch(from, prepared(stack->top, run_threads));
}

void leave(Worker& worker) {
    if (worker.run->checks && worker.block && worker.block->checks) checks_switch(*worker.block);
    void* nowhere;
    accel_sim_switch(&nowhere, worker.scheduler);
    __builtin_unreachable();
}

// --- workers

static bool blocks_left(const Machine& machine) {
    return __atomic_load_n(&machine.next_block, __ATOMIC_RELAXED) < machine.run.blocks;
}

bool others_wait(const Worker& worker) { return worker.parked || blocks_left(*worker.machine); }

static void park(Worker& worker, Block& block) {
    block.next = nullptr;
    *worker.last_parked = &block;
    worker.last_parked = &block.next;
    ++worker.parked_count;
}

static bool at_grid_barrier(Machine& machine, const Block& block) {
    return block.in_grid_barrier && block.grid_generation == __atomic_load_n(&machine.grid.generation, __ATOMIC_ACQUIRE);
}

// Takes the first parked block that does not wait for the grid.
static Block* unpark(Worker& worker) {
    for (Block** link = &worker.parked; Block* block = *link; link = &block->next) {
        if (at_grid_barrier(*worker.machine, *block)) continue;
        *link = block->next;
        if (!*link) worker.last_parked = link;
        --worker.parked_count;
        if (block->in_grid_barrier) release_from_grid(*block);
        load_shared(worker, *block);
        return block;
    }
    return nullptr;
}

static Block* next_new_block(Worker& worker) {
    Machine& machine = *worker.machine;
    if (!blocks_left(machine)) return nullptr;
    uint64_t number = __atomic_fetch_add(&machine.next_block, 1, __ATOMIC_RELAXED);
    if (number >= machine.run.blocks) return nullptr;
    if (!machine.run.launch->ordered) number = shuffled(number, machine.run.blocks, machine.run.launch->seed);
    Block* block = begin_block(worker, number);
    if (!block) stop(machine.run, NO_MEMORY);
    return block;
}

// Whether to start a block, and not to go on with one that gave way. One that spins may wait for any other; one that only
// takes long needs no others, and each has stacks of its own: so few are started.
static bool prefers_new(Worker& worker) {
    if (!worker.parked || worker.run->launch->cooperative) return true;
    const unsigned parked = worker.parked_count;
    return !draw_below(worker.random, worker.spins ? 2 : 2 + parked * parked / 16);
}

static Block* choose(Worker& worker) {
    const bool first_new = prefers_new(worker);
    worker.spins = false;
    Block* block = first_new ? next_new_block(worker) : unpark(worker);
    if (block || worker.run->stopped) return block;
    return first_new ? unpark(worker) : next_new_block(worker);
}

static void pass_grid(Machine& machine) {
    GridBarrier& grid = machine.grid;
    if (machine.run.launch->checks) checks_grid_barrier(machine.run, machine.resident, machine.run.blocks);
    grid.waiting = 0;
    __atomic_fetch_add(&grid.generation, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&grid.passed);
}

static void arrive_at_grid(Machine& machine, Block& block) {
    Locked locked(machine.lock);
    GridBarrier& grid = machine.grid;
    block.in_grid_barrier = true;
    block.grid_generation = grid.generation;
    if (++grid.waiting + grid.ended == machine.run.blocks) pass_grid(machine);
}

static void end_in_grid(Machine& machine) {
    Locked locked(machine.lock);
    GridBarrier& grid = machine.grid;
    ++grid.ended;
    if (grid.waiting && grid.waiting + grid.ended == machine.run.blocks) pass_grid(machine);
}

// Waits until the parked blocks may go on, some milliseconds at most.
static void wait_for_grid(Worker& worker) {
    Machine& machine = *worker.machine;
    {
        Locked locked(machine.lock);
        timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 5000000;
        if (until.tv_nsec >= 1000000000) ++until.tv_sec, until.tv_nsec -= 1000000000;
        if (at_grid_barrier(machine, *worker.parked))
            pthread_cond_timedwait(&machine.grid.passed, &machine.lock, &until);
    }
    check_limits(worker);
}

static void deadlock(Worker& worker, Block& block) {
    Finding finding = {};
    finding.kind = DEADLOCK;
    finding.range = -1;
    for (unsigned i = block.size; i--;)
        if (block.threads[i]) finding.here = place_of(*block.threads[i], block.slots[i].waits_at, 0, 0);
    report(*worker.run, finding);
    stand(worker, block);
    stop(*worker.run, DEADLOCK);
}

static void run_block(Worker& worker, Block& block) {
    Machine& machine = *worker.machine;
    worker.block = &block;
    worker.ticks = 0;
    block.yields = block.collectives = 0;
    worker.running = pick(block);
    resume(worker, block, &worker.scheduler);
    worker.block = nullptr;
    if (worker.run->stopped) return park(worker, block);
    if (!block.alive) {
        end_block(worker, block);
        if (machine.run.launch->cooperative) end_in_grid(machine);
    } else if (block.runnable) {
        park(worker, block);
        if (machine.worker_count > 1) sched_yield();
    } else if (block.at_grid_barrier == block.alive) {
        park(worker, block);
        arrive_at_grid(machine, block);
    } else {
        deadlock(worker, block);
        park(worker, block);
    }
}

static void run_blocks(Worker& worker) {
    while (!worker.run->stopped) {
        if (Block* block = choose(worker)) {
            run_block(worker, *block);
        } else if (worker.parked) {
            wait_for_grid(worker);
        } else {
            return;
        }
    }
}

static void* work(void* argument);

// The next worker, if there is work for it. Each starts the next: so the first does not wait for all of them to start.
static void start_next(Worker& worker) {
    Machine& machine = *worker.machine;
    Worker* next = &worker + 1;
    if (next == machine.workers + machine.worker_count || !blocks_left(machine)) return;
    sigset_t all, before;  // signals of the process are not for the threads of a launch
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    next->started = !pthread_create(&next->thread, nullptr, work, next);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static void abandon_blocks(Worker& worker) {
    while (Block* block = worker.parked) {
        worker.parked = block->next;
        if (worker.run->stopped == TIMEOUT) stand(worker, *block);
        if (worker.run->launch->checks) checks_block_end(*block);
        free_block(*block);
    }
    if (worker.spare) free_block(*worker.spare);
}

// --- stacks of workers that ended

static Stacks* idle_stacks[64];

constexpr uint64_t LONG_NANOSECONDS = 10000000;  // of a launch that trimming stacks does not slow down

static Stacks* take_stacks() {
    for (Stacks*& idle : idle_stacks)
        if (Stacks* stacks = __atomic_exchange_n(&idle, nullptr, __ATOMIC_ACQUIRE)) return stacks;
    return (Stacks*)calloc(1, sizeof(Stacks));
}

static void give_stacks(Stacks* stacks, uint64_t nanoseconds) {
    stacks->reset();
    if (nanoseconds > LONG_NANOSECONDS) stacks->trim();
    for (Stacks*& idle : idle_stacks) {
        Stacks* none = nullptr;
        if (__atomic_compare_exchange_n(&idle, &none, stacks, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
    }
    stacks->free_all();
    free(stacks);
}

static void work_as(Worker& worker) {
    Worker* before = current_worker;
    const Launch& launch = *worker.run->launch;
    worker.last_parked = &worker.parked;
    worker.warp_bits = unsigned(__builtin_ctz(launch.warp_size));
    worker.random = mixed(launch.seed ^ mixed(uint64_t(&worker - worker.machine->workers))) | 1;
    worker.stacks = take_stacks();
    worker.shared_begin = launch.segments.shared_begin ? (char*)launch.segments.shared_begin() : nullptr;
    current_worker = &worker;
    listen(worker);
    start_next(worker);
    if (worker.stacks) run_blocks(worker);
    else stop(*worker.run, NO_MEMORY);
    unlisten(worker);
    current_worker = before;
    abandon_blocks(worker);
    if (worker.stacks) give_stacks(worker.stacks, now() - worker.machine->began);
}

static void* work(void* argument) {
    work_as(*(Worker*)argument);
    return nullptr;
}

// --- launches

static unsigned workers_for(const Run& run) {
    uint64_t count = run.launch->workers ? run.launch->workers : 1;
    const uint64_t most = MOST_GUARDS / run.threads_per_block;  // a guard page for each stack
    if (count > run.blocks) count = run.blocks;
    if (count > most) count = most;
    return count ? unsigned(count) : 1;
}

static uint64_t launches_so_far;

static bool prepare(Machine& machine, Launch& launch) {
    Run& run = machine.run;
    run.launch = &launch;
    run.machine = &machine;
    run.number = __atomic_add_fetch(&launches_so_far, 1, __ATOMIC_RELAXED);
    run.blocks = uint64_t(launch.grid.x) * launch.grid.y * launch.grid.z;
    run.threads_per_block = launch.block.x * launch.block.y * launch.block.z;
    machine.began = now();
    machine.deadline = launch.limit > 0 ? machine.began + uint64_t(launch.limit * 1e9) : 0;
    machine.worker_count = workers_for(run);
    machine.workers = (Worker*)calloc(machine.worker_count, sizeof(Worker));
    machine.thread_indices = (Dim*)malloc(run.threads_per_block * sizeof(Dim));
    machine.resident = launch.cooperative ? (Block**)calloc(run.blocks, sizeof(Block*)) : nullptr;
    pthread_mutex_init(&machine.lock, nullptr);
    pthread_cond_init(&machine.grid.passed, nullptr);
    return machine.workers && machine.thread_indices && (machine.resident || !launch.cooperative);
}

static void index_threads(Machine& machine) {
    Dim* next = machine.thread_indices;
    const Dim block = machine.run.launch->block;
    for (unsigned z = 0; z < block.z; ++z)
        for (unsigned y = 0; y < block.y; ++y)
            for (unsigned x = 0; x < block.x; ++x) *next++ = {x, y, z};
}

static void run_workers(Machine& machine) {
    const Launch& launch = *machine.run.launch;
    index_threads(machine);
    for (unsigned i = 0; i < machine.worker_count; ++i)
        machine.workers[i].run = &machine.run, machine.workers[i].machine = &machine;
    install_handlers();
    if (launch.checks) checks_begin(machine.run);
    work_as(machine.workers[0]);
    for (unsigned i = 1; i < machine.worker_count && machine.workers[i].started; ++i)
        pthread_join(machine.workers[i].thread, nullptr);
    if (launch.checks) checks_end(machine.run);
    if (machine.run.stopped) heap_of(launch).take_back(machine.run);
    remove_handlers();
}

}  // namespace accel_sim

using namespace accel_sim;

extern "C" uint32_t accel_sim_launch(Launch* launch) {
    Machine machine = {};
    launch->finding_count = launch->standing_count = launch->printed_size = 0;
    launch->printed = nullptr;
    if (!launch->block.x || !launch->block.y || !launch->block.z) return NOTHING;
    if (prepare(machine, *launch)) {
        run_workers(machine);
    } else {
        stop(machine.run, NO_MEMORY);
    }
    free(machine.workers);
    free(machine.thread_indices);
    free(machine.resident);
    pthread_cond_destroy(&machine.grid.passed);
    pthread_mutex_destroy(&machine.lock);
    return machine.run.stopped;
}

extern "C" void accel_sim_release(void* memory) { free(memory); }
