// Blocks: their order, their memory, their shared memory.
#include "worker.h"

namespace accel_sim {

static Block* new_block(const Run& run) {
    const Launch& launch = *run.launch;
    const unsigned threads = run.threads_per_block, warps = (threads + launch.warp_size - 1) / launch.warp_size;
    const size_t dynamic = (launch.dynamic_shared + 1023) & ~1023u;
    const size_t slots = sizeof(Block) + threads * sizeof(Thread*), of_warps = slots + threads * sizeof(Slot);
    const size_t ring = of_warps + warps * sizeof(Warp), size = ring + (1024 + threads) * sizeof(uint16_t);
    void* memory = nullptr;
    if (posix_memalign(&memory, 1024, dynamic + size + 1024)) return nullptr;
    char* base = (char*)memory + dynamic;
    memset(base, 0, size);
    Block* block = (Block*)base;
    block->dynamic_begin = (char*)memory;
    block->threads = (Thread**)(block + 1);
    block->slots = (Slot*)(base + slots);
    block->warps = (Warp*)(base + of_warps);
    block->ring = (uint16_t*)(base + ring);
    block->arrived = block->ring + 1024;
    block->size = threads;
    return block;
}

void free_block(Block& block) {
    while (Group* group = block.groups) {
        block.groups = group->made_before;
        free(group);
    }
    free(block.saved_shared);
    free(block.dynamic_begin);
}

// Makes random what the memory has, so that no kernel depends on it.
static void poison(uint64_t& random, char* begin, uint64_t size) {
    const uint64_t bits = draw(random);
    for (; size >= 8; begin += 8, size -= 8) memcpy(begin, &bits, 8);
    memcpy(begin, &bits, size);
}

static void poison_shared(Block& block) {
    const Launch& launch = *block.run->launch;
    for (uint64_t i = 0; i < launch.segments.shared_count && !launch.segments.shared_variables[i].guard; ++i)
        poison(block.random, block.shared_begin + launch.segments.shared_variables[i].offset, launch.segments.shared_variables[i].size);
    poison(block.random, block.dynamic_begin, launch.dynamic_shared);
}

static void place_threads(Block& block) {
    const unsigned warp_size = block.run->launch->warp_size;
    for (unsigned i = 0; i < block.size; ++i) block.ring[i] = uint16_t(i);
    for (unsigned i = 0; i < block.size; ++i) block.slots[i].state = NOT_STARTED;
    for (unsigned first = 0; first < block.size; first += warp_size) {
        Warp& warp = block.warps[first / warp_size];
        warp.running = block.size - first < warp_size ? block.size - first : warp_size;
        warp.live = ~uint64_t(0) >> (64 - warp.running);
        warp.active = warp.past.count = 0;
    }
    block.head = 0;
    block.runnable = block.alive = block.size;
}

Block* begin_block(Worker& worker, uint64_t number) {
    const Launch& launch = *worker.run->launch;
    Block* block = worker.spare ? worker.spare : new_block(*worker.run);
    if (!block) return nullptr;
    worker.spare = nullptr;
    block->run = worker.run, block->worker = &worker;
    block->number = number;
    block->index.x = unsigned(number % launch.grid.x);
    block->index.y = unsigned(number / launch.grid.x % launch.grid.y);
    block->index.z = unsigned(number / launch.grid.x / launch.grid.y);
    block->shared_begin = worker.shared_begin;
    block->random = mixed(launch.seed ^ mixed(number)) | 1;
    block->past.count = block->arrivals = block->passed = block->at_grid_barrier = block->yields = 0;
    place_threads(*block);
    load_shared(worker, *block);
    poison_shared(*block);
    if (worker.machine->resident) worker.machine->resident[number] = block;
    if (launch.checks) checks_block_begin(*block);
    return block;
}

void end_block(Worker& worker, Block& block) {
    if (worker.run->launch->checks) checks_block_end(block);
    if (worker.machine->resident) worker.machine->resident[block.number] = nullptr;
    if (worker.loaded == &block) worker.loaded = nullptr;
    if (worker.spare) return free_block(block);
    worker.spare = &block;
}

// Gives a block its contents of the thread-local segment, and keeps those of the block that used it before.
void load_shared(Worker& worker, Block& block) {
    const uint64_t size = worker.run->launch->segments.shared_size;
    if (worker.loaded == &block || !size) return;
    if (Block* before = worker.loaded) {
        if (!before->saved_shared) before->saved_shared = (char*)malloc(size);
        if (before->saved_shared) memcpy(before->saved_shared, worker.shared_begin, size);
        else stop(*worker.run, NO_MEMORY);
    }
    if (block.saved_shared) memcpy(worker.shared_begin, block.saved_shared, size);
    worker.loaded = &block;
}

// A permutation of the numbers below a count, by a seed: four rounds of Feistel, repeated until the result is below.
uint64_t shuffled(uint64_t number, uint64_t count, uint64_t seed) {
    unsigned half = 1;
    while (half < 32 && (uint64_t(1) << 2 * half) < count) ++half;
    const uint64_t mask = (uint64_t(1) << half) - 1;
    do {
        uint64_t left = number >> half, right = number & mask;
        for (unsigned round = 0; round < 4; ++round) {
            const uint64_t mix = left ^ (mixed(seed + right * 4 + round) & mask);
            left = right, right = mix;
        }
        number = left << half | right;
    } while (number >= count);
    return number;
}

}  // namespace accel_sim
