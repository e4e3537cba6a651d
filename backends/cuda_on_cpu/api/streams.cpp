// Streams and events of the API. Work is done when it is given, so all are complete.
#include <stdlib.h>

#include "../include/accel_sim/host_api.h"
#include "api.h"

using namespace accel_sim;

struct CUstream_st {
    unsigned flags;
    int priority;
};

struct CUevent_st {
    uint64_t time;  // nanoseconds
    bool recorded;
};

namespace {

template <typename T>
cudaError_t made(T** place) {
    *place = (T*)calloc(1, sizeof(T));
    return *place ? cudaSuccess : failed(cudaErrorMemoryAllocation);
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return made(stream); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return made(stream); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) { return made(stream); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (stream != cudaStreamLegacy && stream != cudaStreamPerThread) free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaPeekAtLastError(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned) {
    function(stream, cudaSuccess, data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    function(data);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return made(event); }
cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned) { return made(event); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return made(event); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    if (!event) return misused(cudaErrorInvalidResourceHandle, "cudaEventRecord", ACCEL_SIM_CALLER, "the event is null");
    event->time = now(), event->recorded = true;
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaPeekAtLastError(); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    if (!begin || !end || !begin->recorded || !end->recorded)
        return misused(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime", ACCEL_SIM_CALLER,
                       "an event was not recorded");
    *milliseconds = float(1e-6 * double(int64_t(end->time - begin->time)));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    free(event);
    return cudaSuccess;
}
