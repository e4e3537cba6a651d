// The device that programs ask for: one, with the limits of a large GPU and few processors.
#include <stdio.h>
#include <string.h>

#include "../include/accel_sim/host_api.h"
#include "api.h"

using namespace accel_sim;

namespace {

constexpr int PROCESSORS = 8, SHARED = 48 << 10, SHARED_MOST = 227 << 10, KILOHERTZ = 1000000, VERSION = 12060;

cudaDeviceProp properties() {
    cudaDeviceProp made = {};
    strcpy(made.name, "accel simulated GPU");
    strcpy(made.gcnArchName, "gfx90a");
    made.totalGlobalMem = host.memory;
    made.sharedMemPerBlock = SHARED, made.sharedMemPerBlockOptin = SHARED_MOST;
    made.sharedMemPerMultiprocessor = SHARED_MOST + 1024, made.reservedSharedMemPerBlock = 1024;
    made.regsPerBlock = made.regsPerMultiprocessor = 65536;
    made.warpSize = int(host.warp_size);
    made.memPitch = 0x7FFFFFFF;
    made.maxThreadsPerBlock = made.maxThreadsDim[0] = made.maxThreadsDim[1] = 1024, made.maxThreadsDim[2] = 64;
    made.maxGridSize[0] = 0x7FFFFFFF, made.maxGridSize[1] = made.maxGridSize[2] = 65535;
    made.clockRate = made.memoryClockRate = KILOHERTZ, made.memoryBusWidth = 256;
    made.totalConstMem = 64 << 10;
    made.major = 9, made.minor = 0;
    made.textureAlignment = made.texturePitchAlignment = made.surfaceAlignment = 512;
    made.maxTexture1D = made.maxTexture2D[0] = made.maxTexture2D[1] = 65536;
    made.deviceOverlap = made.asyncEngineCount = made.concurrentKernels = made.streamPrioritiesSupported = 1;
    made.multiProcessorCount = PROCESSORS;
    made.canMapHostMemory = made.unifiedAddressing = made.managedMemory = made.concurrentManagedAccess = 1;
    made.cooperativeLaunch = made.memoryPoolsSupported = made.globalL1CacheSupported = made.localL1CacheSupported = 1;
    made.l2CacheSize = 4 << 20;
    made.maxThreadsPerMultiProcessor = 2048, made.maxBlocksPerMultiProcessor = 32;
    made.singleToDoublePrecisionPerfRatio = 2;
    return made;
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
        case cudaDevAttrMemoryClockRate: return *value = all.clockRate, true;
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
        case cudaDevAttrIsMultiGpuBoard:
        case cudaDevAttrPageableMemoryAccess: return *value = 0, true;
    }
    return false;
}

cudaError_t only_device(int device, const char* function, void* pc) {
    return device ? misused(cudaErrorInvalidDevice, function, pc, "there is no device %d, only 0", device) : cudaSuccess;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return only_device(device, "cudaSetDevice", ACCEL_SIM_CALLER); }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned* flags) { return *flags = cudaDeviceScheduleAuto, cudaSuccess; }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return *device = 0, cudaSuccess; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* made, int device) {
    *made = properties();
    return only_device(device, "cudaGetDeviceProperties", ACCEL_SIM_CALLER);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
    if (!attribute(which, value))
        return misused(cudaErrorNotSupported, "cudaDeviceGetAttribute", ACCEL_SIM_CALLER,
                       "attribute %d is not simulated", int(which));
    return only_device(device, "cudaDeviceGetAttribute", ACCEL_SIM_CALLER);
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int) {
    snprintf(text, size_t(size), "0000:00:00.0");
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaPeekAtLastError(); }
cudaError_t cudaThreadSynchronize() { return cudaPeekAtLastError(); }
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    *value = limit == cudaLimitStackSize ? STACK / 2 : limit == cudaLimitMallocHeapSize ? 8 << 20 : 0;
    return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { return *can = 0, cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return failed(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return failed(cudaErrorInvalidDevice); }
cudaError_t cudaDriverGetVersion(int* version) { return *version = VERSION, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = VERSION, cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
