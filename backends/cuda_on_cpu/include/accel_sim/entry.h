// How the runtime calls a kernel: ACCEL_SIM_ENTRY(number, kernel) defines
//   accel_sim_entry_<number>  calls it, with the addresses of its arguments
//   accel_sim_sizes_<number>  sizes and alignments of its parameters in turn, ended by 0
#pragma once
#include "keywords.h"

namespace accel_sim {

template <unsigned... I>
struct Indices {};
template <unsigned N, unsigned... I>
struct Counted : Counted<N - 1, N - 1, I...> {};
template <unsigned... I>
struct Counted<0, I...> {
    typedef Indices<I...> type;
};

template <typename Kernel>
struct Entry;
template <typename... T>
struct Entry<void (*)(T...)> {
    template <unsigned... I>
    static ACCEL_SIM_INLINE void expand(void (*kernel)(T...), void** arguments, Indices<I...>) {
        (void)arguments;
        kernel(*(T*)arguments[I]...);
    }
    static ACCEL_SIM_INLINE void call(void (*kernel)(T...), void** arguments) {
        expand(kernel, arguments, typename Counted<sizeof...(T)>::type{});
    }
    static constexpr uint64_t sizes[][2] = {{sizeof(T), alignof(T)}..., {0, 0}};
};
template <typename... T>
constexpr uint64_t Entry<void (*)(T...)>::sizes[][2];

}  // namespace accel_sim

#if ACCEL_SIM_CHECKED
// The arguments are no memory of the device: the checks must not see that they are read. So the kernel is not inlined.
#define ACCEL_SIM_UNSEEN __attribute__((no_sanitize("thread")))
#define ACCEL_SIM_OPAQUE(pointer) __asm__("" : "+r"(pointer))
#else
#define ACCEL_SIM_UNSEEN
#define ACCEL_SIM_OPAQUE(pointer)
#endif

#define ACCEL_SIM_ENTRY(number, ...)                                                                  \
    extern "C" ACCEL_SIM_UNSEEN __attribute__((visibility("default"))) void accel_sim_entry_##number( \
        void** arguments) {                                                                           \
        decltype(&(__VA_ARGS__)) accel_sim_kernel = &(__VA_ARGS__);                                   \
        ACCEL_SIM_OPAQUE(accel_sim_kernel);                                                           \
        accel_sim::Entry<decltype(&(__VA_ARGS__))>::call(accel_sim_kernel, arguments);                \
    }                                                                                                 \
    extern "C" __attribute__((visibility("default"))) const uint64_t* accel_sim_sizes_##number() {    \
        return accel_sim::Entry<decltype(&(__VA_ARGS__))>::sizes[0];                                  \
    }
