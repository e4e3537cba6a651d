// What kernels get without an include.
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "abi.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ thread_local
#define __forceinline__ inline
#define __launch_bounds__(...)
#define threadIdx (accel_sim::here()->thread)
#define blockIdx (accel_sim::here()->block)
#define blockDim (accel_sim::here()->block_dim)
#define gridDim (accel_sim::here()->grid_dim)
#define warpSize (accel_sim::here()->warp_size)
#define __syncthreads() ((void)accel_sim_barrier(0, accel_sim::BARRIER_PLAIN))

namespace accel_sim {

template <typename T>
struct Plain {
    using type = T;
};
template <typename T>
struct Plain<const T> {
    using type = T;
};

template <auto KERNEL>
struct Entry;
template <typename... T, void (*KERNEL)(T...)>
struct Entry<KERNEL> {
    template <unsigned... I>
    struct Indices {};
    template <unsigned N, unsigned... I>
    struct Counted : Counted<N - 1, N - 1, I...> {};
    template <unsigned... I>
    struct Counted<0, I...> {
        using type = Indices<I...>;
    };
    template <unsigned... I>
    static void expand(void** arguments, Indices<I...>) {
        KERNEL(*(typename Plain<T>::type*)arguments[I]...);
    }
    static void call(void** arguments) { expand(arguments, typename Counted<sizeof...(T)>::type{}); }
    static const uint64_t* layout() {
        static const uint64_t pairs[][2] = {{sizeof(T), alignof(T)}..., {0, 0}};
        return pairs[0];
    }
};

}  // namespace accel_sim

#define ACCEL_SIM_ENTRY(number, ...)                                                                              \
    extern "C" __attribute__((visibility("default"))) void accel_sim_entry_##number(void** arguments) {           \
        accel_sim::Entry<__VA_ARGS__>::call(arguments);                                                           \
    }                                                                                                             \
    extern "C" __attribute__((visibility("default"))) const uint64_t* accel_sim_sizes_##number() {                \
        return accel_sim::Entry<__VA_ARGS__>::layout();                                                           \
    }
