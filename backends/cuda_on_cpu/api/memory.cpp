// The memory of a program's device. Addresses are never used again, so that a use after release is known as such: all
// memory comes from a reserved part of the address space, in ascending order.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api.h"

namespace accel_sim {

namespace {

constexpr uint64_t ALIGNMENT = 256, SPACING = 256, KEPT = 4096;  // KEPT: released ranges that are remembered
constexpr unsigned char POISON = 0xFF;                       // not a number, as a float

struct Table {
    Range* ranges;
    Origin* origins;
    uint64_t count, capacity, released;
    char *next, *end;  // of the reserved address space
    uint64_t allocated;
} table;

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

// The index of the first range that begins after an address.
uint64_t after(uint64_t address) {
    uint64_t low = 0, high = table.count;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (table.ranges[middle].begin > address) high = middle;
        else low = middle + 1;
    }
    return low;
}

void erase(uint64_t at) {
    --table.count;
    memmove(&table.ranges[at], &table.ranges[at + 1], (table.count - at) * sizeof(Range));
    memmove(&table.origins[at], &table.origins[at + 1], (table.count - at) * sizeof(Origin));
}

void forget_released() {
    uint64_t kept = 0, forget = table.released / 2;
    for (uint64_t i = 0; i < table.count; ++i) {
        if (table.ranges[i].released && forget) {
            --forget, --table.released;
            continue;
        }
        table.ranges[kept] = table.ranges[i], table.origins[kept++] = table.origins[i];
    }
    table.count = kept;
}

// Gives whole pages back to the system.
void discard(const Range& range) {
    const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
    const uint64_t begin = (range.begin + page - 1) & ~(page - 1), end = (range.begin + range.size) & ~(page - 1);
    if (begin < end) madvise((void*)begin, end - begin, MADV_DONTNEED);
}

void drop_shadow(Range& range) {
    free(range.written);
    if (range.cells) accel_sim_drop_cells(range.cells);
    range.written = nullptr, range.cells = nullptr;
}

}  // namespace

Host host;
pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER;

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

uint64_t allocated() { return table.allocated; }

bool add_range(void* memory, uint64_t size, const char* function, void* pc, bool readonly) {
    if (!grow()) return false;
    const uint64_t at = after(uint64_t(memory));
    memmove(&table.ranges[at + 1], &table.ranges[at], (table.count - at) * sizeof(Range));
    memmove(&table.origins[at + 1], &table.origins[at], (table.count - at) * sizeof(Origin));
    table.ranges[at] = {uint64_t(memory), size, nullptr, nullptr, readonly, 0};
    table.origins[at] = {function, uint64_t(pc), 0};
    ++table.count;
    return true;
}

void remove_range(Range* range) {
    drop_shadow(*range);
    erase(uint64_t(range - table.ranges));
}

bool allocate(void** memory, uint64_t size, const char* function, void* pc, bool tracked) {
    if (!table.next) reserve();
    const uint64_t room = uint64_t(table.end - table.next);
    if (size > host.memory - table.allocated || size + ALIGNMENT + SPACING > room) return false;
    char* begin = (char*)((uint64_t(table.next) + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
    if (!add_range(begin, size, function, pc, false)) return false;
    Range* range = range_at(begin);
    if (tracked && host.checks & CHECK_INIT && !(range->written = (uint8_t*)calloc(size, 1))) {
        remove_range(range);
        return false;
    }
    if (tracked) memset(begin, POISON, size);
    table.next = begin + size + SPACING, table.allocated += size;
    *memory = begin;
    return true;
}

void release(Range* range, void* pc) {
    origin_of(*range).released_pc = uint64_t(pc);
    drop_shadow(*range);
    discard(*range);
    range->released = 1, table.allocated -= range->size;
    if (++table.released > KEPT) forget_released();
}

}  // namespace accel_sim
