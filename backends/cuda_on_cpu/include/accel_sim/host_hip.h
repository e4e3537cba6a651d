// HIP's names of the runtime API that are not CUDA's with another beginning; `hip_names.py` makes these.
#pragma once

#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttribute_t cudaDeviceAttr
#define hipDeviceProp_t cudaDeviceProp
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostMallocWriteCombined cudaHostAllocWriteCombined
#define hipHostMalloc cudaMallocHost
#define hipHostFree cudaFreeHost
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipFuncCache_t cudaFuncCache
#define hipSharedMemConfig_t cudaSharedMemConfig
#define hipLimit_t cudaLimit
#define hipMemoryAdvise_t cudaMemoryAdvise
#define hipPointerAttribute_t cudaPointerAttributes
#define HIP_SYMBOL(symbol) symbol
#define HIP_KERNEL_NAME(...) __VA_ARGS__

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
    ACCEL_SIM_LAUNCH((grid, block, shared, stream), kernel)(__VA_ARGS__)
