// Shuffles, votes, matches and reductions of the lanes of a warp.
#pragma once
#include "atomics.h"

namespace accel_sim {

#if ACCEL_SIM_WARP == 64
typedef unsigned long long Mask;
#else
typedef unsigned Mask;
#endif
constexpr Mask ALL_LANES = ~Mask(0);

template <typename T>
ACCEL_SIM_INLINE const uint64_t* collect(Mask mask, T value, Collective kind) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return accel_sim_collect(mask, bits, kind);
}

template <typename T>
ACCEL_SIM_INLINE T value_of(const uint64_t* values, unsigned lane) {
    const uint64_t bits = word_at(values + lane);
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// The value of a lane; the own value if the lane is not `inside`.
template <typename T>
ACCEL_SIM_INLINE T shuffle_from(Mask mask, T value, int from, bool inside) {
    static_assert(sizeof(T) <= 8, "a shuffle moves 8 bytes at most");
    const uint64_t* values = collect(mask, value, SHUFFLE);
    return value_of<T>(values, inside ? unsigned(from) : lane());
}

template <typename T>
ACCEL_SIM_INLINE T shuffle(Mask mask, T value, int from, int width) {
    return shuffle_from(mask, value, int(lane() & -width) + (from & (width - 1)), true);
}
template <typename T>
ACCEL_SIM_INLINE T shuffle_up(Mask mask, T value, unsigned delta, int width) {
    const int from = int(lane() - delta);
    return shuffle_from(mask, value, from, from >= int(lane() & -width) && delta <= lane());
}
template <typename T>
ACCEL_SIM_INLINE T shuffle_down(Mask mask, T value, unsigned delta, int width) {
    return shuffle_from(mask, value, int(lane() + delta), (lane() & (width - 1)) + uint64_t(delta) < unsigned(width));
}
template <typename T>
ACCEL_SIM_INLINE T shuffle_xor(Mask mask, T value, int bits, int width) {
    const int from = int(lane()) ^ bits;
    return shuffle_from(mask, value, from, from >= 0 && from < int(lane() & -width) + width);
}

// Folds the values of the lanes of a mask that have not ended, the lowest lane first.
template <typename T, typename Function>
ACCEL_SIM_INLINE T fold(Mask mask, const uint64_t* values, T result, Function function) {
    mask &= Mask(word_at(values + 64));
    for (; mask; mask &= mask - 1) {
        const unsigned lane = __builtin_ctzll(mask);
        result = function(result, value_of<T>(values, lane), lane);
    }
    return result;
}

ACCEL_SIM_INLINE Mask ballot(Mask mask, bool predicate) {
    const uint64_t* values = collect(mask, uint64_t(predicate), VOTE);
    return Mask(fold(mask, values, uint64_t(0), [](uint64_t votes, uint64_t vote, unsigned lane) {
        return votes | vote << lane;
    }));
}

// The lanes of a mask that have the bits of this value.
template <typename T>
ACCEL_SIM_INLINE Mask match(Mask mask, T value) {
    const word_of<T> mine = same_bits<word_of<T>>(value);
    const uint64_t* values = collect(mask, mine, MATCH);
    return Mask(fold(mask, values, uint64_t(0), [=](uint64_t equal, uint64_t other, unsigned lane) {
        return equal | uint64_t(other == mine) << lane;
    }));
}

template <typename T, typename Function>
ACCEL_SIM_INLINE T reduce(Mask mask, T value, T neutral, Function function) {
    const uint64_t* values = collect(mask, value, REDUCE);
    return fold(mask, values, neutral, [=](T so_far, T other, unsigned) { return function(so_far, other); });
}

}  // namespace accel_sim

#define ACCEL_SIM_SHUFFLE(name, Lane, T, Value)                                                                  \
    ACCEL_SIM_INLINE T __shfl##name##_sync(accel_sim::Mask mask, Value value, Lane lane, int width = warpSize) { \
        return accel_sim::shuffle##name(mask, accel_sim::offered(value), lane, width);                           \
    }                                                                                                            \
    ACCEL_SIM_INLINE T __shfl##name(Value value, Lane lane, int width = warpSize) {                              \
        return accel_sim::shuffle##name(accel_sim_active(), accel_sim::offered(value), lane, width);             \
    }
#define ACCEL_SIM_SHUFFLES_OF(T, Value)          \
    ACCEL_SIM_SHUFFLE(, int, T, Value)           \
    ACCEL_SIM_SHUFFLE(_up, unsigned, T, Value)   \
    ACCEL_SIM_SHUFFLE(_down, unsigned, T, Value) \
    ACCEL_SIM_SHUFFLE(_xor, int, T, Value)
#define ACCEL_SIM_SHUFFLES(T) ACCEL_SIM_SHUFFLES_OF(T, const T&)
#define ACCEL_SIM_MATCHES(T)                                                                     \
    ACCEL_SIM_SHUFFLES(T)                                                                        \
    ACCEL_SIM_SHUFFLES_OF(T, const volatile T&)                                                  \
    ACCEL_SIM_INLINE accel_sim::Mask __match_any_sync(accel_sim::Mask mask, T value) {           \
        return accel_sim::match(mask, value);                                                    \
    }                                                                                            \
    ACCEL_SIM_INLINE accel_sim::Mask __match_all_sync(accel_sim::Mask mask, T value, int* all) { \
        *all = accel_sim::match(mask, value) == mask;                                            \
        return *all ? mask : 0;                                                                  \
    }

ACCEL_SIM_MATCHES(int)
ACCEL_SIM_MATCHES(unsigned)
ACCEL_SIM_MATCHES(long)
ACCEL_SIM_MATCHES(unsigned long)
ACCEL_SIM_MATCHES(long long)
ACCEL_SIM_MATCHES(unsigned long long)
ACCEL_SIM_MATCHES(float)
ACCEL_SIM_MATCHES(double)

ACCEL_SIM_INLINE accel_sim::Mask __activemask() { return accel_sim::Mask(accel_sim_active()); }
ACCEL_SIM_INLINE void __syncwarp(accel_sim::Mask mask = accel_sim::ALL_LANES) {
    accel_sim_collect(mask, 0, accel_sim::SYNC);
}

ACCEL_SIM_INLINE accel_sim::Mask __ballot_sync(accel_sim::Mask mask, int predicate) {
    return accel_sim::ballot(mask, predicate);
}
ACCEL_SIM_INLINE int __all_sync(accel_sim::Mask mask, int predicate) { return !accel_sim::ballot(mask, !predicate); }
ACCEL_SIM_INLINE int __any_sync(accel_sim::Mask mask, int predicate) { return accel_sim::ballot(mask, predicate) != 0; }
ACCEL_SIM_INLINE int __uni_sync(accel_sim::Mask mask, int predicate) {
    const accel_sim::Mask passed = accel_sim::ballot(mask, predicate);
    return passed == 0 || passed == mask;
}
ACCEL_SIM_INLINE accel_sim::Mask __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); }
ACCEL_SIM_INLINE int __all(int predicate) { return __all_sync(__activemask(), predicate); }
ACCEL_SIM_INLINE int __any(int predicate) { return __any_sync(__activemask(), predicate); }

#define ACCEL_SIM_REDUCE(name, T, neutral, expression)                                             \
    ACCEL_SIM_INLINE T __reduce_##name##_sync(accel_sim::Mask mask, T value) {                     \
        return accel_sim::reduce(mask, value, T(neutral), [](T a, T b) { return T(expression); }); \
    }
ACCEL_SIM_REDUCE(add, unsigned, 0, a + b)
ACCEL_SIM_REDUCE(add, int, 0, unsigned(a) + unsigned(b))
ACCEL_SIM_REDUCE(min, unsigned, ~0u, a < b ? a : b)
ACCEL_SIM_REDUCE(min, int, 0x7fffffff, a < b ? a : b)
ACCEL_SIM_REDUCE(max, unsigned, 0, a > b ? a : b)
ACCEL_SIM_REDUCE(max, int, -0x7fffffff - 1, a > b ? a : b)
ACCEL_SIM_REDUCE(and, unsigned, ~0u, a & b)
ACCEL_SIM_REDUCE(or, unsigned, 0, a | b)
ACCEL_SIM_REDUCE(xor, unsigned, 0, a ^ b)

ACCEL_SIM_INLINE unsigned __lane_id() { return accel_sim::lane(); }
ACCEL_SIM_INLINE accel_sim::Mask __lanemask_eq() { return accel_sim::Mask(1) << accel_sim::lane(); }
ACCEL_SIM_INLINE accel_sim::Mask __lanemask_lt() { return __lanemask_eq() - 1; }
ACCEL_SIM_INLINE accel_sim::Mask __lanemask_le() { return __lanemask_lt() | __lanemask_eq(); }
ACCEL_SIM_INLINE accel_sim::Mask __lanemask_gt() { return ~__lanemask_le(); }
ACCEL_SIM_INLINE accel_sim::Mask __lanemask_ge() { return ~__lanemask_lt(); }

// Of HIP: a lane pulls the value of another one, or pushes its own to it; addresses are four times the lane.
ACCEL_SIM_INLINE int __hip_ds_bpermute(int address, int value) {
    return accel_sim::shuffle(accel_sim::Mask(accel_sim_active()), value, address / 4, warpSize);
}
ACCEL_SIM_INLINE float __hip_ds_bpermutef(int address, float value) {
    return accel_sim::shuffle(accel_sim::Mask(accel_sim_active()), value, address / 4, warpSize);
}
ACCEL_SIM_INLINE int __hip_ds_permute(int address, int value) {
    const accel_sim::Mask lanes = accel_sim::Mask(accel_sim_active());
    const unsigned target = unsigned(address) / 4 % warpSize;
    const uint64_t* pushed = accel_sim::collect(lanes, uint64_t(target) << 32 | unsigned(value), accel_sim::SHUFFLE);
    return int(accel_sim::fold(lanes, pushed, uint64_t(0), [](uint64_t mine, uint64_t other, unsigned) {
        return other >> 32 == accel_sim::lane() ? other : mine;
    }));
}
ACCEL_SIM_INLINE int accel_sim_first_lane(int value) {
    const uint64_t lanes = accel_sim_active();
    return accel_sim::shuffle(accel_sim::Mask(lanes), value, __builtin_ctzll(lanes), warpSize);
}
#define __builtin_amdgcn_ds_bpermute(address, value) __hip_ds_bpermute(address, value)
#define __builtin_amdgcn_ds_permute(address, value) __hip_ds_permute(address, value)
#define __builtin_amdgcn_readfirstlane(value) accel_sim_first_lane(value)
#define __builtin_amdgcn_readlane(value, lane) __shfl(int(value), lane)

#undef ACCEL_SIM_REDUCE
#undef ACCEL_SIM_MATCHES
