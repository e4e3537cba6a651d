// What counted.py of `text` writes into sources: counters of statements, and of the outcomes of conditions.
// ACCEL_SIM_COUNTERS is how many there are. Counters in assembly are seen by no check, and stay where they are.
#pragma once
#include "abi.h"
#include "keywords.h"

extern "C" {
__attribute__((visibility("default"))) uint64_t accel_sim_counters[ACCEL_SIM_COUNTERS + 1];
// The numbers of the counters that there is code of.
extern const uint32_t __start_accel_sim_counted[] __attribute__((visibility("hidden")));
extern const uint32_t __stop_accel_sim_counted[] __attribute__((visibility("hidden")));
__attribute__((visibility("default"))) const uint32_t* accel_sim_counted_begin() { return __start_accel_sim_counted; }
__attribute__((visibility("default"))) const uint32_t* accel_sim_counted_end() { return __stop_accel_sim_counted; }
}

#define ACCEL_SIM_NOTE(number) ".pushsection accel_sim_counted,\"a\"\n\t.balign 4\n\t.long " number "\n\t.popsection\n\t"
__asm__(ACCEL_SIM_NOTE("0xffffffff"));  // so that there is such a section

#if defined(__x86_64__)
#define ACCEL_SIM_COUNT(number)                                                                          \
    __asm__ __inline__ volatile(ACCEL_SIM_NOTE("%c1") "incq %0" : "+m"(accel_sim_counters[number]) : "i"(number) : "cc")
#elif defined(__aarch64__)
#define ACCEL_SIM_COUNT(number)                                                                      \
    do {                                                                                             \
        uint64_t accel_sim_count;                                                                    \
        __asm__ __inline__ volatile(ACCEL_SIM_NOTE("%c2") "ldr %1, %0\n\tadd %1, %1, #1\n\tstr %1, %0" \
                                    : "+Q"(accel_sim_counters[number]), "=&r"(accel_sim_count)       \
                                    : "i"(number));                                                  \
    } while (0)
#else
#error "coverage of kernels needs a processor of the x86-64 or ARM64 kind"
#endif

namespace accel_sim {

template <unsigned number>
ACCEL_SIM_INLINE bool counted(bool condition) {
    if (condition) ACCEL_SIM_COUNT(number);
    else ACCEL_SIM_COUNT(number + 1);
    return condition;
}

}  // namespace accel_sim
