// Launches of kernels, in the order of a stream. One runs at a time, on all workers, until it ends.
#include "launch.h"

#include <stdio.h>
#include <string.h>

namespace accel_sim {

namespace {

constexpr uint64_t FINDINGS = 64, STANDINGS = 1024, MOST_THREADS_Z = 64, ARGUMENT = 64;  // ARGUMENT: its alignment

uint64_t launches;
Finding findings[FINDINGS];
Standing standings[STANDINGS];

struct Launching : Work {
    Kernel kernel;
    int device;
    void** arguments;  // with their values behind
};

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
        case WRONG_FREE: return cudaErrorIllegalAddress;
        case NO_MEMORY: return cudaErrorMemoryAllocation;
        default: return cudaErrorLaunchFailure;
    }
}

uint64_t product(const Dim& extent) { return uint64_t(extent.x) * extent.y * extent.z; }

uint64_t room(uint64_t size) { return (size + ARGUMENT - 1) & ~(ARGUMENT - 1); }

// The program may change its arguments after the call.
void** copied(void* const* arguments, const uint32_t* sizes, uint32_t count) {
    uint64_t size = room(count * sizeof(void*));
    for (uint32_t i = 0; i < count; ++i) size += room(sizes[i]);
    void* memory = nullptr;
    if (posix_memalign(&memory, ARGUMENT, size)) memory = nullptr;
    if (!memory) return nullptr;
    void** copies = (void**)memory;
    char* value = (char*)memory + room(count * sizeof(void*));
    for (uint32_t i = 0; i < count; value += room(sizes[i++])) copies[i] = memcpy(value, arguments[i], sizes[i]);
    return copies;
}

Launch launch_of(const Launching& work) {
    const Kernel& kernel = work.kernel;
    Launch launch = {};
    launch.entry = kernel.entry, launch.arguments = work.arguments;
    launch.ranges = all_ranges(&launch.range_count);
    launch.segments = kernel.image->segments;
    launch.seed = host.seed + 0x9E3779B97F4A7C15u * launches++, launch.limit = host.limit;
    launch.findings = findings, launch.finding_capacity = FINDINGS;
    launch.standings = standings, launch.standing_capacity = STANDINGS;
    launch.grid = kernel.grid, launch.block = kernel.block, launch.dynamic_shared = uint32_t(kernel.shared);
    launch.warp_size = host.warp_size, launch.checks = host.checks, launch.workers = host.workers;
    launch.cooperative = kernel.cooperative;
    launch.heap_size = heap_size();
    return launch;
}

void launch_now(Work& work) {
    const auto& launching = (const Launching&)work;
    Launch launch = launch_of(launching);
    const uint32_t kind = launching.kernel.image->launch(&launch);
    if (launch.printed_size) fwrite(launch.printed, 1, launch.printed_size, stdout);
    if (launch.printed) launching.kernel.image->release(launch.printed);
    if (launch.finding_count && host.finished) host.finished(&launch, work.function, work.pc);
    const cudaError_t error = error_of(kind);
    if (settings.loses_devices && error == cudaErrorIllegalAddress) lose(launching.device);
    else work_failed(error);
}

void end_launch(Work& work) { free(((Launching&)work).arguments); }

}  // namespace

cudaError_t check_launch(const Call& call, const Kernel& kernel) {
    const Dim &grid = kernel.grid, &block = kernel.block;
    if (!product(block) || product(block) > MOST_THREADS || block.z > MOST_THREADS_Z)
        return misused(cudaErrorInvalidConfiguration, call, "a block of (%u, %u, %u) threads; 1 to %llu are possible", block.x,
                       block.y, block.z, (unsigned long long)MOST_THREADS);
    if (!product(grid) || grid.x > MOST_BLOCKS_X || grid.y > MOST_BLOCKS_YZ || grid.z > MOST_BLOCKS_YZ)
        return misused(cudaErrorInvalidConfiguration, call,
                       "a grid of (%u, %u, %u) blocks; 1 to (%u, %u, %u) are possible", grid.x, grid.y, grid.z,
                       MOST_BLOCKS_X, MOST_BLOCKS_YZ, MOST_BLOCKS_YZ);
    if (kernel.shared > MOST_SHARED_BYTES)
        return misused(cudaErrorInvalidValue, call, "%llu bytes of dynamic shared memory; a block has %llu",
                       (unsigned long long)kernel.shared, (unsigned long long)MOST_SHARED_BYTES);
    const uint64_t most = resident_blocks(product(block), kernel.shared);
    if (kernel.cooperative && product(grid) > most)
        return misused(cudaErrorCooperativeLaunchTooLarge, call,
                       "a cooperative launch of %llu blocks of %llu threads; the device runs %llu of them at once: multiply "
                       "what cudaOccupancyMaxActiveBlocksPerMultiprocessor returns by the number of multiprocessors",
                       (unsigned long long)product(grid), (unsigned long long)product(block), (unsigned long long)most);
    return cudaSuccess;
}

cudaError_t submit_launch(const Call& call, const Kernel& kernel, void* const* arguments, const uint32_t* sizes,
                          uint32_t count, const void* handle) {
    if (call.refused) return failed(call.refused);
    Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (cudaError_t error = check_launch(call, kernel)) return error;
    Launching* work = work_of<Launching>(call, launch_now, end_launch);
    work->kernel = kernel, work->device = stream->device, work->arguments = copied(arguments, sizes, count);
    if (!work->arguments) return drop(work), failed(cudaErrorMemoryAllocation);
    if (const cudaError_t error = submit(*stream, work)) return error;
    return state_of_work();
}

}  // namespace accel_sim
