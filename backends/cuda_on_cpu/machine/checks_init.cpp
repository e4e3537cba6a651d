// Reads of memory that was never written. A structure that is copied as a whole may have bytes between its members that
// were never written: an access is reported if none of its bytes was written.
#include "checks.h"

namespace accel_sim {

namespace {

// Bytes of an access that have a state.
uint64_t count(const Access& access, const Range& range, uint8_t state) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < access.size; ++i) count += range.written[access.address - range.begin + i] == state;
    return count;
}

// Memory of a device is filled with this when it is allocated: other bytes were written by something unknown.
bool poisoned(const Access& access) {
    for (uint64_t i = 0; i < access.size; ++i)
        if (((const uint8_t*)access.address)[i] != 0xFF) return false;
    return true;
}

void refuse_gap(const Access& access, const Range& range) {
    if (checks_of(access.thread)->memory && count(access, range, GAP))
        fail(*access.thread.run, finding_of(access, OUT_OF_BOUNDS, &range));
}

bool in_launch(const Access& access, const Range& range) {
    const Launch& launch = *access.thread.run->launch;
    return uint64_t(&range - launch.ranges) < launch.range_count;
}

}  // namespace

void check_read_written(const Access& access, Range& range) {
    if (on_chip(space_of(access.thread, &range))) refuse_gap(access, range);
    if (access.mode & WHOLE || !checks_of(access.thread)->init) return;
    if (count(access, range, UNWRITTEN) < access.size) return;
    if (in_launch(access, range) && !poisoned(access)) return;
    Finding finding = finding_of(access, UNINITIALIZED, &range);
    finding.detail = access.size;
    report(*access.thread.run, finding);
}

void check_write_written(const Access& access, Range& range) {
    if (on_chip(space_of(access.thread, &range))) refuse_gap(access, range);
    memset(range.written + (access.address - range.begin), WRITTEN, access.size);
}

void declare_local(Thread& thread, uintptr_t variable, uint64_t size) {
    Checks& checks = *checks_of(thread);
    Shadow& shadow = thread.shadow;
    if (!checks.init || (variable ^ (uintptr_t)&thread) >= STACK) return;
    if (!shadow.local && !(shadow.local = local_map_of(checks, (uintptr_t)&thread))) return;
    memset(shadow.local + (variable & (STACK - 1)), 1, size);
    if (variable < shadow.local_low) shadow.local_low = variable;
    if (variable + size > shadow.local_high) shadow.local_high = variable + size;
}

void clear_local(Thread& thread, uintptr_t end) {
    Shadow& shadow = thread.shadow;
    if (end > shadow.local_high) end = shadow.local_high;
    if (end <= shadow.local_low) return;
    memset(shadow.local + (shadow.local_low & (STACK - 1)), 0, end - shadow.local_low);
    shadow.local_low = end;
}

void check_local(const Access& access) {
    uint8_t* marks = access.thread.shadow.local + (access.address & (STACK - 1));
    uint64_t unwritten = 0;
    for (uint64_t i = 0; i < access.size; ++i) unwritten += marks[i];
    if (access.mode & READ && !(access.mode & WHOLE) && unwritten == access.size) {
        Finding finding = finding_of(access, UNINITIALIZED, nullptr);
        finding.space = SPACE_LOCAL;
        finding.detail = unwritten;
        report(*access.thread.run, finding);
    }
    if (access.mode & WRITE) memset(marks, 0, access.size);
}

}  // namespace accel_sim
