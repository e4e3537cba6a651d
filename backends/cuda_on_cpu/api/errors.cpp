// The errors of the API: each thread of the program has its last one. Those of the driver have the same numbers.
#include <stdarg.h>
#include <stdio.h>

#include "api.h"

namespace accel_sim {

namespace {

thread_local cudaError_t last = cudaSuccess;
cudaError_t of_work = cudaSuccess;

struct Named {
    int error;
    const char *name, *driver_name, *text;
};

#define NAMED(name, driver_name, text) {name, #name, "CUDA_" driver_name, text}
const Named names[] = {
    NAMED(cudaSuccess, "SUCCESS", "no error"),
    NAMED(cudaErrorInvalidValue, "ERROR_INVALID_VALUE", "invalid argument"),
    NAMED(cudaErrorMemoryAllocation, "ERROR_OUT_OF_MEMORY", "out of memory"),
    NAMED(cudaErrorInitializationError, "ERROR_NOT_INITIALIZED", "initialization error"),
    NAMED(cudaErrorInvalidConfiguration, "ERROR_UNKNOWN", "invalid configuration argument"),
    NAMED(cudaErrorInvalidPitchValue, "ERROR_UNKNOWN", "invalid pitch argument"),
    NAMED(cudaErrorInvalidSymbol, "ERROR_UNKNOWN", "invalid device symbol"),
    NAMED(cudaErrorInvalidDevicePointer, "ERROR_UNKNOWN", "invalid device pointer"),
    NAMED(cudaErrorInvalidMemcpyDirection, "ERROR_UNKNOWN", "invalid copy direction for memcpy"),
    NAMED(cudaErrorInvalidDeviceFunction, "ERROR_UNKNOWN", "invalid device function"),
    NAMED(cudaErrorNoDevice, "ERROR_NO_DEVICE", "no CUDA-capable device is detected"),
    NAMED(cudaErrorInvalidDevice, "ERROR_INVALID_DEVICE", "invalid device ordinal"),
    NAMED(cudaErrorInvalidKernelImage, "ERROR_INVALID_IMAGE", "device kernel image is invalid"),
    NAMED(cudaErrorDeviceUninitialized, "ERROR_INVALID_CONTEXT", "invalid device context"),
    NAMED(cudaErrorUnsupportedLimit, "ERROR_UNSUPPORTED_LIMIT", "limit is not supported on this architecture"),
    NAMED(cudaErrorInvalidResourceHandle, "ERROR_INVALID_HANDLE", "invalid resource handle"),
    NAMED(cudaErrorIllegalState, "ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"),
    NAMED(cudaErrorSymbolNotFound, "ERROR_NOT_FOUND", "named symbol not match"),
    NAMED(cudaErrorNotReady, "ERROR_NOT_READY", "device not ready"),
    NAMED(cudaErrorIllegalAddress, "ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
    NAMED(cudaErrorLaunchOutOfResources, "ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"),
    NAMED(cudaErrorLaunchTimeout, "ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"),
    NAMED(cudaErrorPeerAccessAlreadyEnabled, "ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"),
    NAMED(cudaErrorAssert, "ERROR_ASSERT", "device-side assert triggered"),
    NAMED(cudaErrorMisalignedAddress, "ERROR_MISALIGNED_ADDRESS", "misaligned address"),
    NAMED(cudaErrorLaunchFailure, "ERROR_LAUNCH_FAILED", "unspecified launch failure"),
    NAMED(cudaErrorCooperativeLaunchTooLarge, "ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"),
    NAMED(cudaErrorNotPermitted, "ERROR_NOT_PERMITTED", "operation not permitted"),
    NAMED(cudaErrorNotSupported, "ERROR_NOT_SUPPORTED", "operation not supported"),
    NAMED(cudaErrorStreamCaptureUnsupported, "ERROR_STREAM_CAPTURE_UNSUPPORTED",
          "operation not permitted when stream is capturing"),
    NAMED(cudaErrorStreamCaptureInvalidated, "ERROR_STREAM_CAPTURE_INVALIDATED",
          "operation failed due to a previous error during capture"),
    NAMED(cudaErrorStreamCaptureMerge, "ERROR_STREAM_CAPTURE_MERGE", "operation would result in a merge of separate capture sequences"),
    NAMED(cudaErrorStreamCaptureImplicit, "ERROR_STREAM_CAPTURE_IMPLICIT",
          "operation would make the legacy stream depend on a capturing blocking stream"),
    NAMED(cudaErrorStreamCaptureWrongThread, "ERROR_STREAM_CAPTURE_WRONG_THREAD",
          "attempt to terminate a thread-local capture sequence from another thread"),
    NAMED(cudaErrorStreamCaptureIsolation, "ERROR_STREAM_CAPTURE_ISOLATION",
          "dependency created on uncaptured work in another stream"),
    NAMED(cudaErrorCapturedEvent, "ERROR_CAPTURED_EVENT", "operation not permitted on an event last recorded in a capturing stream"),
};

const Named* named(int error) {
    for (const Named& one : names)
        if (one.error == error) return &one;
    return nullptr;
}

void say(const char* function, uint64_t pc, const char* format, va_list values) {
    char what[400];
    vsnprintf(what, sizeof what, format, values);
    if (host.misused) host.misused(function, what, pc);
}

}  // namespace

cudaError_t failed(cudaError_t error) { return last = error; }

cudaError_t misused(cudaError_t error, const Call& call, const char* format, ...) {
    va_list values;
    va_start(values, format);
    say(call.function, uint64_t(call.pc), format, values);
    va_end(values);
    return failed(error);
}

cudaError_t misused_at(cudaError_t error, const char* function, uint64_t pc, const char* format, ...) {
    va_list values;
    va_start(values, format);
    say(function, pc, format, values);
    va_end(values);
    return error;
}

void work_failed(cudaError_t error) {
    if (error) of_work = error;
}

cudaError_t state_of_work() { return of_work; }

}  // namespace accel_sim

using namespace accel_sim;

cudaError_t cudaPeekAtLastError() { return last ? last : of_work; }

cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    last = of_work = cudaSuccess;
    return error;
}

const char* cudaGetErrorString(cudaError_t error) {
    const Named* match = named(error);
    return match ? match->text : "unrecognized error code";
}

const char* cudaGetErrorName(cudaError_t error) {
    const Named* match = named(error);
    return match ? match->name : "unrecognized error code";
}

CUresult cuGetErrorString(CUresult error, const char** text) {
    *text = cudaGetErrorString(cudaError_t(error));
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
    const Named* match = named(error);
    *name = match ? match->driver_name : "CUDA_ERROR_UNKNOWN";
    return CUDA_SUCCESS;
}
