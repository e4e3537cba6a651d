#include "schedule.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <utility>

#include "machine.h"

namespace fake {

std::recursive_mutex machine;

namespace {

constexpr double STEP = 0.01;  // simulated milliseconds of an operation
constexpr uintptr_t LEGACY = 1, PER_THREAD = 2, FIRST_HANDLE = 0x7000;

std::mt19937_64 order;
double now = 0;
std::vector<StreamOf> streams;                // all that may have work
std::map<uintptr_t, StreamOf> by_handle;      // those that were created and not destroyed
std::map<int, StreamOf> legacy;               // the default streams, by device
thread_local std::map<int, StreamOf> of_thread;
Work captured;
std::vector<uintptr_t> given_up;              // handles of destroyed streams, which the next ones get

StreamOf make(uintptr_t handle, bool blocking) {
    auto made = std::make_shared<Stream>(Stream{handle, current_device(), blocking});
    streams.push_back(made);
    return made;
}

StreamOf& found_or_made(std::map<int, StreamOf>& known, uintptr_t handle, bool blocking) {
    StreamOf& found = known[current_device()];
    if (!found) found = make(handle, blocking);
    return found;
}

bool ready(const Stream& stream) {
    if (stream.work.empty()) return false;
    const auto& waits = stream.work.front().waits_for;
    return std::all_of(waits.begin(), waits.end(), [](const MarkOf& mark) { return mark->reached; });
}

void reach(const Operation& done) {
    if (!done.reaches) return;
    done.reaches->reached = true;
    done.reaches->milliseconds = now;
}

void step(Stream& stream) {
    Operation next = std::move(stream.work.front());
    stream.work.pop_front();
    now += STEP;
    if (next.run) next.run();
    reach(next);
}

bool step_any() {
    std::vector<StreamOf> able;
    for (const auto& each : streams)
        if (ready(*each)) able.push_back(each);
    if (able.empty()) return false;
    step(*able[order() % able.size()]);
    return true;
}

void forget_destroyed() {
    auto gone = [](const StreamOf& each) { return !each->handle && each->work.empty(); };
    streams.erase(std::remove_if(streams.begin(), streams.end(), gone), streams.end());
}

// The legacy default stream of a device and its blocking streams wait for each other.
std::vector<MarkOf> implied_waits(const StreamOf& stream) {
    std::vector<MarkOf> found;
    if (!stream->blocking) return found;
    bool is_legacy = stream->handle == LEGACY;
    for (const auto& other : streams) {
        bool ordered = is_legacy ? other->blocking : other->handle == LEGACY;
        if (other == stream || !ordered || other->device != stream->device || other->work.empty()) continue;
        auto mark = std::make_shared<Mark>();
        other->work.push_back({{}, {}, mark});
        found.push_back(mark);
    }
    return found;
}

void append(const StreamOf& stream, Operation operation) {
    if (stream->capturing) {
        if (operation.run) captured.push_back(std::move(operation.run));
        return;
    }
    auto waits = implied_waits(stream);
    operation.waits_for.insert(operation.waits_for.end(), waits.begin(), waits.end());
    stream->work.push_back(std::move(operation));
    while (!settings.late && step_any()) {}
}

bool idle(int device) {
    return std::none_of(streams.begin(), streams.end(),
                        [=](const StreamOf& each) { return each->device == device && !each->work.empty(); });
}

}  // namespace

StreamOf create_stream(bool blocking) {
    static uintptr_t next = FIRST_HANDLE;
    if (given_up.empty()) given_up.push_back(next += 0x10);
    StreamOf made = make(given_up.back(), blocking);
    given_up.pop_back();
    return by_handle[made->handle] = made;
}

void destroy_stream(uintptr_t handle) {
    StreamOf gone = by_handle.at(handle);
    by_handle.erase(handle);
    given_up.push_back(handle);
    gone->handle = 0;
    forget_destroyed();
}

StreamOf stream_of(const void* pointer) {
    auto handle = reinterpret_cast<uintptr_t>(pointer);
    if (handle == PER_THREAD) return found_or_made(of_thread, PER_THREAD, true);
    if (handle <= LEGACY) return found_or_made(legacy, LEGACY, true);
    auto found = by_handle.find(handle);
    return found == by_handle.end() ? nullptr : found->second;
}

Work end_capture() {
    for (const auto& each : streams) each->capturing = false;
    return std::exchange(captured, {});
}

void submit(const StreamOf& stream, std::function<void()> run) { append(stream, {std::move(run), {}, {}}); }

void submit_wait(const StreamOf& stream, MarkOf mark) {
    if (mark->captured) stream->capturing = true;  // the capture goes on in this stream, too
    append(stream, {{}, {std::move(mark)}, {}});
}

MarkOf record(const StreamOf& stream) {
    auto mark = std::make_shared<Mark>();
    mark->captured = stream->capturing;
    append(stream, {{}, {}, mark});
    return mark;
}

void poll() {
    if (settings.late && !settings.stalled && order() % 2) step_any();
}

void run_until(const std::function<bool()>& over) {
    while (!over()) {
        if (step_any()) continue;
        fprintf(stderr, "fake CUDA: something is waited for, and nothing can run\n");
        abort();
    }
    forget_destroyed();
}

void finish(const StreamOf& stream) {
    run_until([&] { return stream->work.empty(); });
}

void finish_device(int device) {
    run_until([=] { return idle(device); });
}

void drop_work(int device) {
    for (const auto& each : streams) {
        if (each->device != device) continue;
        for (const auto& operation : each->work) reach(operation);
        each->work.clear();
    }
}

uint64_t draw() { return order(); }

void seed_order(uint64_t seed) { order.seed(seed); }

}  // namespace fake
