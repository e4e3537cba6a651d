// Streams of work, which runs at once, or late in an order drawn from a seed. The lock of the machine is held.
#pragma once
#include <stdlib.h>

#include "api.h"

namespace accel_sim {

// A point in a stream; events and waits refer to it. A captured one is in no stream's work, and is never reached.
struct Mark {
    unsigned users;
    bool reached;
    uint64_t captured;  // the number of its capture; 0: it was not captured
    uint64_t time;      // nanoseconds, when it was reached
};
void let_go(Mark* mark);

struct Wait {
    Wait* next;
    Mark* mark;
};

// An operation of a stream. What has more to remember begins with a Work.
struct Work {
    Work* next;
    void (*run)(Work&);  // null: there is nothing to do
    void (*end)(Work&);  // frees what belongs to it; null: nothing does
    Wait* waits;
    Mark* reaches;
    const char* function;  // of the API that submitted it; of a launch, the kernel
    uint64_t pc;           // of that call
};

// A capture of streams, of one device or several, into a graph.
struct Capture {
    Capture* next;
    uint64_t number;
    cudaStreamCaptureMode mode;
    pthread_t thread;  // that has begun it
    bool spoiled;      // it has become invalid, because something was called that it forbids
    Work *begin, **end;
};

struct Stream {
    Stream* next;
    uintptr_t handle;  // 0: it was destroyed, and its work still runs
    int device, priority;
    bool blocking;     // it waits for the legacy default stream of its device, and is waited for by it
    bool running;      // its first work runs, without the lock
    Capture* capture;  // that has its work; null: it is done
    Work* first;
    Work** last;
};

// Allocates what is zero; there is no memory for it: the process ends.
void* zeros(size_t size);
template <typename T>
T* work_of(const Call& call, void (*run)(Work&), void (*end)(Work&) = nullptr) {
    T* work = (T*)zeros(sizeof(T));
    work->run = run, work->end = end;
    work->function = call.function, work->pc = uint64_t(call.pc);
    return work;
}
void drop(Work* work);

// --- streams by their handles
Stream* create_stream(bool blocking, int priority);
void destroy_stream(Stream& stream);
Stream* stream_of(const void* handle);  // null for a handle that no stream has
Stream* stream_for(const Call& call, const void* handle);  // the same, and reports it

// --- work
cudaError_t submit(Stream& stream, Work* work);  // refuses only what captures forbid
cudaError_t submit_wait(Stream& stream, const Call& call, Mark* mark);
Mark* record(Stream& stream, const Call& call);  // the caller lets it go
bool idle(const Stream& stream);
Stream* all_streams();
template <typename Which>
bool any_stream(Which which) {
    for (const Stream* each = all_streams(); each; each = each->next)
        if (which(*each)) return true;
    return false;
}
void finish(Stream& stream);
void finish_device(int device);
void finish_all();
void finish_mark(Mark* mark);
void poll();  // a question moves a late device on by at most one work, at random
void drop_work(int device);  // but not what runs
void seed_order(uint64_t seed);
// Runs a function of the host, without the lock; it must not call the API.
void call_host(void (*function)(void*), void* data);
bool in_host_function();

// --- captures
Capture* begin_capture(Stream& stream, cudaStreamCaptureMode mode);
Work* end_capture(Capture* capture);  // what was captured, in the order in which it came
Capture* capture_of(uint64_t number);  // null: it has ended
cudaError_t capture_work(Capture& capture, Work* work);
// What the captures that are under way forbid makes them invalid, and is an error: calls that may wait for work, as to
// allocate memory or to ask for an event; all that concerns a device with a stream that is captured; and, while a
// blocking stream of it is, the use of its legacy default stream.
cudaError_t refuse_unsafe();
cudaError_t refuse_of_device(int device);
cudaError_t refuse_implicit(int device);
cudaError_t refuse_question(Capture& capture);  // about a stream, or an event, that it has

}  // namespace accel_sim
