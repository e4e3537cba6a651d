// The names of errors, as both interfaces give them.
#include "machine.h"

namespace {

struct Named {
    int error;
    const char* name;
};

#define NAMED(error) {error, #error}

constexpr Named RUNTIME[] = {
    NAMED(cudaSuccess), NAMED(cudaErrorInvalidValue), NAMED(cudaErrorMemoryAllocation),
    NAMED(cudaErrorInvalidPitchValue), NAMED(cudaErrorNoDevice), NAMED(cudaErrorInvalidDevice),
    NAMED(cudaErrorInvalidResourceHandle), NAMED(cudaErrorIllegalState), NAMED(cudaErrorNotReady),
    NAMED(cudaErrorIllegalAddress), NAMED(cudaErrorPeerAccessAlreadyEnabled), NAMED(cudaErrorNotSupported),
    NAMED(cudaErrorStreamCaptureUnsupported), NAMED(cudaErrorStreamCaptureInvalidated),
    NAMED(cudaErrorCapturedEvent),
};

constexpr Named DRIVER[] = {
    NAMED(CUDA_SUCCESS), NAMED(CUDA_ERROR_INVALID_VALUE), NAMED(CUDA_ERROR_NO_DEVICE),
    NAMED(CUDA_ERROR_INVALID_DEVICE), NAMED(CUDA_ERROR_INVALID_IMAGE), NAMED(CUDA_ERROR_INVALID_CONTEXT),
    NAMED(CUDA_ERROR_INVALID_HANDLE), NAMED(CUDA_ERROR_NOT_FOUND), NAMED(CUDA_ERROR_ILLEGAL_ADDRESS),
    NAMED(CUDA_ERROR_NOT_SUPPORTED),
};

template <size_t N>
const char* name_of(const Named (&table)[N], int error, const char* otherwise) {
    for (const auto& each : table)
        if (each.error == error) return each.name;
    return otherwise;
}

constexpr char WORDS[] = "in the words of the fake driver";

}  // namespace

API const char* cudaGetErrorName(cudaError_t error) { return name_of(RUNTIME, error, "cudaErrorUnknown"); }

API const char* cudaGetErrorString(cudaError_t) { return WORDS; }

API cudaError_t cudaGetLastError() { return cudaSuccess; }

API CUresult cuGetErrorName(CUresult error, const char** name) {
    *name = name_of(DRIVER, error, "CUDA_ERROR_UNKNOWN");
    return CUDA_SUCCESS;
}

API CUresult cuGetErrorString(CUresult, const char** words) {
    *words = WORDS;
    return CUDA_SUCCESS;
}
