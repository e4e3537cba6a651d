// The functions of CUDA's driver API for devices, contexts, memory, streams and events; a program has its kernels by launches of
// the runtime API. Errors and flags have the numbers of the runtime API.
#pragma once
#include "host_api.h"

enum CUresult : int {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999,
};

using CUdevice = int;
using CUdevice_attribute = cudaDeviceAttr;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = cudaStream_t;
using CUevent = cudaEvent_t;
using CUhostFn = cudaHostFn_t;

enum CUlimit {
    CU_LIMIT_STACK_SIZE,
    CU_LIMIT_PRINTF_FIFO_SIZE,
    CU_LIMIT_MALLOC_HEAP_SIZE,
    CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
    CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
    CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
    CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
};

enum : unsigned {
    CU_STREAM_DEFAULT = 0,
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DEFAULT = 0,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_MEM_ATTACH_GLOBAL = 1,
};

#pragma GCC visibility push(default)

CUresult cuGetErrorString(CUresult error, const char** text);
CUresult cuGetErrorName(CUresult error, const char** name);

// --- devices and contexts
CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int* version);
CUresult cuDeviceGetCount(int* count);
CUresult cuDeviceGet(CUdevice* device, int index);
CUresult cuDeviceGetName(char* name, int size, CUdevice device);
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device);
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext* context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetDevice(CUdevice* device);
CUresult cuCtxSynchronize();
CUresult cuCtxSetLimit(CUlimit limit, size_t value);
CUresult cuCtxGetLimit(size_t* value, CUlimit limit);

// --- memory
CUresult cuMemAlloc(CUdeviceptr* memory, size_t size);
CUresult cuMemAllocManaged(CUdeviceptr* memory, size_t size, unsigned flags);
CUresult cuMemAllocPitch(CUdeviceptr* memory, size_t* pitch, size_t width, size_t height, unsigned element);
CUresult cuMemAllocHost(void** memory, size_t size);
CUresult cuMemHostAlloc(void** memory, size_t size, unsigned flags);
CUresult cuMemAllocAsync(CUdeviceptr* memory, size_t size, CUstream stream);
CUresult cuMemFree(CUdeviceptr memory);
CUresult cuMemFreeHost(void* memory);
CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream);
CUresult cuMemGetInfo(size_t* available, size_t* total);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t size);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t size, CUstream stream);
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr memory, unsigned char value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD16(CUdeviceptr memory, unsigned short value, size_t count);
CUresult cuMemsetD16Async(CUdeviceptr memory, unsigned short value, size_t count, CUstream stream);
CUresult cuMemsetD32(CUdeviceptr memory, unsigned value, size_t count);
CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned value, size_t count, CUstream stream);

// --- streams and events
CUresult cuStreamCreate(CUstream* stream, unsigned flags);
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags);
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data);
CUresult cuEventCreate(CUevent* event, unsigned flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventQuery(CUevent event);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end);

#pragma GCC visibility pop
