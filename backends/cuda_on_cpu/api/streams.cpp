// Streams, events, and functions of the host that streams call.
#include "schedule.h"

namespace accel_sim {

struct Event {
    Event* next;
    int device;
    bool timed;
    Mark* mark;  // of its last record; null before
};

namespace {

Event* events;  // that were created and not destroyed

Event* event_for(const Call& call, const void* handle) {
    for (Event* each = events; each; each = each->next)
        if (each == handle) return each;
    misused(cudaErrorInvalidResourceHandle, call, "there is no event %p; it was destroyed, or never created", handle);
    return nullptr;
}

// An event in a capture has no state. To ask for it makes the capture invalid.
bool captured(const Event& event) {
    if (!event.mark || !event.mark->captured) return false;
    if (Capture* capture = capture_of(event.mark->captured)) refuse_question(*capture);
    return true;
}
bool reached(const Event& event) { return !event.mark || event.mark->reached; }
cudaError_t state_of(int device) { return is_lost(device) ? cudaErrorIllegalAddress : state_of_work(); }

cudaError_t created(cudaEvent_t* place, unsigned flags) {
    Event* event = (Event*)zeros(sizeof(Event));
    *event = {events, context().device, !(flags & cudaEventDisableTiming), nullptr};
    *place = (cudaEvent_t)(events = event);
    return cudaSuccess;
}

// What waits for an event that is destroyed still waits.
cudaError_t destroyed(const Call& call, cudaEvent_t handle) {
    Event* event = event_for(call, handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    Event** place = &events;
    while (*place != event) place = &(*place)->next;
    *place = event->next;
    let_go(event->mark);
    free(event);
    return cudaSuccess;
}

cudaError_t recorded(const Call& call, cudaEvent_t handle, const void* on) {
    Event* event = event_for(call, handle);
    Stream* stream = event ? stream_for(call, on) : nullptr;
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (event->device != stream->device)
        return misused(cudaErrorInvalidResourceHandle, call, "the event is of device %d, and the stream of device %d",
                       event->device, stream->device);
    Mark* before = event->mark;
    event->mark = record(*stream, call);
    let_go(before);
    return cudaSuccess;
}

cudaError_t query(const Call& call, cudaEvent_t handle) {
    Event* event = event_for(call, handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    if (is_lost(event->device)) return cudaErrorIllegalAddress;
    if (captured(*event)) return failed(cudaErrorCapturedEvent);
    if (const cudaError_t error = refuse_unsafe()) return error;
    poll();
    return reached(*event) ? state_of(event->device) : cudaErrorNotReady;
}

cudaError_t waited_for(const Call& call, cudaEvent_t handle) {
    Event* event = event_for(call, handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    if (captured(*event)) return failed(cudaErrorCapturedEvent);
    if (const cudaError_t error = refuse_unsafe()) return error;
    const int device = event->device;
    if (event->mark) finish_mark(event->mark);
    return state_of(device);
}

cudaError_t time_between(const Call& call, float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    Event *first = event_for(call, begin), *last = first ? event_for(call, end) : nullptr;
    if (!last) return cudaErrorInvalidResourceHandle;
    if (!first->mark || !last->mark) return misused(cudaErrorInvalidResourceHandle, call, "an event was not recorded");
    if (!first->timed || !last->timed || first->device != last->device)
        return misused(cudaErrorInvalidResourceHandle, call, "an event has no times, or is of another device");
    if (!reached(*first) || !reached(*last)) return cudaErrorNotReady;
    *milliseconds = float(1e-6 * double(int64_t(last->mark->time - first->mark->time)));
    return cudaSuccess;
}

// An event that was never recorded is no reason to wait. While a stream is captured, it can wait only for captured work;
// another wait ends the capture.
cudaError_t ordered_after(const Call& call, const void* handle, cudaEvent_t event) {
    const Event* before = event_for(call, event);
    Stream* stream = before ? stream_for(call, handle) : nullptr;
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!before->mark) return cudaSuccess;
    if (stream->capture && before->mark->captured != stream->capture->number) {
        stream->capture->spoiled = true;
        return failed(before->mark->captured ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation);
    }
    if (before->mark->captured && !capture_of(before->mark->captured)) return failed(cudaErrorCapturedEvent);
    return submit_wait(*stream, call, before->mark);
}

cudaError_t created(cudaStream_t* place, unsigned flags, int priority) {
    *place = (cudaStream_t)create_stream(!(flags & cudaStreamNonBlocking), priority)->handle;
    return cudaSuccess;
}

cudaError_t destroyed(const Call& call, cudaStream_t handle) {
    Stream* stream = stream_for(call, handle);
    if (!stream || uintptr_t(handle) <= uintptr_t(cudaStreamPerThread)) return failed(cudaErrorInvalidResourceHandle);
    if (stream->capture) return refuse_question(*stream->capture);
    destroy_stream(*stream);
    return cudaSuccess;
}

// While a stream is captured, the host can neither ask for its state nor wait for it; trying to do so ends the capture.
cudaError_t refusal(Stream* stream) {
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (stream->capture) return refuse_question(*stream->capture);
    if (const cudaError_t error = refuse_unsafe()) return error;
    return is_lost(stream->device) ? cudaErrorIllegalAddress : cudaSuccess;
}

cudaError_t finished(const Call& call, const void* handle) {
    Stream* stream = stream_for(call, handle);
    if (cudaError_t error = refusal(stream)) return error;
    const int device = stream->device;
    finish(*stream);
    return state_of(device);
}

cudaError_t is_done(const Call& call, const void* handle) {
    Stream* stream = stream_for(call, handle);
    if (cudaError_t error = refusal(stream)) return error;
    poll();
    return idle(*stream) ? state_of(stream->device) : cudaErrorNotReady;
}

struct HostCall : Work {
    cudaHostFn_t function_of_host;
    cudaStreamCallback_t callback;
    cudaStream_t stream;
    void* data;
};

void call_back(void* work) {
    const auto& call = *(HostCall*)work;
    if (call.callback) call.callback(call.stream, cudaSuccess, call.data);
    else call.function_of_host(call.data);
}

cudaError_t called(const Call& call, cudaStream_t handle, cudaHostFn_t function, cudaStreamCallback_t callback, void* data) {
    Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    HostCall* work = work_of<HostCall>(call, [](Work& work) { call_host(call_back, &work); });
    work->function_of_host = function, work->callback = callback, work->stream = handle, work->data = data;
    return submit(*stream, work);
}

}  // namespace

}  // namespace accel_sim

using namespace accel_sim;

RUNTIME(cudaStreamCreate, (cudaStream_t* stream), created(stream, cudaStreamDefault, 0))
RUNTIME(cudaStreamCreateWithFlags, (cudaStream_t* stream, unsigned flags), created(stream, flags, 0))
RUNTIME(cudaStreamCreateWithPriority, (cudaStream_t* stream, unsigned flags, int priority),
        created(stream, flags, priority))
RUNTIME(cudaStreamDestroy, (cudaStream_t stream), destroyed(call, stream))
RUNTIME(cudaStreamSynchronize, (cudaStream_t stream), finished(call, stream))
RUNTIME(cudaStreamQuery, (cudaStream_t stream), is_done(call, stream))
RUNTIME(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned), ordered_after(call, stream, event))
cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    RUNTIME_CALL();
    const Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *flags = stream->blocking ? cudaStreamDefault : cudaStreamNonBlocking;
    return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    RUNTIME_CALL();
    const Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    *priority = stream->priority;
    return cudaSuccess;
}
RUNTIME(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned),
        called(call, stream, nullptr, function, data))
RUNTIME(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void* data),
        called(call, stream, function, nullptr, data))

RUNTIME(cudaEventCreate, (cudaEvent_t* event), created(event, cudaEventDefault))
RUNTIME(cudaEventCreate, (cudaEvent_t* event, unsigned flags), created(event, flags))
RUNTIME(cudaEventCreateWithFlags, (cudaEvent_t* event, unsigned flags), created(event, flags))
RUNTIME(cudaEventDestroy, (cudaEvent_t event), destroyed(call, event))
RUNTIME(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), recorded(call, event, stream))
RUNTIME(cudaEventQuery, (cudaEvent_t event), query(call, event))
RUNTIME(cudaEventSynchronize, (cudaEvent_t event), waited_for(call, event))
RUNTIME(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t begin, cudaEvent_t end),
        time_between(call, milliseconds, begin, end))

// --- the driver's names; its flags have the same numbers
DRIVER(cuStreamCreate, (CUstream* stream, unsigned flags), created(stream, flags, 0))
DRIVER(cuStreamCreateWithPriority, (CUstream* stream, unsigned flags, int priority), created(stream, flags, priority))
DRIVER(cuStreamDestroy, (CUstream stream), destroyed(call, stream))
DRIVER(cuStreamSynchronize, (CUstream stream), finished(call, stream))
DRIVER(cuStreamQuery, (CUstream stream), is_done(call, stream))
DRIVER(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned), ordered_after(call, stream, event))
DRIVER(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void* data),
       called(call, stream, function, nullptr, data))
DRIVER(cuEventCreate, (CUevent* event, unsigned flags), created(event, flags))
DRIVER(cuEventDestroy, (CUevent event), destroyed(call, event))
DRIVER(cuEventRecord, (CUevent event, CUstream stream), recorded(call, event, stream))
DRIVER(cuEventQuery, (CUevent event), query(call, event))
DRIVER(cuEventSynchronize, (CUevent event), waited_for(call, event))
DRIVER(cuEventElapsedTime, (float* milliseconds, CUevent begin, CUevent end),
       time_between(call, milliseconds, begin, end))
