// The errors of the API: each thread of the program has its last one.
#include <stdarg.h>
#include <stdio.h>

#include "../include/accel_sim/host_api.h"
#include "api.h"

namespace accel_sim {

namespace {

thread_local cudaError_t last = cudaSuccess;

struct Named {
    cudaError_t error;
    const char *name, *text;
};

#define NAMED(name, text) {name, #name, text}
const Named names[] = {
    NAMED(cudaSuccess, "no error"),
    NAMED(cudaErrorInvalidValue, "invalid argument"),
    NAMED(cudaErrorMemoryAllocation, "out of memory"),
    NAMED(cudaErrorInitializationError, "initialization error"),
    NAMED(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    NAMED(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    NAMED(cudaErrorInvalidSymbol, "invalid device symbol"),
    NAMED(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    NAMED(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    NAMED(cudaErrorInvalidDeviceFunction, "invalid device function"),
    NAMED(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    NAMED(cudaErrorInvalidDevice, "invalid device ordinal"),
    NAMED(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    NAMED(cudaErrorNotReady, "device not ready"),
    NAMED(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    NAMED(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    NAMED(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    NAMED(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    NAMED(cudaErrorAssert, "device-side assert triggered"),
    NAMED(cudaErrorMisalignedAddress, "misaligned address"),
    NAMED(cudaErrorLaunchFailure, "unspecified launch failure"),
    NAMED(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    NAMED(cudaErrorNotSupported, "operation not supported"),
};

const Named* named(cudaError_t error) {
    for (const Named& one : names)
        if (one.error == error) return &one;
    return nullptr;
}

}  // namespace

cudaError_t failed(cudaError_t error) { return last = error; }

cudaError_t misused(cudaError_t error, const char* function, void* pc, const char* format, ...) {
    char what[256];
    va_list values;
    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    if (host.misused) host.misused(function, what, uint64_t(pc));
    return failed(error);
}

}  // namespace accel_sim

cudaError_t cudaGetLastError() {
    const cudaError_t error = accel_sim::last;
    accel_sim::last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError() { return accel_sim::last; }

const char* cudaGetErrorString(cudaError_t error) {
    const accel_sim::Named* found = accel_sim::named(error);
    return found ? found->text : "unrecognized error code";
}

const char* cudaGetErrorName(cudaError_t error) {
    const accel_sim::Named* found = accel_sim::named(error);
    return found ? found->name : "unrecognized error code";
}
