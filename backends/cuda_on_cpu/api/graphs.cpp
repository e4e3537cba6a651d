// Capture of streams into graphs, and launches of graphs, whose nodes run one after the other.
#include "schedule.h"

namespace accel_sim {

namespace {

struct Graph {
    unsigned users;
    Work* nodes;
};

Graph* graph_of(const void* handle) { return (Graph*)const_cast<void*>(handle); }

void let_go(Graph* graph) {
    if (--graph->users) return;
    while (Work* node = graph->nodes) {
        graph->nodes = node->next;
        drop(node);
    }
    free(graph);
}

struct Replay : Work {
    Graph* graph;
    Work* node;
};

void replay_now(Work& work) {
    Work& node = *((Replay&)work).node;
    node.run(node);
}

void end_replay(Work& work) { let_go(((Replay&)work).graph); }

}  // namespace

}  // namespace accel_sim

using namespace accel_sim;

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    RUNTIME_CALL();
    Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!handle || handle == cudaStreamLegacy)
        return misused(cudaErrorStreamCaptureUnsupported, call, "the default stream cannot be captured");
    if (stream->capture) return failed(cudaErrorIllegalState);
    begin_capture(*stream, mode);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
    RUNTIME_CALL();
    Stream* stream = stream_for(call, handle);
    Capture* capture = stream ? stream->capture : nullptr;
    if (!capture) return failed(cudaErrorIllegalState);
    if (capture->mode != cudaStreamCaptureModeRelaxed && !pthread_equal(capture->thread, pthread_self()))
        return failed(cudaErrorStreamCaptureWrongThread);
    for (Stream* each = all_streams(); each; each = each->next)
        if (each->capture == capture) each->capture = nullptr;
    const bool spoiled = capture->spoiled;
    Graph* captured = (Graph*)zeros(sizeof(Graph));
    *captured = {1, end_capture(capture)};
    if (spoiled) let_go(captured);
    *graph = spoiled ? nullptr : (cudaGraph_t)captured;
    return spoiled ? failed(cudaErrorStreamCaptureInvalidated) : cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
    ACCEL_SIM_CALL(NOTHING);
    const Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *status = !stream->capture           ? cudaStreamCaptureStatusNone
              : stream->capture->spoiled ? cudaStreamCaptureStatusInvalidated
                                         : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    ACCEL_SIM_CALL(NOTHING);
    let_go(graph_of(graph));
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
    ACCEL_SIM_CALL(NOTHING);
    ++graph_of(graph)->users;
    *executable = (cudaGraphExec_t)graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    ACCEL_SIM_CALL(NOTHING);
    let_go(graph_of(graph));
    return cudaSuccess;
}

#if !ACCEL_SIM_OF_NVIDIA  // of older headers
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
    return cudaGraphInstantiate(executable, graph);
}
#endif

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t on) {
    RUNTIME_CALL();
    Stream* stream = stream_for(call, on);
    if (!stream) return cudaErrorInvalidResourceHandle;
    Graph* graph = graph_of(handle);
    for (Work* node = graph->nodes; node; node = node->next) {
        Replay* work = work_of<Replay>(call, replay_now, end_replay);
        work->function = node->function;
        work->graph = graph, work->node = node;
        ++graph->users;
        if (const cudaError_t error = submit(*stream, work)) return error;
    }
    return state_of_work();
}
