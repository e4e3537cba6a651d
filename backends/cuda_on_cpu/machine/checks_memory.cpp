// Which memory an access is to, and whether it may be made.
#include <stdio.h>

#include "checks.h"

namespace accel_sim {

namespace {

constexpr uint64_t SIMULATED = uint64_t(1) << 48;  // addresses of the device, where host code sees them, begin here
constexpr uint64_t NULL_PAGE = 1 << 16;
constexpr uint64_t SHARED_NEAR = 1 << 12;          // so near, an address is one of shared memory that was missed
constexpr uint64_t NEAR = uint64_t(1) << 32;       // further off, an address is not one of a range that was missed

uint64_t above(const Launch& launch, uint64_t address) {
    return first_after(address, launch.range_count, [&](uint64_t i) { return &launch.ranges[i]; });
}

Range* nearest(const Launch& launch, uint64_t address) {
    const uint64_t next = above(launch, address);
    Range* after = next < launch.range_count ? &launch.ranges[next] : nullptr;
    Range* before = next ? &launch.ranges[next - 1] : nullptr;
    const uint64_t to_after = after ? after->begin - address : ~uint64_t(0);
    const uint64_t to_before = before ? address - before->begin - (before->size ? before->size - 1 : 0) : ~uint64_t(0);
    Range* closest = to_before <= to_after ? before : after;
    return closest && (to_before < to_after ? to_before : to_after) < NEAR ? closest : nullptr;
}

[[noreturn]] void refuse(const Access& access, Kind kind, const Range* range, const char* text = "") {
    Finding finding = finding_of(access, kind, range);
    snprintf(finding.text, sizeof finding.text, "%s", text);
    fail(*access.thread.run, finding);
}

// Memory that malloc of a kernel gave, by all launches: ascending.
struct Heap {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    Range** ranges = nullptr;
    uint64_t count = 0, capacity = 0;

    uint64_t above(uint64_t address) const {
        return first_after(address, count, [this](uint64_t i) { return ranges[i]; });
    }

    Range* at(uint64_t address) const {
        const uint64_t next = above(address);
        return next && holds(*ranges[next - 1], address) ? ranges[next - 1] : nullptr;
    }

    void remove(uint64_t index) {
        Range* range = ranges[index];
        memmove(ranges + index, ranges + index + 1, (--count - index) * sizeof *ranges);
        free(range->written);
        free_cells(range->cells);
        free(range);
    }

    // Freed memory is used again: what was known of it is forgotten.
    void clear(uint64_t begin, uint64_t size) {
        for (uint64_t next = above(begin + size - 1); next && ranges[next - 1]->begin + ranges[next - 1]->size > begin;)
            remove(--next);
    }

    void add(Range* range) {
        if (count == capacity) {
            Range** more = (Range**)realloc(ranges, (capacity * 2 + 64) * sizeof *more);
            if (!more) return;
            ranges = more, capacity = capacity * 2 + 64;
        }
        const uint64_t index = above(range->begin);
        memmove(ranges + index + 1, ranges + index, (count++ - index) * sizeof *ranges);
        ranges[index] = range;
    }
} heap;

Range* found_in_heap(uint64_t address) {
    if (!__atomic_load_n(&heap.count, __ATOMIC_RELAXED)) return nullptr;
    LockGuard guard(heap.lock);
    return heap.at(address);
}

Range* global_range(const Launch& launch, uint64_t address) {
    const uint64_t next = above(launch, address);
    if (next && holds(launch.ranges[next - 1], address)) return &launch.ranges[next - 1];
    return found_in_heap(address);
}

// The whole access must be in the range, which must allow it.
void permit(const Access& access, const Range& range) {
    if (range.released) refuse(access, RELEASED, &range);
    if (range.size - (access.address - range.begin) < access.size) refuse(access, OUT_OF_BOUNDS, &range);
    if (range.readonly && access.mode & WRITE) refuse(access, READ_ONLY, &range);
}

bool of_another_thread(const Access& access) {
    const Block& block = *access.thread.block_state;
    for (unsigned i = 0; i < block.size; ++i)
        if (block.threads[i] && (access.address ^ (uint64_t)block.threads[i]) < STACK) return true;
    return false;
}

[[noreturn]] void refuse_unknown(const Access& access) {
    const uint64_t address = access.address;
    if (address < NULL_PAGE) refuse(access, INVALID_ADDRESS, nullptr, "a null pointer");
    if (address >= SIMULATED)
        refuse(access, INVALID_ADDRESS, nullptr, "an address of the simulated device that was stored in memory");
    if (of_another_thread(access)) refuse(access, INVALID_ADDRESS, nullptr, "local memory of another thread");
    BlockChecks& block = *access.thread.shadow.block;
    const Range* const own[] = {&block.dynamic, &block.shared};
    for (const Range* range : own)
        if (range->begin && address - range->begin + SHARED_NEAR < range->size + 2 * SHARED_NEAR)
            refuse(access, OUT_OF_BOUNDS, range);
    const Range* range = nearest(*access.thread.run->launch, address);
    refuse(access, range ? OUT_OF_BOUNDS : INVALID_ADDRESS, range);
}

int32_t variable_at(const Launch& launch, uint64_t offset) {
    int32_t last = -1;  // the last that begins at or before it
    for (uint64_t i = 0; i < launch.segments.shared_count && !launch.segments.shared_variables[i].guard; ++i)
        if (launch.segments.shared_variables[i].offset <= offset &&
            (last < 0 || launch.segments.shared_variables[i].offset > launch.segments.shared_variables[last].offset))
            last = int32_t(i);
    return last;
}

bool in_code(const Launch& launch, uint64_t address) { return address - launch.segments.code_begin < launch.segments.code_end - launch.segments.code_begin; }

}  // namespace

Space space_of(const Thread& thread, const Range* range) {
    const BlockChecks& block = *thread.shadow.block;
    if (!range) return SPACE_NONE;
    return range == &block.shared ? SPACE_SHARED : range == &block.dynamic ? SPACE_DYNAMIC_SHARED : SPACE_GLOBAL;
}

void name_variable(const Launch& launch, Finding& finding) {
    if (finding.space != SPACE_SHARED || finding.offset < 0) return;
    finding.range = variable_at(launch, uint64_t(finding.offset));
    if (finding.range >= 0) finding.offset -= int64_t(launch.segments.shared_variables[finding.range].offset);
}

Finding finding_of(const Access& access, Kind kind, const Range* range) {
    const Launch& launch = *access.thread.run->launch;
    Finding finding{};
    finding.count = 1;
    finding.kind = kind;
    finding.address = access.address;
    finding.here = place_of(access.thread, access.pc, access.mode & (READ | WRITE | ATOMIC), uint32_t(access.size));
    finding.space = space_of(access.thread, range);
    finding.range = -1;
    if (range) finding.offset = int64_t(access.address - range->begin);
    name_variable(launch, finding);
    if (finding.space == SPACE_GLOBAL && uint64_t(range - launch.ranges) < launch.range_count)
        finding.range = int32_t(range - launch.ranges);
    return finding;
}

Range* locate(const Access& access) {
    Thread& thread = access.thread;
    Checks& checks = *checks_of(thread);
    BlockChecks& block = *thread.shadow.block;
    Range* range = holds(block.shared, access.address)    ? &block.shared
                   : holds(block.dynamic, access.address) ? &block.dynamic
                                                          : global_range(*thread.run->launch, access.address);
    if (range == &block.shared && range->written[access.address - range->begin] == GUARD) return nullptr;
    if (range) {
        if (checks.memory) permit(access, *range);
        else if (range->size - (access.address - range->begin) < access.size) return nullptr;
        return range;
    }
    if (in_code(*thread.run->launch, access.address) || !checks.memory) return nullptr;
    refuse_unknown(access);
}

void checks_allocated(Thread& thread, void* memory, uint64_t size) {
    Range* range = (Range*)calloc(1, sizeof(Range));
    if (!range) return;
    range->begin = (uint64_t)memory, range->size = size;
    if (checks_of(thread)->init) range->written = (uint8_t*)calloc(1, size + 16);
    LockGuard guard(heap.lock);
    heap.clear(range->begin, size);
    heap.add(range);
}

void checks_freed(Thread&, void* memory) {
    LockGuard guard(heap.lock);
    if (Range* range = heap.at((uint64_t)memory)) range->released = 1;
}

}  // namespace accel_sim
