// Capture of streams into graphs, and launches of graphs, whose nodes run one after the other.
#include "machine.h"

using namespace fake;

namespace {

Work& work_of(const void* handle) { return *static_cast<Work*>(const_cast<void*>(handle)); }

}  // namespace

API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    RUNTIME_CALL();
    auto found = stream_of(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (reinterpret_cast<uintptr_t>(stream) <= 1) return cudaErrorStreamCaptureUnsupported;
    if (found->capturing) return cudaErrorIllegalState;
    found->capturing = true;
    found->spoiled = false;
    return cudaSuccess;
}

API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    RUNTIME_CALL();
    auto found = stream_of(stream);
    if (!found || !found->capturing) return cudaErrorIllegalState;
    auto captured = end_capture();
    *graph = found->spoiled ? nullptr : reinterpret_cast<cudaGraph_t>(new Work(captured));
    return found->spoiled ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    Lock lock(machine);
    auto found = stream_of(stream);
    if (!found) return cudaErrorInvalidResourceHandle;
    *status = !found->capturing  ? cudaStreamCaptureStatusNone
              : found->spoiled   ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete &work_of(graph);
    return cudaSuccess;
}

API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
    *made = reinterpret_cast<cudaGraphExec_t>(new Work(work_of(graph)));
    return cudaSuccess;
}

API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    delete &work_of(graph);
    return cudaSuccess;
}

API cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    RUNTIME_CALL();
    auto on = stream_of(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    for (const auto& each : work_of(graph)) submit(on, each);
    return cudaSuccess;
}
