// The machine: its settings, the device and context that are current in each thread, and what each call begins with.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "schedule.h"

#define API extern "C" __attribute__((visibility("default")))

namespace fake {

constexpr int MOST_DEVICES = 16;
constexpr int SHARED_BYTES = 48 << 10, MOST_SHARED_BYTES = 227 << 10;
constexpr unsigned MOST_THREADS = 1024, MOST_BLOCKS_X = 0x7fffffff, MOST_BLOCKS_YZ = 65535;

struct Settings {
    int devices = 1;
    size_t memory = size_t{2} << 30;  // of each device
    bool late = false;                // streams run late, in a random order; else at once
    bool stalled = false;             // queries move nothing on: streams stay busy until somebody waits
    bool executes = true;             // kernels are executed; else they are only launched
    bool reaches_pageable = false;    // devices read and write pageable memory by themselves, and late
    bool counts = false;
};
extern Settings settings;

void seed_order(uint64_t seed);

// The context of a thread is the primary one of its current device. A new thread has device 0 and no context.
int current_device();
bool has_context();
void bind_context(int device);
void unbind_context();

bool is_lost(int device);
void lose(int device);

void count(const char* name);

// What each call of the runtime begins with: it is counted, locks the machine, and gives its thread a context.
struct Call {
    explicit Call(const char* name);
    Lock lock;
    cudaError_t refused;  // why the current device does nothing any more
};

}  // namespace fake

#define RUNTIME_CALL()              \
    fake::Call call_(__func__);                             \
    if (call_.refused != cudaSuccess) return call_.refused

// As above, for calls that change nothing and may come before there is a context.
#define QUICK_CALL() fake::count(__func__)
