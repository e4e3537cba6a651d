// What the machine calls when launches, blocks and threads begin, end and synchronise.
#include <sys/mman.h>

#include "checks.h"
#include "heap.h"

namespace accel_sim {

bool make_owners();
uint64_t first_epoch();
bool epochs_are_left();
void free_local_maps(Checks& checks);

namespace {

uint64_t checked_launches;

// Which bytes of shared memory belong to no variable, and which to one that is not written.
uint8_t* written_at_begin(const Launch& launch, bool init) {
    if (!launch.segments.shared_size) return nullptr;
    uint8_t* written = (uint8_t*)malloc(launch.segments.shared_size + 16);
    if (!written) return nullptr;
    memset(written, launch.segments.shared_count ? GAP : WRITTEN, launch.segments.shared_size + 16);
    for (uint64_t i = 0; i < launch.segments.shared_count; ++i) {
        const Shared& variable = launch.segments.shared_variables[i];
        memset(written + variable.offset, variable.guard ? GUARD : init ? UNWRITTEN : WRITTEN, variable.size);
    }
    return written;
}

BlockChecks* make_block(const Launch& launch, unsigned size) {
    BlockChecks* block = (BlockChecks*)calloc(1, sizeof(BlockChecks));
    if (!block) abort();
    block->size = size;
    block->warp_size = launch.warp_size;
    block->warps = (WarpChecks*)calloc((size + launch.warp_size - 1) / launch.warp_size, sizeof(WarpChecks));
    block->shared.written = (uint8_t*)malloc(launch.segments.shared_size + 16);
    block->dynamic.written = (uint8_t*)malloc(launch.dynamic_shared + 16);
    if (!block->warps || !block->shared.written || !block->dynamic.written) abort();
    return block;
}

void free_block(BlockChecks* block) {
    for (unsigned warp = 0; warp * block->warp_size < block->size; ++warp) free(block->warps[warp].bounds);
    free(block->warps);
    free(block->shared.written);
    free(block->dynamic.written);
    free_cells(block->shared.cells);
    free_cells(block->dynamic.cells);
    block->arena.free_all();
    free(block);
}

BlockChecks* take_idle(Checks& checks) {
    Locked locked(checks.lock);
    BlockChecks* block = checks.idle;
    if (block) checks.idle = block->idle;
    return block;
}

// The arena of a block outlives it: other blocks may know its releases.
void keep(Checks& checks, Arena& arena) {
    while (arena.chunks) {
        Arena::Chunk* chunk = arena.chunks;
        arena.chunks = chunk->next;
        chunk->next = checks.arena.chunks;
        checks.arena.chunks = chunk;
    }
}

// From here on all earlier accesses of the block are ordered before its threads.
void order_all(Checks& checks, BlockChecks& block) {
    block.barrier = draw_epoch(block, checks);
    for (unsigned warp = 0; warp * block.warp_size < block.size; ++warp) block.warps[warp].sync = block.barrier;
}

uint64_t* make_bounds(const BlockChecks& block) {
    return (uint64_t*)calloc(block.warp_size * block.warp_size, sizeof(uint64_t));
}

// Each lane of a mask knows what any of them knew, and what all of them did until now.
void order_lanes(WarpChecks& warp, unsigned width, uint64_t mask, uint64_t epoch) {
    uint64_t most[64] = {};
    for (uint64_t lanes = mask; lanes; lanes &= lanes - 1)
        for (unsigned other = 0; other < width; ++other) {
            const uint64_t one = warp.bounds[unsigned(__builtin_ctzll(lanes)) * width + other];
            if (one > most[other]) most[other] = one;
        }
    for (uint64_t lanes = mask; lanes; lanes &= lanes - 1) most[__builtin_ctzll(lanes)] = epoch;
    for (uint64_t lanes = mask; lanes; lanes &= lanes - 1) {
        const unsigned lane = unsigned(__builtin_ctzll(lanes));
        memcpy(warp.bounds + lane * width, most, width * sizeof(uint64_t));
        warp.own[lane] = epoch;
    }
}

uint64_t all_lanes(const BlockChecks& block, unsigned warp) {
    const unsigned left = block.size - warp * block.warp_size;
    const unsigned lanes = left < block.warp_size ? left : block.warp_size;
    return ~uint64_t(0) >> (64 - lanes);
}

}  // namespace

void checks_begin(Run& run) {
    Checks* checks = (Checks*)calloc(1, sizeof(Checks));
    if (!checks) abort();
    const uint32_t on = run.launch->checks;
    checks->run = &run;
    checks->memory = on & CHECK_MEMORY, checks->init = on & CHECK_INIT;
    checks->counts_banks = on & CHECK_BANKS, checks->notes_touches = run.launch->touch_capacity;
    checks->observes = checks->counts_banks || checks->notes_touches;
    checks->same_values = on & CHECK_SAME_VALUE;
    checks->race = on & CHECK_RACE && epochs_are_left() && make_owners();
    checks->id = __atomic_add_fetch(&checked_launches, 1, __ATOMIC_RELAXED);
    checks->floor = first_epoch();
    checks->shared_written = written_at_begin(*run.launch, checks->init);
    checks->lock = PTHREAD_MUTEX_INITIALIZER;
    checks->sites[0].range = &checks->nowhere;
    heap_of(*run.launch).check();
    run.checks = checks;
}

void checks_end(Run& run) {
    Checks* checks = (Checks*)run.checks;
    report_banks(*checks);
    run.checks = nullptr;
    while (checks->idle) {
        BlockChecks* block = checks->idle;
        checks->idle = block->idle;
        free_block(block);
    }
    end_orders(*checks);
    checks->arena.free_all();
    free_local_maps(*checks);
    free(checks->shared_written);
    free(checks);
}

void checks_block_begin(Block& block) {
    Checks& checks = *(Checks*)block.run->checks;
    const Launch& launch = *block.run->launch;
    BlockChecks* mine = take_idle(checks);
    if (!mine) mine = make_block(launch, block.size);
    block.checks = mine;
    mine->number = block.number;
    mine->next = mine->end = mine->drawn = 0;
    mine->shared.begin = (uint64_t)block.shared_begin, mine->shared.size = checks.shared_written ? launch.segments.shared_size : 0;
    mine->dynamic.begin = (uint64_t)block.dynamic_begin, mine->dynamic.size = launch.dynamic_shared;
    if (checks.shared_written) memcpy(mine->shared.written, checks.shared_written, launch.segments.shared_size + 16);
    memset(mine->dynamic.written, checks.init ? UNWRITTEN : WRITTEN, launch.dynamic_shared + 16);
    begin_orders(*mine);
    if (checks.race) order_all(checks, *mine);
    mine->birth = mine->barrier;
}

void checks_block_end(Block& block) {
    Checks& checks = *(Checks*)block.run->checks;
    BlockChecks& mine = checks_of(block);
    if (checks.counts_banks) end_banks(block, checks);
    block.checks = nullptr;
    Locked locked(checks.lock);
    keep(checks, mine.arena);
    mine.idle = checks.idle;
    checks.idle = &mine;
}

void checks_thread_begin(Thread& thread) {
    Shadow& shadow = thread.shadow;
    shadow.block = (BlockChecks*)thread.block_state->checks;
    shadow.warp = &shadow.block->warps[thread.warp];
    if (shadow.local_low < shadow.local_high) clear_local(thread, shadow.local_high);
    shadow.local_low = ~uintptr_t(0);
    shadow.local_high = 0;
}

void checks_switch(Block& block) {
    Suspicion& suspicion = checks_of(block).suspicion;
    if (__builtin_expect(suspicion.count, 0)) settle(suspicion);
}

void checks_barrier(Block& block) {
    Checks& checks = *(Checks*)block.run->checks;
    if (checks.counts_banks) settle_banks(block);
    if (!checks.race) return;
    order_all(checks, checks_of(block));
    synchronise_order(checks, checks_of(block));
}

void checks_collect(Block& block, unsigned warp, uint64_t mask) {
    Checks& checks = *(Checks*)block.run->checks;
    if (!checks.race) return;
    BlockChecks& mine = checks_of(block);
    WarpChecks& lanes = mine.warps[warp];
    const uint64_t epoch = draw_epoch(mine, checks);
    if (mask == all_lanes(mine, warp)) lanes.sync = epoch;
    else if (lanes.bounds || (lanes.bounds = make_bounds(mine))) order_lanes(lanes, mine.warp_size, mask, epoch);
    synchronise_order(checks, mine, warp, mask);
}

void checks_grid_barrier(Run& run, Block** blocks, uint64_t count) {
    Checks& checks = *(Checks*)run.checks;
    if (!checks.race) return;
    checks.floor = first_epoch();
    for (uint64_t i = 0; i < count; ++i) {
        BlockChecks& block = checks_of(*blocks[i]);
        block.next = block.end;  // the epochs that it has are below the floor
        order_all(checks, block);
    }
}

}  // namespace accel_sim
