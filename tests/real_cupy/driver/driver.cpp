// The rest of the driver's interface: contexts, and functions that the runtime has too.
#include <dlfcn.h>

#include <string>

#include "machine.h"

using namespace fake;

namespace {

int contexts[MOST_DEVICES];  // only their addresses are used

CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(&contexts[device]); }

// Errors of the runtime and of the driver have the same numbers.
CUresult as_driver(cudaError_t status) { return static_cast<CUresult>(status); }

}  // namespace

API CUresult cuInit(unsigned) { return settings.devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE; }

API CUresult cuDriverGetVersion(int* version) { return as_driver(cudaDriverGetVersion(version)); }

API CUresult cuDeviceGetCount(int* found) {
    *found = settings.devices;
    return CUDA_SUCCESS;
}

API CUresult cuDeviceGet(CUdevice* device, int index) {
    *device = index;
    return index < settings.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute asked, CUdevice device) {
    return as_driver(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(asked), device));
}

API CUresult cuCtxGetCurrent(CUcontext* context) {
    *context = has_context() ? context_of(current_device()) : nullptr;
    return CUDA_SUCCESS;
}

API CUresult cuCtxSetCurrent(CUcontext context) {
    if (context) bind_context(static_cast<int>(reinterpret_cast<int*>(context) - contexts));
    else unbind_context();
    return CUDA_SUCCESS;
}

API CUresult cuCtxGetDevice(CUdevice* device) {
    *device = current_device();
    return has_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    *context = context_of(device);
    return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
