// Which memory an access is to, and whether it may be made.
#include <stdio.h>

#include "checks.h"
#include "heap.h"

namespace accel_sim {

namespace {

constexpr uint64_t SIMULATED = uint64_t(1) << 48;  // addresses of the device, where host code sees them, begin here
constexpr uint64_t NULL_PAGE = 1 << 16;
constexpr uint64_t SHARED_NEAR = 1 << 12;          // so near, an address is one of shared memory that was missed
constexpr uint64_t NEAR = uint64_t(1) << 32;       // further off, an address is not one of a range that was missed

uint64_t above(const Launch& launch, uint64_t address) {
    return first_after(address, launch.range_count, [&](uint64_t i) { return &launch.ranges[i]; });
}

// How far an address is from the closest byte of a range.
uint64_t bytes_outside(const Range& range, uint64_t address) {
    if (address < range.begin) return range.begin - address;
    const uint64_t offset = address - range.begin;
    return offset < range.size ? 0 : offset + 1 - range.size;
}

Range* nearest(const Launch& launch, uint64_t address) {
    const uint64_t next = above(launch, address);
    Range* after = next < launch.range_count ? &launch.ranges[next] : nullptr;
    Range* before = next ? &launch.ranges[next - 1] : nullptr;
    const uint64_t to_after = after ? bytes_outside(*after, address) : ~uint64_t(0);
    const uint64_t to_before = before ? bytes_outside(*before, address) : ~uint64_t(0);
    Range* closest = to_before <= to_after ? before : after;
    return closest && (to_before < to_after ? to_before : to_after) < NEAR ? closest : nullptr;
}

[[noreturn]] void refuse(const Access& access, Kind kind, const Range* range, const char* text = "") {
    Finding finding = finding_of(access, kind, range);
    snprintf(finding.text, sizeof finding.text, "%s", text);
    fail(*access.thread.run, finding);
}

// What is wrong with an access to the heap: it may not touch what is between the pieces, nor what was freed.
Kind wrong_in_heap(const Access& access, const Heap& heap) {
    const uint64_t offset = access.address - heap.range.begin, end = offset + access.size;
    if (end > heap.range.size || end > heap.bytes()) return OUT_OF_BOUNDS;
    for (uint64_t i = offset; i < end; ++i) {
        if (heap.range.written[i] == FREED) return RELEASED;
        if (heap.range.written[i] == GAP) return OUT_OF_BOUNDS;
    }
    return NOTHING;
}

Range* global_range(const Launch& launch, uint64_t address) {
    const uint64_t next = above(launch, address);
    if (next && holds(launch.ranges[next - 1], address)) return &launch.ranges[next - 1];
    Heap& heap = heap_of(launch);
    return heap.range.written && holds(heap.range, address) ? &heap.range : nullptr;
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
    const Range* closest = nearest(*access.thread.run->launch, address);
    uint64_t distance = closest ? bytes_outside(*closest, address) : SHARED_NEAR;
    for (const Range* range : own) {
        const uint64_t to_range = range->begin ? bytes_outside(*range, address) : SHARED_NEAR;
        if (to_range < distance && to_range < SHARED_NEAR) closest = range, distance = to_range;
    }
    refuse(access, closest ? OUT_OF_BOUNDS : INVALID_ADDRESS, closest);
}

int32_t variable_at(const Launch& launch, uint64_t offset) {
    int32_t last = -1;  // the last that begins at or before it
    for (uint64_t i = 0; i < launch.segments.shared_count && !launch.segments.shared_variables[i].guard; ++i)
        if (launch.segments.shared_variables[i].offset <= offset &&
            (last < 0 || launch.segments.shared_variables[i].offset > launch.segments.shared_variables[last].offset))
            last = int32_t(i);
    return last;
}

void name_piece(Heap& heap, Finding& finding) {
    Locked locked(heap.lock);
    if (uint64_t(finding.offset) >= heap.bytes()) return;
    const Piece piece = heap.at(finding.address);
    finding.offset -= int64_t(piece.offset);
    if (piece.maker && piece.size <= 0x7FFFFFFF) finding.range = int32_t(piece.size);
}

bool in_code(const Launch& launch, uint64_t address) { return address - launch.segments.code_begin < launch.segments.code_end - launch.segments.code_begin; }

}  // namespace

Space space_of(const Thread& thread, const Range* range) {
    const BlockChecks& block = *thread.shadow.block;
    if (!range) return SPACE_NONE;
    if (range == &heap_of(*thread.run->launch).range) return SPACE_HEAP;
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
    if (finding.space == SPACE_HEAP) name_piece(heap_of(launch), finding);
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
    if (range && space_of(thread, range) == SPACE_HEAP) {
        const Kind wrong = wrong_in_heap(access, heap_of(*thread.run->launch));
        if (wrong && checks.memory) refuse(access, wrong, range);
        return wrong ? nullptr : range;
    }
    if (range) {
        if (checks.memory) permit(access, *range);
        else if (range->size - (access.address - range->begin) < access.size) return nullptr;
        return range;
    }
    if (in_code(*thread.run->launch, access.address) || !checks.memory) return nullptr;
    refuse_unknown(access);
}

}  // namespace accel_sim
