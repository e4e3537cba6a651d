// The functions of the API that allocate and release memory.
#include <string.h>

#include "schedule.h"

using namespace accel_sim;

namespace {

constexpr size_t PITCH = 512;

cudaError_t allocated_by(const Call& call, void** memory, size_t size, MemoryKind kind, bool pooled = false) {
    if (!memory) return misused(cudaErrorInvalidValue, call, "the place for the address is null");
    *memory = nullptr;
    const Origin origin = {call.function, uint64_t(call.pc), 0, kind, context().device, pooled};
    if (!size || allocate(memory, size, origin)) return cudaSuccess;
    const uint64_t used = allocated(context().device) + (pooled ? 0 : pool_of(context().device).idle());
    if (kind == MemoryKind::PINNED || size <= host.memory - used)
        return misused(cudaErrorMemoryAllocation, call, "%zu bytes, for which the host has no room", size);
    return misused(cudaErrorMemoryAllocation, call,
                   "%zu bytes; %llu of the %llu bytes of the device are free: set sim_memory, as by the environment variable "
                   "ACCEL_SIM_MEMORY=%llu", size, (unsigned long long)(host.memory - used),
                   (unsigned long long)host.memory, (unsigned long long)(used + size));
}

// It may wait for work of the device.
cudaError_t allocated_at_once(const Call& call, void** memory, size_t size, MemoryKind kind) {
    if (const cudaError_t error = refuse_unsafe()) return error;
    return allocated_by(call, memory, size, kind);
}

// The memory that a function is to release; null, with the error, if it cannot.
Range* released_by(const char* function, uint64_t pc, void* memory, cudaError_t& error) {
    Range* range = range_at(memory);
    error = cudaSuccess;
    if (!range)
        error = misused_at(cudaErrorInvalidValue, function, pc, "%p is not memory of the device", memory);
    else if (range->released)
        error = misused_at(cudaErrorInvalidValue, function, pc, "%p was released before", memory);
    else if (range->begin != uint64_t(memory))
        error = misused_at(cudaErrorInvalidValue, function, pc, "%p is %llu bytes inside of an allocation", memory,
                           (unsigned long long)(uint64_t(memory) - range->begin));
    return error ? nullptr : range;
}

// As on a GPU, this waits for the device.
cudaError_t released(const Call& call, void* memory) {
    if (!memory) return cudaSuccess;
    cudaError_t error;
    if ((error = refuse_unsafe())) return error;
    Range* range = released_by(call.function, uint64_t(call.pc), memory, error);
    if (!range) return failed(error);
    if (origin_of(*range).kind == MemoryKind::DEVICE) finish_device(origin_of(*range).device);
    else finish_all();
    if ((range = released_by(call.function, uint64_t(call.pc), memory, error))) release(range, uint64_t(call.pc));
    return error ? failed(error) : cudaSuccess;
}

struct Freeing : Work {
    void* memory;
};

void release_now(Work& work) {
    cudaError_t error;
    if (Range* range = released_by(work.function, work.pc, ((Freeing&)work).memory, error)) release(range, work.pc);
    work_failed(error);
}

cudaError_t released_in_order(const Call& call, void* memory, const void* handle) {
    Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!memory) return cudaSuccess;
    cudaError_t error;
    if (!released_by(call.function, uint64_t(call.pc), memory, error)) return failed(error);
    Freeing* work = work_of<Freeing>(call, release_now);
    work->memory = memory;
    return submit(*stream, work);
}

void available(size_t* free, size_t* total) {
    if (total) *total = host.memory;
    if (free) *free = host.memory - allocated(context().device) - pool_of(context().device).idle();
}

}  // namespace

RUNTIME(cudaMalloc, (void** memory, size_t size), allocated_at_once(call, memory, size, MemoryKind::DEVICE))
cudaError_t cudaMallocAsync(void** memory, size_t size, cudaStream_t stream) {
    RUNTIME_CALL();
    if (!stream_for(call, stream)) return cudaErrorInvalidResourceHandle;
    return allocated_by(call, memory, size, MemoryKind::DEVICE, true);
}
RUNTIME(cudaMallocManaged, (void** memory, size_t size, unsigned),
        allocated_at_once(call, memory, size, MemoryKind::MANAGED))
RUNTIME(cudaHostAlloc, (void** memory, size_t size, unsigned), allocated_at_once(call, memory, size, MemoryKind::PINNED))
#if ACCEL_SIM_OF_NVIDIA
cudaError_t cudaMallocHost(void** memory, size_t size) {
#else
cudaError_t cudaMallocHost(void** memory, size_t size, unsigned) {
#endif
    RUNTIME_CALL();
    return allocated_at_once(call, memory, size, MemoryKind::PINNED);
}
cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
    RUNTIME_CALL();
    *pitch = (width + PITCH - 1) & ~(PITCH - 1);
    return allocated_at_once(call, memory, *pitch * height, MemoryKind::DEVICE);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent) {
    RUNTIME_CALL();
    *memory = {nullptr, (extent.width + PITCH - 1) & ~(PITCH - 1), extent.width, extent.height};
    return allocated_at_once(call, &memory->ptr, memory->pitch * extent.height * extent.depth, MemoryKind::DEVICE);
}

RUNTIME(cudaFree, (void* memory), released(call, memory))
RUNTIME(cudaFreeHost, (void* memory), released(call, memory))
RUNTIME(cudaFreeAsync, (void* memory, cudaStream_t stream), released_in_order(call, memory, stream))

cudaError_t cudaHostRegister(void* memory, size_t size, unsigned) {
    RUNTIME_CALL();
    if (const cudaError_t error = refuse_unsafe()) return error;
    const Origin origin = {call.function, uint64_t(call.pc), 0, MemoryKind::PINNED, context().device};
    return add_range(memory, size, origin, false) ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void* memory) {
    RUNTIME_CALL();
    Range* range = range_at(memory);
    if (!range || strcmp(origin_of(*range).function, "cudaHostRegister"))
        return misused(cudaErrorInvalidValue, call, "%p is not registered", memory);
    finish_all();
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

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    RUNTIME_CALL();
    available(free, total);
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
    RUNTIME_CALL();
    void* memory = const_cast<void*>(address);
    Range* range = range_at(memory);
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->devicePointer = settings.reaches_pageable ? memory : nullptr, attributes->hostPointer = memory;
    if (!range || range->released) return cudaSuccess;
    const Origin& origin = origin_of(*range);
    const bool of_device = origin.kind == MemoryKind::DEVICE || origin.kind == MemoryKind::VARIABLE;
    attributes->type = of_device                             ? cudaMemoryTypeDevice
                       : origin.kind == MemoryKind::MANAGED ? cudaMemoryTypeManaged
                                                             : cudaMemoryTypeHost;
    attributes->device = origin.device, attributes->devicePointer = memory;
    if (of_device) attributes->hostPointer = nullptr;
    return cudaSuccess;
}

#if !ACCEL_SIM_OF_NVIDIA  // whose newest headers have other parameters
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
#endif
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }

DRIVER(cuMemAlloc, (CUdeviceptr* memory, size_t size), allocated_at_once(call, (void**)memory, size, MemoryKind::DEVICE))
DRIVER(cuMemAllocManaged, (CUdeviceptr* memory, size_t size, unsigned),
       allocated_at_once(call, (void**)memory, size, MemoryKind::MANAGED))
CUresult cuMemAllocPitch(CUdeviceptr* memory, size_t* pitch, size_t width, size_t height, unsigned) {
    DRIVER_CALL();
    *pitch = (width + PITCH - 1) & ~(PITCH - 1);
    return CUresult(allocated_at_once(call, (void**)memory, *pitch * height, MemoryKind::DEVICE));
}
DRIVER(cuMemAllocHost, (void** memory, size_t size), allocated_at_once(call, memory, size, MemoryKind::PINNED))
DRIVER(cuMemHostAlloc, (void** memory, size_t size, unsigned), allocated_at_once(call, memory, size, MemoryKind::PINNED))
CUresult cuMemAllocAsync(CUdeviceptr* memory, size_t size, CUstream stream) {
    DRIVER_CALL();
    if (!stream_for(call, stream)) return CUDA_ERROR_INVALID_HANDLE;
    return CUresult(allocated_by(call, (void**)memory, size, MemoryKind::DEVICE));
}
DRIVER(cuMemFree, (CUdeviceptr memory), released(call, (void*)memory))
DRIVER(cuMemFreeHost, (void* memory), released(call, memory))
DRIVER(cuMemFreeAsync, (CUdeviceptr memory, CUstream stream), released_in_order(call, (void*)memory, stream))
CUresult cuMemGetInfo(size_t* free, size_t* total) {
    DRIVER_CALL();
    available(free, total);
    return CUDA_SUCCESS;
}

#if ACCEL_SIM_OF_NVIDIA
namespace {

int device_of(cudaMemPool_t pool) { return int(uintptr_t(pool)) - 1; }

cudaError_t pool_at(const Call& call, cudaMemPool_t* pool, int device) {
    if (!exists(device)) return misused(cudaErrorInvalidDevice, call, "there is no device %d", device);
    *pool = cudaMemPool_t(uintptr_t(device) + 1);
    return cudaSuccess;
}

// The pool with a handle; null, and reported, if there is none.
MemoryPool* pool_with(const Call& call, cudaMemPool_t handle) {
    if (exists(device_of(handle))) return &pool_of(device_of(handle));
    misused(cudaErrorInvalidValue, call, "%p is not a memory pool", (void*)handle);
    return nullptr;
}

}  // namespace

// Each device has one pool.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    ACCEL_SIM_CALL(NOTHING);
    return pool_at(call, pool, device);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    ACCEL_SIM_CALL(NOTHING);
    return pool_at(call, pool, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    ACCEL_SIM_CALL(NOTHING);
    if (exists(device) && device_of(pool) == device) return cudaSuccess;
    return misused(cudaErrorInvalidValue, call, "%p is not the memory pool of device %d", (void*)pool, device);
}

cudaError_t cudaMallocFromPoolAsync(void** memory, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    RUNTIME_CALL();
    if (!pool_with(call, pool)) return cudaErrorInvalidValue;
    if (device_of(pool) != context().device)
        return misused(cudaErrorNotSupported, call, "memory of the pool of another device is not simulated");
    if (!stream_for(call, stream)) return cudaErrorInvalidResourceHandle;
    return allocated_by(call, memory, size, MemoryKind::DEVICE, true);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
    ACCEL_SIM_CALL(NOTHING);
    MemoryPool* pool = pool_with(call, handle);
    if (!pool) return cudaErrorInvalidValue;
    pool->trim(keep);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which, void* value) {
    ACCEL_SIM_CALL(NOTHING);
    const MemoryPool* pool = pool_with(call, handle);
    if (!pool) return cudaErrorInvalidValue;
    switch (which) {
        case cudaMemPoolAttrReleaseThreshold: return *(uint64_t*)value = pool->threshold, cudaSuccess;
        case cudaMemPoolAttrReservedMemCurrent: return *(uint64_t*)value = pool->reserved, cudaSuccess;
        case cudaMemPoolAttrUsedMemCurrent: return *(uint64_t*)value = pool->used, cudaSuccess;
        default: return misused(cudaErrorNotSupported, call, "attribute %d of memory pools is not simulated", int(which));
    }
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which, void* value) {
    ACCEL_SIM_CALL(NOTHING);
    MemoryPool* pool = pool_with(call, handle);
    if (!pool) return cudaErrorInvalidValue;
    if (which != cudaMemPoolAttrReleaseThreshold)
        return misused(cudaErrorNotSupported, call, "attribute %d of memory pools is not simulated", int(which));
    pool->threshold = *(uint64_t*)value;
    return cudaSuccess;
}
#endif
