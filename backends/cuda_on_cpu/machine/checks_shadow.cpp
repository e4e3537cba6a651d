// Memory of the shadow, and the epochs.
#include <sys/mman.h>

#include "checks.h"

namespace accel_sim {

namespace {

constexpr uint64_t CELLS_HEADER = 64;  // before the cells: their size
constexpr uint64_t GRANULE = 16, MOST_DRAWN = 1024;
constexpr uint64_t OWNERS = 1 << 22;

uint64_t granules;  // of epochs, by all launches
Owner* owners;      // of granules, modulo OWNERS: enough for the blocks that run, and those that ran before them

// Pages that take up memory once they are written.
void* lazy_pages(uint64_t size) {
    void* memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// Several threads may make the same memory: the first one's is kept.
template <typename T>
T* publish(T** place, T* candidate, void (*discard)(T*)) {
    T* expected = nullptr;
    if (__atomic_compare_exchange_n(place, &expected, candidate, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return candidate;
    discard(candidate);
    return expected;
}

void discard_owners(Owner* table) { munmap(table, OWNERS * sizeof(Owner)); }

}  // namespace

uint64_t* make_cells(Range& range) {
    const uint64_t size = CELLS_HEADER + words_of(range) * (2 + 8) * sizeof(uint64_t);
    uint64_t* memory = (uint64_t*)lazy_pages(size);
    if (!memory) return nullptr;
    memory[0] = size;
    return publish(&range.cells, memory + CELLS_HEADER / sizeof(uint64_t), free_cells);
}

void free_cells(uint64_t* cells) {
    if (!cells) return;
    uint64_t* memory = cells - CELLS_HEADER / sizeof(uint64_t);
    munmap(memory, memory[0]);
}

bool make_owners() {
    if (__atomic_load_n(&owners, __ATOMIC_ACQUIRE)) return true;
    Owner* table = (Owner*)lazy_pages(OWNERS * sizeof(Owner));
    return table && publish(&owners, table, discard_owners);
}

uint64_t first_epoch() {
    return (__atomic_add_fetch(&granules, 1, __ATOMIC_RELAXED) * GRANULE) << EPOCH_SHIFT;
}

bool epochs_are_left() {
    return __atomic_load_n(&granules, __ATOMIC_RELAXED) < (uint64_t(1) << (64 - EPOCH_SHIFT)) / GRANULE / 16 * 15;
}

// A block draws one granule first, then more and more at once: most have few barriers, some have thousands.
static void draw_granules(BlockChecks& block, const Checks& checks) {
    block.drawn = block.drawn ? (block.drawn < MOST_DRAWN ? block.drawn * 4 : MOST_DRAWN) : 1;
    const uint64_t first = __atomic_add_fetch(&granules, block.drawn, __ATOMIC_RELAXED) - block.drawn + 1;
    for (uint64_t granule = first; granule < first + block.drawn; ++granule)
        owners[granule % OWNERS] = {uint32_t(checks.id), uint32_t(block.number)};
    block.next = first * GRANULE;
    block.end = block.next + block.drawn * GRANULE;
}

uint64_t draw_epoch(BlockChecks& block, const Checks& checks) {
    if (block.next == block.end) draw_granules(block, checks);
    return block.next++ << EPOCH_SHIFT;
}

Owner owner_of(uint64_t cell) { return owners[epoch_of(cell) / GRANULE % OWNERS]; }

uint8_t* local_map_of(Checks& checks, uintptr_t stack) {
    Locked locked(checks.lock);
    for (uint64_t i = 0; i < checks.local_map_count; ++i)
        if (checks.local_maps[i].stack == stack) return checks.local_maps[i].marks;
    LocalMap* maps = (LocalMap*)realloc(checks.local_maps, (checks.local_map_count + 1) * sizeof *maps);
    if (!maps) return nullptr;
    checks.local_maps = maps;
    uint8_t* marks = (uint8_t*)lazy_pages(STACK);
    if (marks) maps[checks.local_map_count++] = {stack, marks};
    return marks;
}

void free_local_maps(Checks& checks) {
    for (uint64_t i = 0; i < checks.local_map_count; ++i) munmap(checks.local_maps[i].marks, STACK);
    free(checks.local_maps);
}

unsigned Checks::find_site(uint64_t pc, unsigned index) {
    for (unsigned tries = 0; tries < 64; ++tries, index = (index + 1) % SITES) {
        if (!index) continue;  // site 0: not known
        uint64_t occupant = __atomic_load_n(&sites[index].pc, __ATOMIC_ACQUIRE);
        if (occupant == pc) return index;
        if (occupant) continue;
        __atomic_store_n(&sites[index].range, &nowhere, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&sites[index].pc, &occupant, pc, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
            occupant == pc)
            return index;
    }
    return 0;
}

void* Arena::take(uint64_t size) {
    constexpr uint64_t CHUNK = 1 << 14;
    size = (size + 15) / 16 * 16;
    if (!chunks || chunks->used + size > CHUNK) {
        touch_stack();
        Chunk* chunk = (Chunk*)calloc(1, CHUNK + size);
        if (!chunk) abort();
        chunk->next = chunks;
        chunk->used = (sizeof(Chunk) + 15) / 16 * 16;
        chunks = chunk;
    }
    void* memory = (char*)chunks + chunks->used;
    chunks->used += size;
    return memory;
}

void Arena::free_all() {
    while (chunks) {
        Chunk* chunk = chunks;
        chunks = chunk->next;
        free(chunk);
    }
}

}  // namespace accel_sim

extern "C" void accel_sim_drop_cells(uint64_t* cells) { accel_sim::free_cells(cells); }
