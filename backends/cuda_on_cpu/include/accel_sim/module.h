// What each module has besides its kernels: where its thread-local segment begins in the calling thread.
#pragma once

static thread_local volatile char accel_sim_mark;

extern "C" {
__attribute__((visibility("default"))) unsigned long accel_sim_mark_offset;  // of `accel_sim_mark`, by the loader
__attribute__((visibility("default"))) void* accel_sim_shared_begin() {
    return (char*)&accel_sim_mark - accel_sim_mark_offset;
}
}

// Names, each with a zero after it.
#define ACCEL_SIM_NAMES(variable, ...) \
    extern "C" __attribute__((visibility("default"))) const char variable[] = __VA_ARGS__;

// Not other names for those of the runtime, as for malloc: g++ 12 crashes at uses of an operator with such a name.
void* operator new(size_t size) { return accel_sim_malloc(size); }
void* operator new[](size_t size) { return accel_sim_malloc(size); }
void operator delete(void* memory) noexcept { accel_sim_free(memory); }
void operator delete[](void* memory) noexcept { accel_sim_free(memory); }
void operator delete(void* memory, size_t) noexcept { accel_sim_free(memory); }
void operator delete[](void* memory, size_t) noexcept { accel_sim_free(memory); }
