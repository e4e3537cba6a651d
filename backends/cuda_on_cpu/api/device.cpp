// What devices are asked for: each has the limits of a large GPU, and few processors. Access between them.
#include <stdio.h>
#include <string.h>

#include "schedule.h"

using namespace accel_sim;

namespace {

// Of the kinds of limits; what the heap has until it is set, is a setting. Only the heap is limited.
constexpr unsigned LIMITS = 7;
constexpr size_t SMALLEST_HEAP = 64 << 10;
size_t limits[LIMITS] = {STACK / 2, 1 << 20, 0, 2, 2048, 128, 0};

cudaError_t get_limit(const Call& call, size_t* value, cudaLimit limit) {
    if (unsigned(limit) >= LIMITS) return misused(cudaErrorUnsupportedLimit, call, "there is no limit %d", int(limit));
    *value = limit == cudaLimitMallocHeapSize ? heap_size() : limits[limit];
    return cudaSuccess;
}

cudaError_t set_limit(const Call& call, cudaLimit limit, size_t value) {
    if (unsigned(limit) >= LIMITS) return misused(cudaErrorUnsupportedLimit, call, "there is no limit %d", int(limit));
    if (limit == cudaLimitMallocHeapSize) {
        finish_all();  // launches that wait have the limit of their submission
        if (const uint64_t used = used_of_heap())
            return misused(cudaErrorInvalidValue, call,
                           "kernels use %llu bytes of the heap; set its size before the first kernel that allocates",
                           (unsigned long long)used);
        if (value > host.memory)
            return misused(cudaErrorMemoryAllocation, call,
                           "%llu bytes for the heap of kernels; the device has %llu: set ACCEL_SIM_MEMORY for more",
                           (unsigned long long)value, (unsigned long long)host.memory);
        value = value < SMALLEST_HEAP ? SMALLEST_HEAP : value;
    }
    limits[limit] = value;
    return cudaSuccess;
}

constexpr int PROCESSORS = 8, KILOHERTZ = 1000000;
#if ACCEL_SIM_OF_NVIDIA
constexpr int VERSION = CUDART_VERSION;
#else
constexpr int VERSION = 12060;
#endif

constexpr uint64_t THREADS_OF_PROCESSOR = 2048, BLOCKS_OF_PROCESSOR = 32, RESERVED_SHARED = 1024;

bool peers[MOST_DEVICES][MOST_DEVICES];

cudaDeviceProp properties() {
    cudaDeviceProp all = {};
    strcpy(all.name, "accel simulated GPU");
#if !ACCEL_SIM_OF_NVIDIA  // HIP, and what CUDA 13 has no more
    strcpy(all.gcnArchName, "gfx90a");
    all.clockRate = all.memoryClockRate = KILOHERTZ;
    all.deviceOverlap = 1, all.singleToDoublePrecisionPerfRatio = 2;
#endif
    all.totalGlobalMem = host.memory;
    all.sharedMemPerBlock = SHARED_BYTES, all.sharedMemPerBlockOptin = MOST_SHARED_BYTES;
    all.sharedMemPerMultiprocessor = MOST_SHARED_BYTES + RESERVED_SHARED, all.reservedSharedMemPerBlock = RESERVED_SHARED;
    all.regsPerBlock = all.regsPerMultiprocessor = 65536;
    all.warpSize = int(host.warp_size);
    all.memPitch = 0x7FFFFFFF;
    all.maxThreadsPerBlock = all.maxThreadsDim[0] = all.maxThreadsDim[1] = 1024, all.maxThreadsDim[2] = 64;
    all.maxGridSize[0] = MOST_BLOCKS_X, all.maxGridSize[1] = all.maxGridSize[2] = MOST_BLOCKS_YZ;
    all.memoryBusWidth = 256;
    all.totalConstMem = 64 << 10;
    all.major = 9, all.minor = 0;
    all.textureAlignment = all.texturePitchAlignment = all.surfaceAlignment = 512;
    all.maxTexture1D = all.maxTexture2D[0] = all.maxTexture2D[1] = 65536;
    all.asyncEngineCount = all.concurrentKernels = all.streamPrioritiesSupported = 1;
    all.multiProcessorCount = PROCESSORS;
    all.canMapHostMemory = all.unifiedAddressing = all.managedMemory = all.concurrentManagedAccess = 1;
    all.cooperativeLaunch = all.memoryPoolsSupported = all.globalL1CacheSupported = all.localL1CacheSupported = 1;
    all.l2CacheSize = 4 << 20;
    all.maxThreadsPerMultiProcessor = THREADS_OF_PROCESSOR, all.maxBlocksPerMultiProcessor = BLOCKS_OF_PROCESSOR;
    all.pageableMemoryAccess = settings.reaches_pageable;
    return all;
}

bool attribute(cudaDeviceAttr which, int* value) {
    const cudaDeviceProp all = properties();
    switch (which) {
        case cudaDevAttrMaxThreadsPerBlock: return *value = all.maxThreadsPerBlock, true;
        case cudaDevAttrMaxBlockDimX:
        case cudaDevAttrMaxBlockDimY:
        case cudaDevAttrMaxBlockDimZ: return *value = all.maxThreadsDim[which - cudaDevAttrMaxBlockDimX], true;
        case cudaDevAttrMaxGridDimX:
        case cudaDevAttrMaxGridDimY:
        case cudaDevAttrMaxGridDimZ: return *value = all.maxGridSize[which - cudaDevAttrMaxGridDimX], true;
        case cudaDevAttrMaxSharedMemoryPerBlock: return *value = int(all.sharedMemPerBlock), true;
        case cudaDevAttrTotalConstantMemory: return *value = int(all.totalConstMem), true;
        case cudaDevAttrWarpSize: return *value = all.warpSize, true;
        case cudaDevAttrMaxPitch: return *value = int(all.memPitch), true;
        case cudaDevAttrMaxRegistersPerBlock:
        case cudaDevAttrMaxRegistersPerMultiprocessor: return *value = all.regsPerBlock, true;
        case cudaDevAttrClockRate:
        case cudaDevAttrMemoryClockRate: return *value = KILOHERTZ, true;
        case cudaDevAttrTextureAlignment: return *value = int(all.textureAlignment), true;
        case cudaDevAttrMultiProcessorCount: return *value = all.multiProcessorCount, true;
        case cudaDevAttrGlobalMemoryBusWidth: return *value = all.memoryBusWidth, true;
        case cudaDevAttrL2CacheSize: return *value = all.l2CacheSize, true;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return *value = all.maxThreadsPerMultiProcessor, true;
        case cudaDevAttrComputeCapabilityMajor: return *value = all.major, true;
        case cudaDevAttrComputeCapabilityMinor: return *value = all.minor, true;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return *value = int(all.sharedMemPerMultiprocessor), true;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return *value = int(all.sharedMemPerBlockOptin), true;
        case cudaDevAttrMaxBlocksPerMultiprocessor: return *value = all.maxBlocksPerMultiProcessor, true;
        case cudaDevAttrReservedSharedMemoryPerBlock: return *value = int(all.reservedSharedMemPerBlock), true;
        case cudaDevAttrGpuOverlap:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrConcurrentKernels:
        case cudaDevAttrAsyncEngineCount:
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrStreamPrioritiesSupported:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrConcurrentManagedAccess:
        case cudaDevAttrCooperativeLaunch:
        case cudaDevAttrMemoryPoolsSupported: return *value = 1, true;
        case cudaDevAttrKernelExecTimeout:
        case cudaDevAttrIntegrated:
        case cudaDevAttrComputeMode:
        case cudaDevAttrEccEnabled:
        case cudaDevAttrIsMultiGpuBoard: return *value = 0, true;
        case cudaDevAttrPageableMemoryAccess: return *value = settings.reaches_pageable, true;
#if ACCEL_SIM_OF_NVIDIA
        default: return *value = 0, true;  // such as the extents of textures
#else
        default: return false;
#endif
    }
}

}  // namespace

uint64_t accel_sim::heap_size() { return limits[cudaLimitMallocHeapSize] ? limits[cudaLimitMallocHeapSize] : host.heap; }

uint64_t accel_sim::resident_blocks(uint64_t threads, uint64_t dynamic_shared) {
    const uint64_t lanes = (threads + host.warp_size - 1) / host.warp_size * host.warp_size;
    const uint64_t by_threads = lanes ? THREADS_OF_PROCESSOR / lanes : 0;
    const uint64_t by_shared = (MOST_SHARED_BYTES + RESERVED_SHARED) / (dynamic_shared + RESERVED_SHARED);
    const uint64_t each = by_threads < by_shared ? by_threads : by_shared;
    return PROCESSORS * (each < BLOCKS_OF_PROCESSOR ? each : BLOCKS_OF_PROCESSOR);
}

cudaError_t accel_sim_resident_blocks(int* blocks, int threads, size_t shared) {
    *blocks = threads > 0 && threads <= int(MOST_THREADS) ? int(resident_blocks(uint64_t(threads), shared)) / PROCESSORS : 0;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned* flags) { return *flags = cudaDeviceScheduleAuto, cudaSuccess; }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return *device = 0, cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* all, int device) {
    ACCEL_SIM_CALL(NOTHING);
    if (!exists(device)) return misused(cudaErrorInvalidDevice, call, "there is no device %d", device);
    *all = properties();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
    ACCEL_SIM_CALL(NOTHING);
    if (!exists(device)) return misused(cudaErrorInvalidDevice, call, "there is no device %d", device);
    if (!attribute(which, value)) return misused(cudaErrorInvalidValue, call, "attribute %d is not simulated", int(which));
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
    snprintf(text, size_t(size), "0000:%02x:00.0", unsigned(device));
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    RUNTIME_CALL();
    return set_limit(call, limit, value);
}
RUNTIME(cudaDeviceGetLimit, (size_t* value, cudaLimit limit), get_limit(call, value, limit))
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (!exists(device) || !exists(peer)) return failed(cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    RUNTIME_CALL();
    if (!exists(peer) || peer == context().device) return failed(cudaErrorInvalidDevice);
    bool& enabled = peers[context().device][peer];
    if (enabled) return failed(cudaErrorPeerAccessAlreadyEnabled);
    enabled = true;
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    RUNTIME_CALL();
    if (!exists(peer) || peer == context().device) return failed(cudaErrorInvalidDevice);
    peers[context().device][peer] = false;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return *version = VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = VERSION, cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    DRIVER_CALL();
    return CUresult(set_limit(call, cudaLimit(limit), value));
}
DRIVER(cuCtxGetLimit, (size_t* value, CUlimit limit), get_limit(call, value, cudaLimit(limit)))

CUresult cuDriverGetVersion(int* version) { return *version = VERSION, CUDA_SUCCESS; }

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
    snprintf(name, size_t(size), "%s", properties().name);
    return exists(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    *bytes = host.memory;
    return exists(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
    return CUresult(cudaDeviceGetAttribute(value, cudaDeviceAttr(which), device));
}
