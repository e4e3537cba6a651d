// The way of an access through the checks, in line for the accesses that most code makes.
#pragma once
#include "checks.h"
#include "fibers.h"

#pragma GCC visibility push(hidden)
namespace accel_sim {

// --- checks_access.cpp
void check_slowly(const void* at, uint64_t size, uint32_t mode, void* pc, uint64_t alignment);
[[noreturn]] void misaligned(const Access& access, const char* type);
[[noreturn]] void index_out_of_bounds(Thread& thread, uint64_t index, uint64_t pc);
// Refuses an access to a local variable of a function that has ended.
void dead(Thread& thread, uint64_t address, uint64_t size, uint32_t mode, void* pc);
// The location that atomic operations are logged by; null if they are not.
const uint64_t* check_atomic(const void* at, uint64_t size, uint32_t mode, void* pc);

// The running thread, if it is one of a launch with checks.
inline Thread* checked_thread() {
    if (__builtin_expect(!on_fiber(), 0)) return nullptr;
    Thread& thread = self();
    return thread.run->checks ? &thread : nullptr;
}

// Whether an address on a thread's stack is below what its functions have; `end`: of the frame of what the access calls.
inline bool is_dead(const Thread& thread, uint64_t address, uint64_t end) {
    return address < end && address >= (uint64_t)&thread + 2 * PAGE;
}

template <unsigned SIZE>
inline bool all_written(const uint8_t* written) {
    unsigned char each[SIZE];
    memcpy(each, written, SIZE);
    unsigned char ones[SIZE];
    memset(ones, WRITTEN, SIZE);
    return !memcmp(each, ones, SIZE);
}

// Reads by these are not ordered before the thread, nor is it before them: those of blocks that began earlier, and those
// since it last synchronised. Not so for a block in which threads acquire what others release.
struct Unordered {
    uint64_t below, from;
    explicit Unordered(const Thread& thread)
        : below(thread.shadow.block->orders ? 0 : thread.shadow.block->birth),
          from(thread.shadow.block->orders ? ~uint64_t(0) : stamp_of(thread) >> EPOCH_SHIFT << EPOCH_SHIFT) {}
    bool has(uint64_t cell) const { return cell < below || cell >= from; }
};

// Of two readers, one stays: rather not the last writer of the location, which is likely to write it again.
inline uint64_t reader_of(uint64_t written, uint64_t read, uint64_t tag) {
    return (thread_of(written) == thread_of(tag) ? read : tag) | SEVERAL;
}

// Whether the access of a word that two cells describe needs no further look. Notes it, if so.
template <bool WRITES>
inline bool pass(uint64_t* pair, uint64_t floor, uint64_t tag, const Thread& thread) {
    const uint64_t written = load(pair), read = load(pair + 1);
    if (written >= floor && ((written ^ tag) >> THREAD_SHIFT || written & (FINE | SUSPECTED))) return false;
    if (read >= floor && ((read ^ tag) >> THREAD_SHIFT || read & SEVERAL)) {
        if (WRITES || read & STRONG || !Unordered(thread).has(read)) return false;
        if (((read ^ tag) >> THREAD_SHIFT)) store(pair + 1, reader_of(written, read, tag));
        return true;
    }
    store(pair + !WRITES, tag);
    return true;
}

inline void observe(Thread& thread, uint64_t address, uint64_t size, uint32_t mode, void* pc) {
    const Checks& checks = *checks_of(thread);
    if (checks.counts_banks && !(mode & ATOMIC)) note_banks(thread, address, size, mode, (uint64_t)pc);
    if (checks.notes_touches && mode & WRITE) note_touch(thread, address, size, mode, (uint64_t)pc);
}

template <unsigned SIZE, uint32_t MODE>
__attribute__((always_inline)) inline void check(const void* at, void* pc) {
    Thread* thread = checked_thread();
    if (!thread) return;
    const uint64_t address = (uint64_t)at;
    if ((address ^ (uint64_t)thread) < STACK) {
        if (is_dead(*thread, address, (uint64_t)__builtin_dwarf_cfa())) return dead(*thread, address, SIZE, MODE, pc);
        if (address + SIZE <= thread->shadow.local_low) return;
    }
    Checks& checks = *checks_of(*thread);
    if (__builtin_expect(checks.observes, 0)) observe(*thread, address, SIZE, MODE, pc);
    const unsigned site = checks.site((uint64_t)pc);
    Range* range = checks.sites[site].range;
    uint64_t floor = checks.floor;
    if (address - range->begin >= range->size) {
        range = &thread->shadow.block->shared;
        floor = thread->shadow.block->barrier;
    }
    const uint64_t offset = address - range->begin;
    if (__builtin_expect(offset >= range->size || range->size - offset < SIZE || address % SIZE, 0))
        return check_slowly(at, SIZE, MODE, pc, SIZE);
    if (range->written && !all_written<SIZE>(range->written + offset)) return check_slowly(at, SIZE, MODE, pc, SIZE);
    if (!checks.race) return;
    if (SIZE < 4 || !range->cells) return check_cells({*thread, address, SIZE, (uint64_t)pc, MODE, site}, *range, floor);
    const uint64_t tag = stamp_of(*thread) | uint64_t(site) << SITE_SHIFT;
    uint64_t* pair = cells_at(*range, address);
    for (unsigned word = 0; word < SIZE; word += 4, pair += 2)
        if (!pass<bool(MODE & WRITE)>(pair, floor, tag, *thread))
            return check_cells({*thread, address, SIZE, (uint64_t)pc, MODE, site}, *range, floor);
}

}  // namespace accel_sim

#pragma GCC visibility pop
