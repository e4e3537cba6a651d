// cooperative_groups::inclusive_scan and exclusive_scan.
#pragma once
#include "reduce.h"

namespace cooperative_groups {

template <typename Group, typename T, typename Operator>
ACCEL_SIM_INLINE T inclusive_scan(const Group& group, T value, Operator&& combine) {
    const accel_sim::Lanes& lanes = group.accel_sim_lanes();
    return lanes.combined(value, 0, lanes.rank(), combine);
}
template <typename Group, typename T>
ACCEL_SIM_INLINE T inclusive_scan(const Group& group, T value) {
    return inclusive_scan(group, value, plus<T>());
}

template <typename Group, typename T, typename Operator>
ACCEL_SIM_INLINE T exclusive_scan(const Group& group, T value, Operator&& combine) {
    const accel_sim::Lanes& lanes = group.accel_sim_lanes();
    const unsigned rank = lanes.rank();
    const T before = lanes.combined(value, 0, rank ? rank - 1 : 0, combine);
    return rank ? before : accel_sim_identity<T>(combine);
}
template <typename Group, typename T>
ACCEL_SIM_INLINE T exclusive_scan(const Group& group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
