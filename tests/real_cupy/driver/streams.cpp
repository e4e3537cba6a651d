// Streams. A call may be about a stream of another device than the current one.
#include "machine.h"

using namespace fake;

namespace {

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
    auto found = stream_of(stream);
    if (!found || reinterpret_cast<uintptr_t>(stream) <= 2) return cudaErrorInvalidResourceHandle;
    destroy_stream(found->handle);
    return cudaSuccess;
}

API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RUNTIME_CALL();
    auto found = stream_of(stream);
    auto state = state_of(found);
    if (state != cudaSuccess) return state;
    finish(found);
    return state_of(found);
}

API cudaError_t cudaStreamQuery(cudaStream_t stream) {
    RUNTIME_CALL();
    auto found = stream_of(stream);
    auto state = state_of(found);
    if (state != cudaSuccess) return state;
    poll();
    return found->work.empty() ? cudaSuccess : cudaErrorNotReady;
}

API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    auto found = stream_of(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    *flags = found->blocking ? cudaStreamDefault : cudaStreamNonBlocking;
    return cudaSuccess;
}

API cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
    *priority = 0;
    return cudaSuccess;
}
