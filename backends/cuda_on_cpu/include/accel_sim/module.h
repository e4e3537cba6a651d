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

#define ACCEL_SIM_CALLED_AT __builtin_return_address(0)

// Not other names for those of the runtime, as for malloc: g++ 12 crashes at uses of an operator with such a name.
void* operator new(size_t size) { return accel_sim_new(size, 0); }
void* operator new[](size_t size) { return accel_sim_new(size, 1); }
void operator delete(void* memory) noexcept { accel_sim_delete(memory, 0, ACCEL_SIM_CALLED_AT); }
void operator delete[](void* memory) noexcept { accel_sim_delete(memory, 1, ACCEL_SIM_CALLED_AT); }
void operator delete(void* memory, size_t) noexcept { accel_sim_delete(memory, 0, ACCEL_SIM_CALLED_AT); }
void operator delete[](void* memory, size_t) noexcept { accel_sim_delete(memory, 1, ACCEL_SIM_CALLED_AT); }

// What would end the process, or give memory that is not the device's. A program may have functions with these names.
#define ACCEL_SIM_OF_C extern "C" __attribute__((weak))
ACCEL_SIM_OF_C __attribute__((noreturn)) void abort() noexcept { accel_sim_abort(ACCEL_SIM_CALLED_AT); }
ACCEL_SIM_OF_C __attribute__((noreturn)) void exit(int code) noexcept { accel_sim_exit(code, "exit", ACCEL_SIM_CALLED_AT); }
ACCEL_SIM_OF_C __attribute__((noreturn)) void _exit(int code) { accel_sim_exit(code, "_exit", ACCEL_SIM_CALLED_AT); }
ACCEL_SIM_OF_C __attribute__((noreturn)) void _Exit(int code) noexcept { accel_sim_exit(code, "_Exit", ACCEL_SIM_CALLED_AT); }
ACCEL_SIM_OF_C __attribute__((noreturn)) void quick_exit(int code) noexcept { accel_sim_exit(code, "quick_exit", ACCEL_SIM_CALLED_AT); }
ACCEL_SIM_OF_C int raise(int signal) noexcept { return accel_sim_raise(signal, ACCEL_SIM_CALLED_AT); }
ACCEL_SIM_OF_C void* calloc(size_t count, size_t size) noexcept { return accel_sim_calloc(count, size, ACCEL_SIM_CALLED_AT); }
ACCEL_SIM_OF_C void* realloc(void* memory, size_t size) noexcept { return accel_sim_realloc(memory, size, ACCEL_SIM_CALLED_AT); }
namespace std {
__attribute__((weak, noreturn)) void terminate() noexcept { accel_sim_terminate(ACCEL_SIM_CALLED_AT); }
}
#if ACCEL_SIM_PROGRAM  // kernels are compiled without exceptions, where they are not beside host code
#include <dlfcn.h>
ACCEL_SIM_OF_C void* __cxa_allocate_exception(size_t size) noexcept {
    accel_sim_throws(ACCEL_SIM_CALLED_AT);
    static void* (*const of_library)(size_t) = (void* (*)(size_t))dlsym(RTLD_NEXT, "__cxa_allocate_exception");
    return of_library(size);
}
#endif
#undef ACCEL_SIM_OF_C
