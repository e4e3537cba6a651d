// CUDA's runtime and driver on the processor: settings, calls, errors, and the memory of the devices.
//
// Work runs at once, or late in an order drawn from a seed (schedule.h). There are two builds. Whole programs get it in
// the runtime of kernels, with programs.cpp. The tests of the real CuPy compile it with NVIDIA's headers, so that it takes
// the place of CUDA's libraries; they have a file of their own instead of programs.cpp.
#pragma once
#include <pthread.h>

#include "../machine/worker.h"
#include "headers.h"

namespace accel_sim {

constexpr int MOST_DEVICES = 16;
constexpr uint64_t MOST_THREADS = 1024, SHARED_BYTES = 48 << 10, MOST_SHARED_BYTES = 227 << 10;
constexpr unsigned MOST_BLOCKS_X = 0x7FFFFFFF, MOST_BLOCKS_YZ = 65535;

enum class MemoryKind : uint32_t { DEVICE, MANAGED, PINNED, VARIABLE };

// Where memory comes from, for reports.
struct Origin {
    const char* function;  // of the API, or the name of a variable of the module
    uint64_t pc;           // of its call, or 0
    uint64_t released_pc;  // of the call that released it, or 0
    MemoryKind kind;
    int device;
    bool pooled;  // of the pool of its device, as by cudaMallocAsync
};

// Compiled kernels, as a launch needs them; plain C, as in launch.h.
struct Image {
    Segments segments;
    uint32_t (*launch)(Launch*);
    void (*release)(void*);
};

// What the process knows of the program, and asks for. Plain C.
struct Host {
    Image image;
    uint64_t memory;  // bytes of each device
    uint64_t heap;    // bytes of the heap of kernels, until a limit is set
    uint64_t seed;
    double limit;
    void (*finished)(const Launch* launch, const char* kernel, uint64_t pc);  // called after a launch with findings
    void (*misused)(const char* function, const char* what, uint64_t pc);     // called for a wrong use of the API
    uint32_t warp_size, checks, workers;
    uint32_t late;  // 1: work runs when it is waited for, in an order drawn from the seed; 0: at once
};
extern Host host;

// What only tests change.
struct Settings {
    int devices;
    bool stalled;           // queries move nothing on: late streams stay busy until they are waited for
    bool executes;          // kernels are executed; else they are only launched
    bool reaches_pageable;  // devices read and write pageable memory by themselves, and late
    bool reuses_handles;    // a new stream gets the handle of one that was destroyed
    bool loses_devices;     // a kernel that accesses an illegal address takes its device with it
    bool strict_kinds;      // for the kind of a copy, pinned memory is never memory of the device
};
extern Settings settings;

// --- each build for itself
void entered(const char* function, void* pc);  // at the begin of each call of the API, without the lock
void forget_cells(uint64_t* cells);            // of memory that was released
uint64_t used_of_heap();                       // bytes that kernels allocated, and did not free
void reset_heap();

// --- calls
enum class Needs { NOTHING, CONTEXT_IS_MADE, CONTEXT };  // the runtime makes a context; the driver asks for one

// A call of the API, by the thread that has the lock of the whole machine as long as it lasts.
class Call {
public:
    Call(const char* function, void* pc, Needs needs);
    ~Call();
    Call(const Call&) = delete;
    const char* const function;
    void* const pc;
    cudaError_t refused;  // why the current device does nothing any more
};

extern pthread_mutex_t machine_lock;

// The device and the context that are current in this thread. A new thread has device 0 and no context. Where there is none,
// the device is that of the last cudaSetDevice.
struct Context {
    int device;
    bool bound;
};
Context& context();
bool exists(int device);
bool has_context(int device);
void bind(int device);  // makes the primary context of a device current in this thread

// How many blocks a device runs at once: those of a cooperative launch.
uint64_t resident_blocks(uint64_t threads, uint64_t dynamic_shared);
uint64_t heap_size();

bool is_lost(int device);
void lose(int device);

// --- errors
// Remembers an error for cudaGetLastError, and returns it.
cudaError_t failed(cudaError_t error);
// Reports a wrong use of the API; the message is formatted as by printf.
cudaError_t misused(cudaError_t error, const Call& call, const char* format, ...) __attribute__((format(printf, 3, 4)));
cudaError_t misused_at(cudaError_t error, const char* function, uint64_t pc, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// Work of a device failed: the next function that waits, or launches, returns it.
void work_failed(cudaError_t error);
cudaError_t state_of_work();

// --- memory
Range* range_at(const void* address);  // the range with this byte, or null; it may be released
Origin& origin_of(const Range& range);
Range* all_ranges(uint64_t* count);
bool allocate(void** memory, uint64_t size, const Origin& origin);
bool add_range(void* memory, uint64_t size, const Origin& origin, bool readonly);
void remove_range(Range* range);  // it is memory of the host again
void release(Range* range, uint64_t pc);
uint64_t allocated(int device);

// The memory pool of a device: bytes that it has from the device, and those of them that are in use.
struct MemoryPool {
    uint64_t reserved, used, threshold;
    uint64_t idle() const { return reserved - used; }
    void trim(uint64_t keep) { reserved = reserved < keep ? reserved : used < keep ? keep : used; }
};
MemoryPool& pool_of(int device);

}  // namespace accel_sim

#define ACCEL_SIM_CALLER __builtin_return_address(0)
#define ACCEL_SIM_CALL(needs) const accel_sim::Call call(__func__, ACCEL_SIM_CALLER, accel_sim::Needs::needs)
// What functions of the runtime and of the driver begin with.
#define RUNTIME_CALL()                \
    ACCEL_SIM_CALL(CONTEXT_IS_MADE);  \
    if (call.refused) return accel_sim::failed(call.refused)
#define DRIVER_CALL()         \
    ACCEL_SIM_CALL(CONTEXT);  \
    if (call.refused) return CUresult(call.refused)
// A function with one value, which may use the call.
#define RUNTIME(name, parameters, ...) cudaError_t name parameters { RUNTIME_CALL(); return __VA_ARGS__; }
#define DRIVER(name, parameters, ...) CUresult name parameters { DRIVER_CALL(); return CUresult(__VA_ARGS__); }
