// The host side of whole programs: the memory of their device, and its API. A program's process calls
// `accel_sim_host_begin` before `main`. Programs may call the API from several threads: `host_lock` guards all of it, also
// for the time of a launch, so the table of ranges does not change under a kernel.
#pragma once
#include <pthread.h>

#include "../include/accel_sim/host_types.h"
#include "../machine/worker.h"

namespace accel_sim {

// Where memory of the device comes from, for reports.
struct Origin {
    const char* function;  // of the API, or the name of a variable of the module
    uint64_t pc;           // of its call, or 0
    uint64_t released_pc;  // of the call that released it, or 0
};

// What the process knows of the program. Plain C, as in launch.h.
struct Host {
    const Shared* shared_variables;
    uint64_t shared_count, shared_size;
    void* (*shared_begin)(void);
    uint64_t code_begin, code_end;
    uint64_t memory;  // bytes that the program can allocate
    uint64_t seed;
    double limit;
    void (*finished)(const Launch* launch, const char* kernel, uint64_t pc);  // called after a launch with findings
    void (*misused)(const char* function, const char* what, uint64_t pc);     // called for a wrong use of the API
    uint32_t warp_size, checks, workers, padding;
};

extern Host host;
extern pthread_mutex_t host_lock;

// Remembers an error for cudaGetLastError, and returns it.
cudaError_t failed(cudaError_t error);
// Reports a wrong use of the API; the message is formatted as by printf.
cudaError_t misused(cudaError_t error, const char* function, void* pc, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// The memory of the device. The lock is held.
Range* range_at(const void* address);  // the range with this byte, or null; it may be released
Origin& origin_of(const Range& range);
Range* all_ranges(uint64_t* count);
bool allocate(void** memory, uint64_t size, const char* function, void* pc, bool tracked);
bool add_range(void* memory, uint64_t size, const char* function, void* pc, bool readonly);
void remove_range(Range* range);   // it is memory of the host again
void release(Range* range, void* pc);
uint64_t allocated();

}  // namespace accel_sim

#define ACCEL_SIM_CALLER __builtin_return_address(0)

#pragma GCC visibility push(default)
extern "C" {
void accel_sim_host_begin(const accel_sim::Host* host);
// Registers a variable of the module.
void accel_sim_host_variable(void* address, uint64_t size, const char* name, uint32_t readonly);
// The owner of a range of a launch.
const accel_sim::Origin* accel_sim_host_owner(uint64_t range);
// Launches a kernel of a program.
cudaError accel_sim_host_launch(const char* kernel, void (*entry)(void**), void** arguments, const accel_sim::Dim* grid,
                                const accel_sim::Dim* block, uint64_t shared, uint32_t cooperative);
}
#pragma GCC visibility pop
