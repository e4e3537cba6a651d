// cooperative_groups::reduce, and the operators of reductions and scans.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

// `first` is what an exclusive scan gives the first thread.
#define ACCEL_SIM_OPERATOR(name, expression, first)                       \
    template <typename T = void>                                          \
    struct name {                                                         \
        T operator()(T a, T b) const { return expression; }               \
    };                                                                    \
    template <>                                                           \
    struct name<void> {                                                   \
        template <typename T>                                             \
        T operator()(T a, T b) const {                                    \
            return expression;                                            \
        }                                                                 \
    };                                                                    \
    template <typename T, typename U>                                     \
    T accel_sim_identity(const name<U>&) {                                \
        return first;                                                     \
    }

template <typename T>
ACCEL_SIM_INLINE T accel_sim_extreme(bool largest) {
    if (T(0.5f) != T(0)) return largest ? T(__builtin_inff()) : T(-__builtin_inff());
    const bool is_signed = T(-1) < T(0);
    const T lowest = is_signed ? T(uint64_t(1) << (8 * sizeof(T) - 1)) : T(0);
    return largest ? T(-1) - lowest : lowest;
}

template <typename T, typename Operator>
T accel_sim_identity(const Operator&) {
    return T();
}
ACCEL_SIM_OPERATOR(plus, a + b, T(0))
ACCEL_SIM_OPERATOR(less, b < a ? b : a, accel_sim_extreme<T>(true))
ACCEL_SIM_OPERATOR(greater, a < b ? b : a, accel_sim_extreme<T>(false))
ACCEL_SIM_OPERATOR(bit_and, a & b, T(~T(0)))
ACCEL_SIM_OPERATOR(bit_or, a | b, T(0))
ACCEL_SIM_OPERATOR(bit_xor, a ^ b, T(0))
#undef ACCEL_SIM_OPERATOR

template <typename Group, typename T, typename Operator>
ACCEL_SIM_INLINE T reduce(const Group& group, T value, Operator&& combine) {
    const accel_sim::Lanes& lanes = group.accel_sim_lanes();
    return lanes.combined(value, 0, lanes.size() - 1, combine);
}

}  // namespace cooperative_groups
