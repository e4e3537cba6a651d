// Names that only HIP has.
#pragma once
#include "barriers.h"

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(T, name) T* name = (T*)accel_sim::here()->dynamic_shared;
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

#ifndef __HIP_MEMORY_SCOPE_SINGLETHREAD
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif

// Clang has these for every target.
#if !__has_builtin(__hip_atomic_load)
namespace accel_sim {

template <typename T>
struct SameAs {
    typedef T type;
};
template <typename T>
using Same = typename SameAs<T>::type;  // it is not deduced of

ACCEL_SIM_INLINE void order(int order) {
    if (order != __ATOMIC_RELAXED) __threadfence();
}

template <typename T>
ACCEL_SIM_INLINE bool swap_strongly(T* at, T* expected, T value) {
    const T wanted = *expected;
    *expected = compare_and_swap(at, wanted, value);
    return same_bits<word_of<T>>(*expected) == same_bits<word_of<T>>(wanted);
}

}  // namespace accel_sim

// An atomic operation on `at`, ordered by fences before and after it.
#define ACCEL_SIM_HIP_ATOMIC(R, name, operation, ...)                            \
    template <typename T>                                                        \
    ACCEL_SIM_INLINE R __hip_atomic_##name(T* at, __VA_ARGS__, int order, int) { \
        accel_sim::order(order);                                                 \
        const R result = operation;                                              \
        accel_sim::order(order);                                                 \
        return result;                                                           \
    }
#define ACCEL_SIM_HIP_UPDATE(name, expression) \
    ACCEL_SIM_HIP_ATOMIC(T, name, accel_sim::update(at, [=](T old) { return T(expression); }), accel_sim::Same<T> value)
ACCEL_SIM_HIP_ATOMIC(T, exchange, accel_sim::exchange(at, T(value)), accel_sim::Same<T> value)
ACCEL_SIM_HIP_ATOMIC(bool, compare_exchange_strong, accel_sim::swap_strongly(at, expected, T(value)), T* expected,
                     accel_sim::Same<T> value, int)
ACCEL_SIM_HIP_ATOMIC(bool, compare_exchange_weak, accel_sim::swap_strongly(at, expected, T(value)), T* expected,
                     accel_sim::Same<T> value, int)
ACCEL_SIM_HIP_UPDATE(fetch_add, old + value)
ACCEL_SIM_HIP_UPDATE(fetch_sub, old - value)
ACCEL_SIM_HIP_UPDATE(fetch_and, old & value)
ACCEL_SIM_HIP_UPDATE(fetch_or, old | value)
ACCEL_SIM_HIP_UPDATE(fetch_xor, old ^ value)
ACCEL_SIM_HIP_UPDATE(fetch_min, value < old ? value : old)
ACCEL_SIM_HIP_UPDATE(fetch_max, old < value ? value : old)

template <typename T>
ACCEL_SIM_INLINE T __hip_atomic_load(const T* at, int order, int) {
    typedef const accel_sim::word_of<T> Word;
    const T result = accel_sim::same_bits<T>(__atomic_load_n((Word*)at, __ATOMIC_RELAXED));
    accel_sim::order(order);
    return result;
}
template <typename T>
ACCEL_SIM_INLINE void __hip_atomic_store(T* at, accel_sim::Same<T> value, int order, int scope) {
    __hip_atomic_exchange(at, value, order, scope);
}
#undef ACCEL_SIM_HIP_UPDATE
#undef ACCEL_SIM_HIP_ATOMIC
#endif
