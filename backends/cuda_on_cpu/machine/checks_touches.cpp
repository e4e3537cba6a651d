// Which instructions made the results that differ between orders of the threads.
#include "checks.h"

namespace accel_sim {

namespace {

bool is_watched(const Launch& launch, uint64_t address, uint64_t size) {
    uint64_t low = 0, high = launch.watched_count;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (launch.watched[middle] + 4 <= address) low = middle + 1;
        else high = middle;
    }
    return low < launch.watched_count && launch.watched[low] < address + size;
}

// The entry of an instruction; null if the table is full.
Touch* touch_at(Launch& launch, uint64_t pc) {
    for (uint64_t i = 0; i < launch.touch_count; ++i)
        if (launch.touches[i].pc == pc) return &launch.touches[i];
    if (launch.touch_count == launch.touch_capacity) return nullptr;
    Touch& touch = launch.touches[launch.touch_count++];
    touch = {};
    touch.pc = pc;
    return &touch;
}

}  // namespace

void note_touch(Thread& thread, uint64_t address, uint64_t size, uint32_t mode, uint64_t pc) {
    Launch& launch = *thread.run->launch;
    const bool watched = is_watched(launch, address, size);
    if (!watched && !(mode & ATOMIC)) return;
    Touch* touch = touch_at(launch, pc);
    if (!touch) return;
    if (!touch->count || (watched && !touch->hits)) {
        const Place place = place_of(thread, pc, mode, uint32_t(size));
        touch->address = address, touch->block = place.block, touch->thread = place.thread;
        touch->mode = mode & (READ | WRITE | ATOMIC), touch->size = uint32_t(size);
    }
    touch->count += 1, touch->hits += watched;
}

}  // namespace accel_sim
