// Loads and stores with cache hints, copies, allocation, and the spaces that an address is in.
#pragma once
#include <new>  // CUDA has placement new without an include

#include "atomics.h"
#include "math_functions.h"

// The caches are not simulated.
#define ACCEL_SIM_LOAD(name) \
    template <typename T>    \
    ACCEL_SIM_INLINE T name(const T* from) { return *from; }
ACCEL_SIM_LOAD(__ldg)
ACCEL_SIM_LOAD(__ldca)
ACCEL_SIM_LOAD(__ldcg)
ACCEL_SIM_LOAD(__ldcs)
ACCEL_SIM_LOAD(__ldlu)
// Loads from memory each time: a thread may wait in a loop of these.
template <typename T>
ACCEL_SIM_INLINE T __ldcv(const T* from) {
    accel_sim::step();
    __asm__ volatile("" ::: "memory");
    return *from;
}
#define ACCEL_SIM_STORE(name) \
    template <typename T>     \
    ACCEL_SIM_INLINE void name(T* to, T value) { *to = value; }
ACCEL_SIM_STORE(__stwb)
ACCEL_SIM_STORE(__stcg)
ACCEL_SIM_STORE(__stcs)
ACCEL_SIM_STORE(__stwt)
#undef ACCEL_SIM_STORE
#undef ACCEL_SIM_LOAD

extern "C" {
#if ACCEL_SIM_CHECKED
// The compiler does not instrument these.
ACCEL_SIM_INSTEAD void* memcpy(void* to, const void* from, size_t size) noexcept {
    accel_sim_reads(from, size), accel_sim_writes(to, size);
    return __builtin_memcpy(to, from, size);
}
ACCEL_SIM_INSTEAD void* memmove(void* to, const void* from, size_t size) noexcept {
    accel_sim_reads(from, size), accel_sim_writes(to, size);
    return __builtin_memmove(to, from, size);
}
ACCEL_SIM_INSTEAD void* memset(void* to, int value, size_t size) noexcept {
    accel_sim_writes(to, size);
    return __builtin_memset(to, value, size);
}
#else
void* memcpy(void* to, const void* from, size_t size) noexcept;
void* memmove(void* to, const void* from, size_t size) noexcept;
void* memset(void* to, int value, size_t size) noexcept;
#endif
int memcmp(const void* a, const void* b, size_t size) noexcept;
}

// Addresses are the same in all spaces.
ACCEL_SIM_INLINE size_t __cvta_generic_to_global(const void* at) { return size_t(at); }
ACCEL_SIM_INLINE size_t __cvta_generic_to_shared(const void* at) { return size_t(at); }
ACCEL_SIM_INLINE size_t __cvta_generic_to_local(const void* at) { return size_t(at); }
ACCEL_SIM_INLINE size_t __cvta_generic_to_constant(const void* at) { return size_t(at); }
ACCEL_SIM_INLINE void* __cvta_global_to_generic(size_t at) { return (void*)at; }
ACCEL_SIM_INLINE void* __cvta_shared_to_generic(size_t at) { return (void*)at; }
ACCEL_SIM_INLINE void* __cvta_local_to_generic(size_t at) { return (void*)at; }
ACCEL_SIM_INLINE void* __cvta_constant_to_generic(size_t at) { return (void*)at; }
ACCEL_SIM_INLINE unsigned __isLocal(const void* at) {
    return (size_t(at) & ~(accel_sim::STACK - 1)) == size_t(accel_sim::here());
}
