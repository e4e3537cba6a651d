// The settings, the lock of the machine, and the device and context that are current in each thread.
#include <stdio.h>

#include "schedule.h"

namespace accel_sim {

namespace {

__thread Context current;
__thread int chosen;  // the device of the last cudaSetDevice of this thread; it is current where no context is
bool lost[MOST_DEVICES];
bool primary[MOST_DEVICES];  // whether a device has its primary context, which takes its memory for as long as the process lives

}  // namespace

Host host;
Settings settings = {1, false, true, false, false, false, false};

Context& context() { return current; }
bool exists(int device) { return device >= 0 && device < settings.devices; }
bool is_lost(int device) { return lost[device]; }
bool has_context(int device) { return primary[device]; }

void bind(int device) {
    current = {device, true};
    primary[device] = true;
}

void lose(int device) {
    lost[device] = true;
    drop_work(device);
}

Call::Call(const char* function, void* pc, Needs needs) : function(function), pc(pc), refused(cudaSuccess) {
    entered(function, pc);
    pthread_mutex_lock(&machine_lock);
    if (in_host_function()) {
        refused = misused(cudaErrorNotPermitted, *this, "a function that a stream calls on the host must not use CUDA");
    } else if (needs == Needs::CONTEXT && !current.bound) {
        refused = misused(cudaErrorDeviceUninitialized, *this,
                          "this thread has no context; call cuCtxCreate or cudaSetDevice first");
    } else if (needs != Needs::NOTHING) {
        if (!current.bound) bind(current.device);
        refused = is_lost(current.device) ? cudaErrorIllegalAddress : cudaSuccess;
    }
}

Call::~Call() { pthread_mutex_unlock(&machine_lock); }

}  // namespace accel_sim

using namespace accel_sim;

namespace {

int contexts[MOST_DEVICES];  // only their addresses are used
CUcontext context_of(int device) { return (CUcontext)&contexts[device]; }

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
    *count = settings.devices;
    return settings.devices ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDevice(int* device) {
    ACCEL_SIM_CALL(NOTHING);
    *device = context().device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    ACCEL_SIM_CALL(NOTHING);
    if (!exists(device))
        return misused(cudaErrorInvalidDevice, call, "there is no device %d, only %d", device, settings.devices);
    chosen = device;
    bind(device);  // since CUDA 12; before, the next call made the context
    return is_lost(device) ? cudaErrorIllegalAddress : cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    RUNTIME_CALL();
    if (const cudaError_t error = refuse_of_device(context().device)) return error;
    finish_device(context().device);
    return is_lost(context().device) ? cudaErrorIllegalAddress : state_of_work();
}

cudaError_t cudaDeviceReset() {
    RUNTIME_CALL();
    finish_all();
    reset_heap();
    return cudaSuccess;
}

CUresult cuInit(unsigned) { return settings.devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE; }

CUresult cuDeviceGetCount(int* count) {
    *count = settings.devices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int index) {
    *device = index;
    return exists(index) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* created, CUdevice device) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    primary[device] = true;
    *created = context_of(device);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

CUresult cuCtxGetCurrent(CUcontext* now) {
    *now = context().bound ? context_of(context().device) : nullptr;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext wanted) {
    context() = wanted ? Context{int((int*)wanted - contexts), true} : Context{chosen, false};
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
    *device = context().device;
    return context().bound ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSynchronize() {
    DRIVER_CALL();
    if (const cudaError_t error = refuse_of_device(context().device)) return CUresult(error);
    finish_device(context().device);
    return CUresult(is_lost(context().device) ? cudaErrorIllegalAddress : state_of_work());
}

#if !ACCEL_SIM_OF_NVIDIA  // whose newest headers do not have the first, and other parameters of the second
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
CUresult cuCtxCreate(CUcontext* created, unsigned, CUdevice device) {
    if (!exists(device)) return CUDA_ERROR_INVALID_DEVICE;
    return cuCtxSetCurrent(*created = context_of(device));
}
CUresult cuCtxDestroy(CUcontext) {
    cudaDeviceReset();
    return cuCtxSetCurrent(nullptr);
}
#endif
