// The functions of the API that allocate and release memory.
#include <string.h>
#include <unistd.h>

#include "../include/accel_sim/host_api.h"
#include "api.h"

using namespace accel_sim;

namespace {

constexpr size_t PITCH = 512;

cudaError_t allocated_by(const char* function, void* pc, void** memory, size_t size, bool tracked) {
    if (!memory) return misused(cudaErrorInvalidValue, function, pc, "the place for the address is null");
    *memory = nullptr;
    Locked locked(host_lock);
    return !size || allocate(memory, size, function, pc, tracked) ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}

cudaError_t released_by(const char* function, void* pc, void* memory) {
    if (!memory) return cudaSuccess;
    Locked locked(host_lock);
    Range* range = range_at(memory);
    if (!range)
        return misused(cudaErrorInvalidValue, function, pc, "%p is not memory of the device", memory);
    if (range->released)
        return misused(cudaErrorInvalidValue, function, pc, "%p was released before", memory);
    if (range->begin != uint64_t(memory))
        return misused(cudaErrorInvalidValue, function, pc, "%p is %llu bytes inside of an allocation", memory,
                       (unsigned long long)(uint64_t(memory) - range->begin));
    release(range, pc);
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(void** memory, size_t size) {
    return allocated_by("cudaMalloc", ACCEL_SIM_CALLER, memory, size, true);
}
cudaError_t cudaMallocAsync(void** memory, size_t size, cudaStream_t) {
    return allocated_by("cudaMallocAsync", ACCEL_SIM_CALLER, memory, size, true);
}
// The host writes to these without the API, so it is not known which bytes were written.
cudaError_t cudaMallocManaged(void** memory, size_t size, unsigned) {
    return allocated_by("cudaMallocManaged", ACCEL_SIM_CALLER, memory, size, false);
}
cudaError_t cudaMallocHost(void** memory, size_t size, unsigned) {
    return allocated_by("cudaMallocHost", ACCEL_SIM_CALLER, memory, size, false);
}
cudaError_t cudaHostAlloc(void** memory, size_t size, unsigned) {
    return allocated_by("cudaHostAlloc", ACCEL_SIM_CALLER, memory, size, false);
}
cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
    *pitch = (width + PITCH - 1) & ~(PITCH - 1);
    return allocated_by("cudaMallocPitch", ACCEL_SIM_CALLER, memory, *pitch * height, true);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
    *memory = {nullptr, (extent.width + PITCH - 1) & ~(PITCH - 1), extent.width, extent.height};
    const size_t size = memory->pitch * extent.height * extent.depth;
    return allocated_by("cudaMalloc3D", ACCEL_SIM_CALLER, &memory->ptr, size, true);
}

cudaError_t cudaFree(void* memory) { return released_by("cudaFree", ACCEL_SIM_CALLER, memory); }
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return released_by("cudaFreeAsync", ACCEL_SIM_CALLER, memory); }
cudaError_t cudaFreeHost(void* memory) { return released_by("cudaFreeHost", ACCEL_SIM_CALLER, memory); }

cudaError_t cudaHostRegister(void* memory, size_t size, unsigned) {
    Locked locked(host_lock);
    return add_range(memory, size, "cudaHostRegister", ACCEL_SIM_CALLER, false) ? cudaSuccess
                                                                               : failed(cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void* memory) {
    Locked locked(host_lock);
    Range* range = range_at(memory);
    if (!range || strcmp(origin_of(*range).function, "cudaHostRegister"))
        return misused(cudaErrorInvalidValue, "cudaHostUnregister", ACCEL_SIM_CALLER, "%p is not registered", memory);
    remove_range(range);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** device, void* memory, unsigned) {
    *device = memory;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
    Locked locked(host_lock);
    if (total) *total = host.memory;
    if (available) *available = host.memory - allocated();
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
    Locked locked(host_lock);
    Range* range = range_at(memory);
    *attributes = {cudaMemoryTypeUnregistered, 0, nullptr, (void*)memory};
    if (!range || range->released) return cudaSuccess;
    const char* function = origin_of(*range).function;
    const bool managed = !strcmp(function, "cudaMallocManaged"), pinned = strstr(function, "Host") != nullptr;
    attributes->type = managed ? cudaMemoryTypeManaged : pinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    attributes->devicePointer = (void*)memory;
    if (!managed && !pinned) attributes->hostPointer = nullptr;
    return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }
