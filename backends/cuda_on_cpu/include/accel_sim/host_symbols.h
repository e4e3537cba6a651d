// The parts of the runtime API that are templates: typed memory, variables of the device, and functions as arguments.
#pragma once
#include "host_launch.h"

#define ACCEL_SIM_INLINE __attribute__((always_inline)) inline

// --- memory: the call in the program is the one that reports name
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMalloc(T** memory, size_t size) {
    return cudaMalloc((void**)memory, size);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMallocAsync(T** memory, size_t size, cudaStream_t stream) {
    return cudaMallocAsync((void**)memory, size, stream);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMallocManaged(T** memory, size_t size, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void**)memory, size, flags);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMallocHost(T** memory, size_t size, unsigned flags = 0) {
    return cudaMallocHost((void**)memory, size, flags);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaHostAlloc(T** memory, size_t size, unsigned flags) {
    return cudaHostAlloc((void**)memory, size, flags);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMallocPitch(T** memory, size_t* pitch, size_t width, size_t height) {
    return cudaMallocPitch((void**)memory, pitch, width, height);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
    return cudaHostGetDevicePointer((void**)device, host, flags);
}

// --- variables of the device
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size, size_t offset = 0,
                                                cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpy((char*)&symbol + offset, from, size, kind);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size, size_t offset,
                                                     cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return cudaMemcpyAsync((char*)&symbol + offset, from, size, kind, stream);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0,
                                                  cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpy(to, (const char*)&symbol + offset, size, kind);
}
template <typename T>
ACCEL_SIM_INLINE cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size, size_t offset,
                                                       cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    return cudaMemcpyAsync(to, (const char*)&symbol + offset, size, kind, stream);
}
template <typename T, typename P>
cudaError_t cudaGetSymbolAddress(P** address, const T& symbol) {
    return *address = (P*)&symbol, cudaSuccess;
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t* size, const T&) {
    return *size = sizeof(T), cudaSuccess;
}

// --- functions
namespace accel_sim_host {

template <typename... P>
cudaError_t start_function(void (*function)(P...), dim3 grid, dim3 block, void** arguments, size_t shared,
                           cudaStream_t stream, bool cooperative) {
    void* all[sizeof...(P) + 1] = {(void*)&function};
    for (size_t i = 0; i < sizeof...(P); ++i) all[i + 1] = arguments[i];
    return start<Entry<void (*)(P...), P...>>({grid, block, shared, stream}, "kernel", all, cooperative);
}

}  // namespace accel_sim_host

template <typename... P>
cudaError_t cudaLaunchKernel(void (*function)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr) {
    return accel_sim_host::start_function(function, grid, block, arguments, shared, stream, false);
}
template <typename... P>
cudaError_t cudaLaunchCooperativeKernel(void (*function)(P...), dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, cudaStream_t stream = nullptr) {
    return accel_sim_host::start_function(function, grid, block, arguments, shared, stream, true);
}
template <typename F>
cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int) {
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache) {
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaFuncSetSharedMemConfig(F, cudaSharedMemConfig) {
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F) {
    *attributes = {0, 0, 0, 1024, 32, 90, 90, 0, 227 << 10, -1};
    return cudaSuccess;
}
template <typename F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F, int block, size_t shared) {
    return accel_sim_resident_blocks(blocks, block, shared);
}
template <typename F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F function, int block, size_t shared,
                                                                   unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared);
}
template <typename F>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F, size_t shared = 0, int limit = 0) {
    *block = limit > 0 && limit < 256 ? limit : 256;
    int processors;
    const cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    accel_sim_resident_blocks(grid, *block, shared);
    *grid *= processors;
    return error;
}
template <typename S, typename F>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F function, S, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSize(grid, block, function, 0, limit);
}
