// The launches of a program. One runs at a time, on all workers, until it ends.
#include <stdio.h>
#include <string.h>

#include "api.h"

namespace accel_sim {

namespace {

constexpr uint64_t FINDINGS = 64, STANDINGS = 1024, THREADS = 1024, DYNAMIC = 227 << 10;

uint64_t launches;
Finding findings[FINDINGS];
Standing standings[STANDINGS];

cudaError_t error_of(uint32_t kind) {
    switch (kind) {
        case NOTHING: return cudaSuccess;
        case OUT_OF_BOUNDS:
        case RELEASED:
        case READ_ONLY:
        case INDEX_OUT_OF_BOUNDS:
        case INVALID_ADDRESS: return cudaErrorIllegalAddress;
        case MISALIGNED: return cudaErrorMisalignedAddress;
        case ASSERTION: return cudaErrorAssert;
        case TIMEOUT: return cudaErrorLaunchTimeout;
        case NO_MEMORY: return cudaErrorMemoryAllocation;
        default: return cudaErrorLaunchFailure;
    }
}

uint64_t product(const Dim& extent) { return uint64_t(extent.x) * extent.y * extent.z; }

cudaError_t checked(const char* kernel, void* pc, const Dim& grid, const Dim& block, uint64_t shared) {
    if (!product(block) || product(block) > THREADS || block.z > 64)
        return misused(cudaErrorInvalidConfiguration, kernel, pc, "a block of (%u, %u, %u) threads; 1 to %llu are possible",
                       block.x, block.y, block.z, (unsigned long long)THREADS);
    if (!product(grid) || grid.x > 0x7FFFFFFF || grid.y > 65535 || grid.z > 65535)
        return misused(cudaErrorInvalidConfiguration, kernel, pc,
                       "a grid of (%u, %u, %u) blocks; 1 to (2147483647, 65535, 65535) are possible", grid.x, grid.y,
                       grid.z);
    if (shared > DYNAMIC)
        return misused(cudaErrorInvalidValue, kernel, pc, "%llu bytes of dynamic shared memory; a block has %llu",
                       (unsigned long long)shared, (unsigned long long)DYNAMIC);
    return cudaSuccess;
}

Launch launch_of(void (*entry)(void**), void** arguments, const Dim& grid, const Dim& block, uint64_t shared) {
    Launch launch = {};
    launch.entry = entry, launch.arguments = arguments;
    launch.ranges = all_ranges(&launch.range_count);
    launch.shared_variables = host.shared_variables, launch.shared_count = host.shared_count;
    launch.shared_size = host.shared_size, launch.shared_begin = host.shared_begin;
    launch.code_begin = host.code_begin, launch.code_end = host.code_end;
    launch.seed = host.seed + 0x9E3779B97F4A7C15u * launches++, launch.limit = host.limit;
    launch.findings = findings, launch.finding_capacity = FINDINGS;
    launch.standings = standings, launch.standing_capacity = STANDINGS;
    launch.grid = grid, launch.block = block, launch.dynamic_shared = uint32_t(shared);
    launch.warp_size = host.warp_size, launch.checks = host.checks, launch.workers = host.workers;
    return launch;
}

}  // namespace

}  // namespace accel_sim

using namespace accel_sim;

cudaError accel_sim_host_launch(const char* kernel, void (*entry)(void**), void** arguments, const Dim* grid,
                                const Dim* block, uint64_t shared, uint32_t cooperative) {
    void* pc = ACCEL_SIM_CALLER;
    // The launch that runs this kernel holds the lock.
    if (on_fiber()) fail_at(uint64_t(pc), UNSUPPORTED, "kernel launches from kernels");
    Locked locked(host_lock);
    if (cudaError_t error = checked(kernel, pc, *grid, *block, shared)) return error;
    Launch launch = launch_of(entry, arguments, *grid, *block, shared);
    launch.cooperative = cooperative;
    const uint32_t kind = accel_sim_launch(&launch);
    if (launch.printed_size) fwrite(launch.printed, 1, launch.printed_size, stdout);
    if (launch.printed) accel_sim_release(launch.printed);
    if (launch.finding_count && host.finished) host.finished(&launch, kernel, uint64_t(pc));
    const cudaError_t error = error_of(kind);
    return error ? failed(error) : cudaSuccess;
}

void accel_sim_host_begin(const Host* given) { host = *given; }

void accel_sim_host_variable(void* address, uint64_t size, const char* name, uint32_t readonly) {
    Locked locked(host_lock);
    add_range(address, size, name, nullptr, readonly != 0);
}

const Origin* accel_sim_host_owner(uint64_t range) {
    uint64_t count;
    Range* ranges = all_ranges(&count);
    return range < count ? &origin_of(ranges[range]) : nullptr;
}
