// Atomic operations of code that is compiled with -fsanitize=thread: the check, then the operation.
//
// A release is logged before the operation and an acquisition looked up after it, so a thread that sees a value knows
// what the one that wrote it released.
#include "checks_access.h"

using namespace accel_sim;

#define PC __builtin_return_address(0)
#define CALLBACK extern "C" __attribute__((visibility("default")))

namespace {

constexpr uint32_t UPDATE = READ | WRITE | ATOMIC;

bool releases(int order) { return order >= __ATOMIC_RELEASE; }

// One atomic operation, from its check to its end.
class Operation {
public:
    Operation(const volatile void* at, uint64_t size, uint32_t mode, int order, void* pc)
        : location_(check_atomic((const void*)at, size, mode, pc)), mode_(mode) {
        if (!location_ || !(mode & WRITE)) return;
        if (releases(order)) checks_fence(self(), SCOPE_SYSTEM);
        publish(self(), location_);
    }
    ~Operation() {
        if (location_ && mode_ & READ) acquire(self(), location_);
    }
    Operation(const Operation&) = delete;

private:
    const uint64_t* location_;
    uint32_t mode_;
};

template <typename T, typename Change>
T update(volatile T* at, int order, void* pc, Change change) {
    Operation operation(at, sizeof(T), UPDATE, order, pc);
    T before = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(at, &before, change(before), true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return before;
}

template <typename T>
T loaded(const volatile T* at, int order, void* pc) {
    Operation operation(at, sizeof(T), READ | ATOMIC, order, pc);
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

template <typename T>
void stored(volatile T* at, T value, int order, void* pc) {
    Operation operation(at, sizeof(T), WRITE | ATOMIC, order, pc);
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

template <typename T>
T exchanged(volatile T* at, T value, int order, void* pc) {
    Operation operation(at, sizeof(T), UPDATE, order, pc);
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
}

template <typename T>
bool compared(volatile T* at, T* expected, T value, int order, void* pc) {
    Operation operation(at, sizeof(T), UPDATE, order, pc);
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

}  // namespace

#define UPDATE_BY(T, bits, name, expression)                                              \
    CALLBACK T __tsan_atomic##bits##_fetch_##name(volatile T* at, T value, int order) {   \
        return update(at, order, PC, [&](T before) -> T { return expression; });          \
    }

#define ATOMICS(T, bits)                                                                                             \
    CALLBACK T __tsan_atomic##bits##_load(const volatile T* at, int order) { return loaded(at, order, PC); }         \
    CALLBACK void __tsan_atomic##bits##_store(volatile T* at, T value, int order) { stored(at, value, order, PC); }  \
    CALLBACK T __tsan_atomic##bits##_exchange(volatile T* at, T value, int order) {                                  \
        return exchanged(at, value, order, PC);                                                                      \
    }                                                                                                                \
    CALLBACK int __tsan_atomic##bits##_compare_exchange_strong(volatile T* at, T* expected, T value, int order, int) { \
        return compared(at, expected, value, order, PC);                                                             \
    }                                                                                                                \
    CALLBACK int __tsan_atomic##bits##_compare_exchange_weak(volatile T* at, T* expected, T value, int order, int) { \
        return compared(at, expected, value, order, PC);                                                             \
    }                                                                                                                \
    CALLBACK T __tsan_atomic##bits##_compare_exchange_val(volatile T* at, T expected, T value, int order, int) {     \
        compared(at, &expected, value, order, PC);                                                                   \
        return expected;                                                                                             \
    }                                                                                                                \
    UPDATE_BY(T, bits, add, before + value)                                                                          \
    UPDATE_BY(T, bits, sub, before - value)                                                                          \
    UPDATE_BY(T, bits, and, before & value)                                                                          \
    UPDATE_BY(T, bits, or, before | value)                                                                           \
    UPDATE_BY(T, bits, xor, before ^ value)                                                                          \
    UPDATE_BY(T, bits, nand, ~(before & value))

ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)

// Without a library for them, atomic operations of 16 bytes take a lock: all code of the device comes through here.
namespace {

using Wide = unsigned __int128;
pthread_mutex_t wide_lock = PTHREAD_MUTEX_INITIALIZER;

// A fault under the lock would leave it taken: memory that is not there is found before. These change nothing.
void touch(volatile uint8_t* byte, bool writes) {
    if (writes) __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
    else (void)__atomic_load_n(byte, __ATOMIC_RELAXED);
}

template <typename Change>
Wide update_wide(volatile Wide* at, uint32_t mode, int order, void* pc, Change change) {
    Operation operation(at, sizeof(Wide), mode, order, pc);
    touch((volatile uint8_t*)at, mode & WRITE);
    touch((volatile uint8_t*)at + sizeof(Wide) - 1, mode & WRITE);
    Locked locked(wide_lock);
    const Wide before = *at;
    if (mode & WRITE) *at = change(before);
    return before;
}

}  // namespace

CALLBACK Wide __tsan_atomic128_load(const volatile Wide* at, int order) {
    return update_wide((volatile Wide*)at, READ | ATOMIC, order, PC, [](Wide before) { return before; });
}
CALLBACK void __tsan_atomic128_store(volatile Wide* at, Wide value, int order) {
    update_wide(at, WRITE | ATOMIC, order, PC, [&](Wide) { return value; });
}
CALLBACK Wide __tsan_atomic128_exchange(volatile Wide* at, Wide value, int order) {
    return update_wide(at, UPDATE, order, PC, [&](Wide) { return value; });
}
CALLBACK Wide __tsan_atomic128_compare_exchange_val(volatile Wide* at, Wide expected, Wide value, int order, int) {
    return update_wide(at, UPDATE, order, PC, [&](Wide before) { return before == expected ? value : before; });
}
CALLBACK int __tsan_atomic128_compare_exchange_strong(volatile Wide* at, Wide* expected, Wide value, int order, int) {
    const Wide comparand = *expected;
    *expected = update_wide(at, UPDATE, order, PC, [&](Wide before) { return before == comparand ? value : before; });
    return *expected == comparand;
}
CALLBACK int __tsan_atomic128_compare_exchange_weak(volatile Wide* at, Wide* expected, Wide value, int order, int also) {
    return __tsan_atomic128_compare_exchange_strong(at, expected, value, order, also);
}

CALLBACK void __tsan_atomic_thread_fence(int order) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (Thread* thread = releases(order) ? checked_thread() : nullptr) checks_fence(*thread, SCOPE_SYSTEM);
}
CALLBACK void __tsan_atomic_signal_fence(int) {}
