// Atomic functions, on the builtins of the compiler: -fsanitize=thread makes calls of the runtime of these.
//
// They are relaxed, as in CUDA. The forms _block and _system are the same as the others.
#pragma once
#include "index.h"
#include "math_functions.h"

namespace accel_sim {

constexpr unsigned STEPS = 256;

// Lets other threads run now and then: a thread may wait for them in a loop of atomics. Not an access of the kernel.
#if ACCEL_SIM_CHECKED
__attribute__((noinline, no_sanitize("thread"))) inline
#else
ACCEL_SIM_INLINE
#endif
void step() {
    if (++here()->steps < STEPS) return;
    here()->steps = 0;
    accel_sim_yield();
}

template <unsigned SIZE>
struct Word;
template <>
struct Word<2> {
    typedef uint16_t type;
};
template <>
struct Word<4> {
    typedef uint32_t type;
};
template <>
struct Word<8> {
    typedef uint64_t type;
};
template <>
struct Word<16> {
    typedef unsigned __int128 type;
};
template <typename T>
using word_of = typename Word<sizeof(T)>::type;

template <typename To, typename From>
ACCEL_SIM_INLINE To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "types of one size");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

template <typename T>
ACCEL_SIM_INLINE T exchange(T* at, T value) {
    step();
    return same_bits<T>(__atomic_exchange_n((word_of<T>*)at, same_bits<word_of<T>>(value), __ATOMIC_RELAXED));
}

// Returns what was there.
template <typename Word>
ACCEL_SIM_INLINE Word swap_if(Word* at, Word expected, Word value) {
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
// Of 16 bytes the builtin would call a library.
#if ACCEL_SIM_CHECKED
extern "C" word_of<uint4> __tsan_atomic128_compare_exchange_val(volatile word_of<uint4>* at, word_of<uint4> expected,
                                                                word_of<uint4> value, int order, int failed);
ACCEL_SIM_INLINE word_of<uint4> swap_if(word_of<uint4>* at, word_of<uint4> expected, word_of<uint4> value) {
    return __tsan_atomic128_compare_exchange_val(at, expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#elif defined(__x86_64__)
ACCEL_SIM_INLINE word_of<uint4> swap_if(word_of<uint4>* at, word_of<uint4> expected, word_of<uint4> value) {
    uint64_t low = uint64_t(expected), high = uint64_t(expected >> 64);
    __asm__ volatile("lock cmpxchg16b %0"
                     : "+m"(*at), "+a"(low), "+d"(high)
                     : "b"(uint64_t(value)), "c"(uint64_t(value >> 64))
                     : "cc", "memory");
    return word_of<uint4>(high) << 64 | low;
}
#endif

template <typename T>
ACCEL_SIM_INLINE T compare_and_swap(T* at, T expected, T value) {
    step();
    return same_bits<T>(swap_if((word_of<T>*)at, same_bits<word_of<T>>(expected), same_bits<word_of<T>>(value)));
}

// Replaces a value by a function of it, and returns the old one.
template <typename T, typename Function>
ACCEL_SIM_INLINE T update(T* at, Function function) {
    step();
    word_of<T>* word = (word_of<T>*)at;
    word_of<T> old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, same_bits<word_of<T>>(T(function(same_bits<T>(old)))), false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return same_bits<T>(old);
}

}  // namespace accel_sim

// Defines a function of (T* at, T value) in the three scopes.
#define ACCEL_SIM_ATOMIC(name, T, body)                                            \
    ACCEL_SIM_INLINE T name(T* at, T value) { body; }                              \
    ACCEL_SIM_INLINE T name##_block(T* at, T value) { return ::name(at, value); } \
    ACCEL_SIM_INLINE T name##_system(T* at, T value) { return ::name(at, value); }
#define ACCEL_SIM_ATOMIC_BUILTIN(name, T, builtin) \
    ACCEL_SIM_ATOMIC(name, T, accel_sim::step(); return __atomic_fetch_##builtin(at, value, __ATOMIC_RELAXED))
#define ACCEL_SIM_ATOMIC_UPDATE(name, T, expression) \
    ACCEL_SIM_ATOMIC(name, T, return accel_sim::update(at, [=](T old) { return expression; }))

#define ACCEL_SIM_ATOMIC_ADD(T) ACCEL_SIM_ATOMIC_BUILTIN(atomicAdd, T, add)
#define ACCEL_SIM_ATOMIC_SUB(T) ACCEL_SIM_ATOMIC_BUILTIN(atomicSub, T, sub)
#define ACCEL_SIM_ATOMIC_LOGIC(T)               \
    ACCEL_SIM_ATOMIC_BUILTIN(atomicAnd, T, and) \
    ACCEL_SIM_ATOMIC_BUILTIN(atomicOr, T, or)   \
    ACCEL_SIM_ATOMIC_BUILTIN(atomicXor, T, xor)
#define ACCEL_SIM_ATOMIC_ORDER(T)                                    \
    ACCEL_SIM_ATOMIC_UPDATE(atomicMin, T, value < old ? value : old) \
    ACCEL_SIM_ATOMIC_UPDATE(atomicMax, T, old < value ? value : old)
#define ACCEL_SIM_ATOMIC_EXCH(T) ACCEL_SIM_ATOMIC(atomicExch, T, return accel_sim::exchange(at, value))
#define ACCEL_SIM_ATOMIC_CAS_AS(name, T) \
    ACCEL_SIM_INLINE T name(T* at, T expected, T value) { return accel_sim::compare_and_swap(at, expected, value); }
#define ACCEL_SIM_ATOMIC_CAS(T)                 \
    ACCEL_SIM_ATOMIC_CAS_AS(atomicCAS, T)       \
    ACCEL_SIM_ATOMIC_CAS_AS(atomicCAS_block, T) \
    ACCEL_SIM_ATOMIC_CAS_AS(atomicCAS_system, T)
#define ACCEL_SIM_ATOMIC_FLOAT(T)                                                       \
    ACCEL_SIM_ATOMIC_UPDATE(atomicAdd, T, old + value)                                  \
    ACCEL_SIM_INLINE T unsafeAtomicAdd(T* at, T value) { return atomicAdd(at, value); } \
    ACCEL_SIM_INLINE T safeAtomicAdd(T* at, T value) { return atomicAdd(at, value); }

#define ACCEL_SIM_ATOMIC_INTEGER(T) \
    ACCEL_SIM_ATOMIC_ADD(T)         \
    ACCEL_SIM_ATOMIC_LOGIC(T)       \
    ACCEL_SIM_ATOMIC_ORDER(T)       \
    ACCEL_SIM_ATOMIC_EXCH(T)        \
    ACCEL_SIM_ATOMIC_CAS(T)

ACCEL_SIM_ATOMIC_INTEGER(int)
ACCEL_SIM_ATOMIC_INTEGER(unsigned)
ACCEL_SIM_ATOMIC_INTEGER(unsigned long long)
ACCEL_SIM_ATOMIC_SUB(int)
ACCEL_SIM_ATOMIC_SUB(unsigned)
ACCEL_SIM_ATOMIC_LOGIC(long long)
ACCEL_SIM_ATOMIC_ORDER(long long)
ACCEL_SIM_ATOMIC_CAS(unsigned short)
ACCEL_SIM_ATOMIC_FLOAT(float)
ACCEL_SIM_ATOMIC_FLOAT(double)
ACCEL_SIM_ATOMIC_EXCH(float)
ACCEL_SIM_ATOMIC_UPDATE(atomicInc, unsigned, old >= value ? 0 : old + 1)
ACCEL_SIM_ATOMIC_UPDATE(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)

// What only HIP has.
#if ACCEL_SIM_WARP == 64
ACCEL_SIM_ATOMIC_INTEGER(unsigned long)
ACCEL_SIM_ATOMIC_SUB(unsigned long)
ACCEL_SIM_ATOMIC_SUB(unsigned long long)
ACCEL_SIM_ATOMIC_EXCH(double)
ACCEL_SIM_ATOMIC_CAS(float)
ACCEL_SIM_ATOMIC_CAS(double)
ACCEL_SIM_ATOMIC_UPDATE(atomicSub, float, old - value)
ACCEL_SIM_ATOMIC_UPDATE(atomicSub, double, old - value)
ACCEL_SIM_ATOMIC_UPDATE(atomicMin, float, value < old ? value : old)
ACCEL_SIM_ATOMIC_UPDATE(atomicMax, float, old < value ? value : old)
ACCEL_SIM_ATOMIC_UPDATE(atomicMin, double, value < old ? value : old)
ACCEL_SIM_ATOMIC_UPDATE(atomicMax, double, old < value ? value : old)
#endif

// Of any type of 16 bytes.
#define ACCEL_SIM_ATOMIC_16(name)                                            \
    template <typename T, typename accel_sim::If<sizeof(T) == 16>::type = 0> \
    ACCEL_SIM_INLINE T atomicCAS##name(T* at, T expected, T value) {         \
        return accel_sim::compare_and_swap(at, expected, value);             \
    }                                                                        \
    template <typename T, typename accel_sim::If<sizeof(T) == 16>::type = 0> \
    ACCEL_SIM_INLINE T atomicExch##name(T* at, T value) {                    \
        T old = accel_sim::compare_and_swap(at, value, value), expected;     \
        do old = accel_sim::compare_and_swap(at, expected = old, value);     \
        while (__builtin_memcmp(&old, &expected, 16));                       \
        return old;                                                          \
    }
ACCEL_SIM_ATOMIC_16()
ACCEL_SIM_ATOMIC_16(_block)
ACCEL_SIM_ATOMIC_16(_system)
#undef ACCEL_SIM_ATOMIC_16

// Atomic for each element, as in CUDA.
ACCEL_SIM_ATOMIC(atomicAdd, float2, return make_float2(::atomicAdd(&at->x, value.x), ::atomicAdd(&at->y, value.y)))
ACCEL_SIM_ATOMIC(atomicAdd, float4,
                 return make_float4(::atomicAdd(&at->x, value.x), ::atomicAdd(&at->y, value.y),
                                    ::atomicAdd(&at->z, value.z), ::atomicAdd(&at->w, value.w)))

#undef ACCEL_SIM_ATOMIC_INTEGER
#undef ACCEL_SIM_ATOMIC_FLOAT
#undef ACCEL_SIM_ATOMIC_CAS
#undef ACCEL_SIM_ATOMIC_CAS_AS
#undef ACCEL_SIM_ATOMIC_EXCH
#undef ACCEL_SIM_ATOMIC_ORDER
#undef ACCEL_SIM_ATOMIC_LOGIC
#undef ACCEL_SIM_ATOMIC_SUB
#undef ACCEL_SIM_ATOMIC_ADD
#undef ACCEL_SIM_ATOMIC_BUILTIN
