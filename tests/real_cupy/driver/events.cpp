// Events. Each belongs to the device that was current when it was created.
#include <unordered_map>

#include "machine.h"

using namespace fake;

namespace {

struct Event {
    int device;
    bool timed;
    MarkOf mark = nullptr;
};

std::unordered_map<uintptr_t, Event> events;
uintptr_t next_handle = 0x100000;

Event* find(cudaEvent_t event) {
    auto found = events.find(reinterpret_cast<uintptr_t>(event));
    return found == events.end() ? nullptr : &found->second;
}

bool captured(const Event& event) { return event.mark && event.mark->captured; }

bool reached(const Event& event) { return !event.mark || event.mark->reached; }

}  // namespace

API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    RUNTIME_CALL();
    next_handle += 0x10;
    events[next_handle] = Event{current_device(), !(flags & cudaEventDisableTiming)};
    *event = reinterpret_cast<cudaEvent_t>(next_handle);
    return cudaSuccess;
}

API cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

// What waits for an event that is destroyed still waits.
API cudaError_t cudaEventDestroy(cudaEvent_t event) {
    RUNTIME_CALL();
    return events.erase(reinterpret_cast<uintptr_t>(event)) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    RUNTIME_CALL();
    auto* found = find(event);
    auto on = stream_of(stream);
    if (!found || !on || found->device != on->device) return cudaErrorInvalidResourceHandle;
    found->mark = record(on);
    return cudaSuccess;
}

API cudaError_t cudaEventQuery(cudaEvent_t event) {
    RUNTIME_CALL();
    auto* found = find(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (is_lost(found->device)) return cudaErrorIllegalAddress;
    if (captured(*found)) return cudaErrorCapturedEvent;
    poll();
    return reached(*found) ? cudaSuccess : cudaErrorNotReady;
}

API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    RUNTIME_CALL();
    auto* found = find(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (captured(*found)) return cudaErrorCapturedEvent;
    auto [device, mark] = std::pair(found->device, found->mark);
    run_until([mark = mark] { return !mark || mark->reached; });
    return is_lost(device) ? cudaErrorIllegalAddress : cudaSuccess;
}

API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    RUNTIME_CALL();
    auto *first = find(start), *last = find(end);
    if (!first || !last || !first->mark || !last->mark) return cudaErrorInvalidResourceHandle;
    if (!first->timed || !last->timed || first->device != last->device) return cudaErrorInvalidResourceHandle;
    if (!reached(*first) || !reached(*last)) return cudaErrorNotReady;
    *milliseconds = static_cast<float>(last->mark->milliseconds - first->mark->milliseconds);
    return cudaSuccess;
}

// An event that was never recorded is no reason to wait.
API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    RUNTIME_CALL();
    auto* found = find(event);
    auto on = stream_of(stream);
    if (!found || !on) return cudaErrorInvalidResourceHandle;
    if (found->mark) submit_wait(on, found->mark);
    return cudaSuccess;
}
