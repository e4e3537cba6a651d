// The memory of the devices, and what is pinned. Addresses are never used again, so that a use after release is known as
// such: all memory comes from a reserved part of the address space, in ascending order. Bytes show what was not written
// yet, and, for a while, what was freed.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api.h"

namespace accel_sim {

namespace {

constexpr uint64_t ALIGNMENT = 512, SPACING = 256;
constexpr uint64_t KEPT = 4096;                      // released ranges that are remembered
constexpr uint64_t BURIED = 64 << 20, GRAVES = 256;  // freed bytes, and ranges, that are not given back yet
constexpr int FRESH = 0xFF, FREED = 0xDD;            // FRESH: not a number, as a float

struct Table {
    Range* ranges;
    Origin* origins;
    uint64_t count, capacity, released;
    char *next, *end;  // of the reserved address space
    uint64_t allocated[MOST_DEVICES];
} table;

MemoryPool pools[MOST_DEVICES];

// The ranges that were freed last; a ring.
struct Graves {
    struct {
        uint64_t begin, size;
    } each[GRAVES];
    uint64_t first, count, bytes;
} graves;

void reserve() {
    for (uint64_t size = uint64_t(1) << 44; size >= uint64_t(1) << 28 && !table.next; size >>= 2) {
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) table.next = (char*)memory, table.end = table.next + size;
    }
}

bool grow() {
    if (table.count < table.capacity) return true;
    const uint64_t capacity = table.capacity ? 2 * table.capacity : 256;
    Range* ranges = (Range*)realloc(table.ranges, capacity * sizeof(Range));
    if (ranges) table.ranges = ranges;
    Origin* origins = (Origin*)realloc(table.origins, capacity * sizeof(Origin));
    if (origins) table.origins = origins;
    if (!ranges || !origins) return false;
    table.capacity = capacity;
    return true;
}

uint64_t after(uint64_t address) {
    return first_after(address, table.count, [](uint64_t i) { return &table.ranges[i]; });
}

void erase(uint64_t at) {
    --table.count;
    memmove(&table.ranges[at], &table.ranges[at + 1], (table.count - at) * sizeof(Range));
    memmove(&table.origins[at], &table.origins[at + 1], (table.count - at) * sizeof(Origin));
}

void forget_released() {
    uint64_t rest = 0, forget = table.released / 2;
    for (uint64_t i = 0; i < table.count; ++i) {
        if (table.ranges[i].released && forget) {
            --forget, --table.released;
            continue;
        }
        table.ranges[rest] = table.ranges[i], table.origins[rest++] = table.origins[i];
    }
    table.count = rest;
}

// Gives whole pages back to the system.
void discard(uint64_t from, uint64_t size) {
    const uint64_t begin = (from + PAGE - 1) & ~(PAGE - 1), end = (from + size) & ~(PAGE - 1);
    if (begin < end) madvise((void*)begin, end - begin, MADV_DONTNEED);
}

void bury(uint64_t begin, uint64_t size) {
    if (size > BURIED) return discard(begin, size);
    while (graves.count == GRAVES || graves.bytes + size > BURIED) {
        const auto& oldest = graves.each[graves.first];
        discard(oldest.begin, oldest.size);
        graves.bytes -= oldest.size, --graves.count, graves.first = (graves.first + 1) % GRAVES;
    }
    memset((void*)begin, FREED, size);
    graves.each[(graves.first + graves.count++) % GRAVES] = {begin, size};
    graves.bytes += size;
}

void drop_shadow(Range& range) {
    free(range.written);
    if (range.cells) forget_cells(range.cells);
    range.written = nullptr, range.cells = nullptr;
}

}  // namespace

Range* range_at(const void* address) {
    const uint64_t at = after(uint64_t(address));
    if (!at) return nullptr;
    Range& range = table.ranges[at - 1];
    return uint64_t(address) - range.begin < range.size ? &range : nullptr;
}

Origin& origin_of(const Range& range) { return table.origins[&range - table.ranges]; }

Range* all_ranges(uint64_t* count) {
    *count = table.count;
    return table.ranges;
}

uint64_t allocated(int device) { return table.allocated[device]; }
MemoryPool& pool_of(int device) { return pools[device]; }

bool add_range(void* memory, uint64_t size, const Origin& origin, bool readonly) {
    if (!grow()) return false;
    const uint64_t at = after(uint64_t(memory));
    memmove(&table.ranges[at + 1], &table.ranges[at], (table.count - at) * sizeof(Range));
    memmove(&table.origins[at + 1], &table.origins[at], (table.count - at) * sizeof(Origin));
    table.ranges[at] = {uint64_t(memory), size, nullptr, nullptr, readonly, 0};
    table.origins[at] = origin;
    ++table.count;
    return true;
}

void remove_range(Range* range) {
    drop_shadow(*range);
    erase(uint64_t(range - table.ranges));
}

// The host writes to memory of other kinds without the API, so it is not known which bytes were written.
bool allocate(void** memory, uint64_t size, const Origin& origin) {
    if (!table.next) reserve();
    const bool of_host = origin.kind == MemoryKind::PINNED, tracked = origin.kind == MemoryKind::DEVICE;
    const uint64_t room = uint64_t(table.end - table.next), alignment = of_host ? uint64_t(PAGE) : ALIGNMENT;
    uint64_t& used = table.allocated[origin.device];
    MemoryPool& pool = pools[origin.device];
    const uint64_t ready = origin.pooled ? pool.idle() : 0, more = size > ready ? size - ready : 0;
    if (!of_host && more > host.memory - used - pool.idle()) return false;
    if (size > room || alignment + SPACING > room - size) return false;
    char* begin = (char*)((uint64_t(table.next) + alignment - 1) & ~(alignment - 1));
    if (!add_range(begin, size, origin, false)) return false;
    Range* range = range_at(begin);
    if (tracked && host.checks & CHECK_INIT && !(range->written = (uint8_t*)calloc(size, 1))) {
        remove_range(range);
        return false;
    }
    if (tracked) memset(begin, FRESH, size);
    table.next = begin + size + SPACING;
    if (!of_host) used += size;
    if (origin.pooled) pool.used += size, pool.reserved += more;
    *memory = begin;
    return true;
}

void release(Range* range, uint64_t pc) {
    Origin& origin = origin_of(*range);
    origin.released_pc = pc;
    drop_shadow(*range);
    bury(range->begin, range->size);
    range->released = 1;
    if (origin.kind != MemoryKind::PINNED) table.allocated[origin.device] -= range->size;
    if (origin.pooled) {
        MemoryPool& pool = pools[origin.device];
        pool.used -= range->size;
        pool.trim(pool.threshold);  // a GPU does so when it is synchronized next
    }
    if (++table.released > KEPT) forget_released();
}

}  // namespace accel_sim
