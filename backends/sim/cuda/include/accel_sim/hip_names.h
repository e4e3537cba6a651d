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
ACCEL_SIM_INLINE void order(int order) {
    if (order != __ATOMIC_RELAXED) __threadfence();
}
}  // namespace accel_sim

// `result` is of an atomic operation, which is ordered by fences before and after it.
#define ACCEL_SIM_HIP_ATOMIC(R, name, parameters, operation)         \
    template <typename T>                                            \
    ACCEL_SIM_INLINE R __hip_atomic_##name parameters {              \
        accel_sim::order(order);                                     \
        const R result = operation;                                  \
        accel_sim::order(order);                                     \
        return result;                                               \
    }
#define ACCEL_SIM_HIP_UPDATE(name, expression)                                                     \
    ACCEL_SIM_HIP_ATOMIC(T, fetch_##name, (T * at, typename accel_sim::Same<T>::type value, int order, int), \
                         accel_sim::update(at, [=](T old) { return T(expression); }))
namespace accel_sim {
template <typename T>
struct Same {
    typedef T type;
};
template <typename T>
ACCEL_SIM_INLINE bool swap_strongly(T* at, T* expected, T value) {
    const T wanted = *expected;
    *expected = compare_and_swap(at, wanted, value);
    return same_bits<word_of<T>>(*expected) == same_bits<word_of<T>>(wanted);
}
}  // namespace accel_sim
ACCEL_SIM_HIP_ATOMIC(T, load, (const T* at, int order, int), accel_sim::same_bits<T>(__atomic_load_n((accel_sim::word_of<T>*)at, __ATOMIC_RELAXED)))
ACCEL_SIM_HIP_ATOMIC(T, exchange, (T * at, typename accel_sim::Same<T>::type value, int order, int), accel_sim::exchange(at, value))
ACCEL_SIM_HIP_ATOMIC(bool, compare_exchange_strong, (T * at, T* expected, typename accel_sim::Same<T>::type value, int order, int, int), accel_sim::swap_strongly(at, expected, value))
ACCEL_SIM_HIP_ATOMIC(bool, compare_exchange_weak, (T * at, T* expected, typename accel_sim::Same<T>::type value, int order, int, int), accel_sim::swap_strongly(at, expected, value))
template <typename T>
ACCEL_SIM_INLINE void __hip_atomic_store(T* at, typename accel_sim::Same<T>::type value, int order, int scope) {
    __hip_atomic_exchange(at, value, order, scope);
}
ACCEL_SIM_HIP_UPDATE(add, old + value)
ACCEL_SIM_HIP_UPDATE(sub, old - value)
ACCEL_SIM_HIP_UPDATE(and, old & value)
ACCEL_SIM_HIP_UPDATE(or, old | value)
ACCEL_SIM_HIP_UPDATE(xor, old ^ value)
ACCEL_SIM_HIP_UPDATE(min, value < old ? value : old)
ACCEL_SIM_HIP_UPDATE(max, old < value ? value : old)
#undef ACCEL_SIM_HIP_UPDATE
#undef ACCEL_SIM_HIP_ATOMIC
#endif
