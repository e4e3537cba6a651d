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
