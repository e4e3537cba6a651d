// Streams and their capture. A call may be about a stream of another device than the current one.
#include "machine.h"

using namespace fake;

namespace {

StreamOf find(cudaStream_t stream) { return stream_of(stream); }

// While a stream is captured, the host can neither ask for its state nor wait for it; trying to do so ends the capture.
cudaError_t state_of(const StreamOf& stream) {
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!stream->capturing) return is_lost(stream->device) ? cudaErrorIllegalAddress : cudaSuccess;
    stream->spoiled = true;
    return cudaErrorStreamCaptureUnsupported;
}

cudaError_t create(cudaStream_t* stream, bool blocking) {
    *stream = reinterpret_cast<cudaStream_t>(create_stream(blocking)->handle);
    return cudaSuccess;
}

}  // namespace

API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    RUNTIME_CALL();
    return create(stream, true);
}

API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    RUNTIME_CALL();
    return create(stream, !(flags & cudaStreamNonBlocking));
}

API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    RUNTIME_CALL();
    return create(stream, !(flags & cudaStreamNonBlocking));
}

API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RUNTIME_CALL();
    auto found = find(stream);
    if (!found || reinterpret_cast<uintptr_t>(stream) <= 2) return cudaErrorInvalidResourceHandle;
    destroy_stream(found->handle);
    return cudaSuccess;
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RUNTIME_CALL();
    auto found = find(stream);
    auto state = state_of(found);
    if (state != cudaSuccess) return state;
    finish(found);
    return state_of(found);
}

API cudaError_t cudaStreamQuery(cudaStream_t stream) {
    RUNTIME_CALL();
    auto found = find(stream);
    auto state = state_of(found);
    if (state != cudaSuccess) return state;
    poll();
    return found->work.empty() ? cudaSuccess : cudaErrorNotReady;
}

API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    auto found = find(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    *flags = found->blocking ? cudaStreamDefault : cudaStreamNonBlocking;
    return cudaSuccess;
}

API cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
    *priority = 0;
    return cudaSuccess;
}

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    RUNTIME_CALL();
    auto found = find(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (reinterpret_cast<uintptr_t>(stream) <= 1) return cudaErrorStreamCaptureUnsupported;
    if (found->capturing) return cudaErrorIllegalState;
    found->capturing = true;
    found->spoiled = false;
    return cudaSuccess;
}

API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    RUNTIME_CALL();
    auto found = find(stream);
    if (!found || !found->capturing) return cudaErrorIllegalState;
    end_capture();
    *graph = reinterpret_cast<cudaGraph_t>(0x1);  // there are no graphs: it can be destroyed, and no more
    return found->spoiled ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

API cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    Lock lock(machine);
    auto found = find(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    *status = !found->capturing  ? cudaStreamCaptureStatusNone
              : found->spoiled   ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}
