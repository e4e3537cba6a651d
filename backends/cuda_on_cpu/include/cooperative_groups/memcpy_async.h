// cooperative_groups::memcpy_async: the threads of a group copy, and are done when it returns; others see it after wait.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename Word>
ACCEL_SIM_INLINE void accel_sim_copy(void* to, const void* from, size_t count, unsigned rank, unsigned threads) {
    for (size_t i = rank; i < count; i += threads) ((Word*)to)[i] = ((const Word*)from)[i];
}

template <typename Group, typename To, typename From, typename Size>
ACCEL_SIM_INLINE void memcpy_async(const Group& group, To* to, const From* from, const Size& size) {
    const size_t bytes = size;
    const uintptr_t all = (uintptr_t)to | (uintptr_t)from | bytes;
    const unsigned rank = group.thread_rank(), threads = group.size();
    if (all % 8 == 0) accel_sim_copy<uint64_t>(to, from, bytes / 8, rank, threads);
    else if (all % 4 == 0) accel_sim_copy<uint32_t>(to, from, bytes / 4, rank, threads);
    else accel_sim_copy<uint8_t>(to, from, bytes, rank, threads);
}
// Sizes in elements: the smaller one is copied.
template <typename Group, typename T, typename ToLayout, typename FromLayout>
ACCEL_SIM_INLINE void memcpy_async(const Group& group, T* to, const ToLayout& to_layout, const T* from,
                                   const FromLayout& from_layout) {
    const size_t to_count = to_layout, from_count = from_layout;
    memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

template <typename Group>
ACCEL_SIM_INLINE void wait(const Group& group) {
    group.sync();
}
template <unsigned Stages, typename Group>
ACCEL_SIM_INLINE void wait_prior(const Group& group) {
    group.sync();
}

}  // namespace cooperative_groups
