// Streams of work, which runs at once, or late in an order drawn from a seed. The lock of the machine is held.
#pragma once
#include <stdlib.h>

#include "api.h"

namespace accel_sim {

// A point in a stream; events and waits refer to it. A captured one is in no stream's work, and is never reached.
struct Mark {
    unsigned users;
    bool reached, captured;
    uint64_t time;  // nanoseconds, when it was reached
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

struct Stream {
    Stream* next;
    uintptr_t handle;  // 0: it was destroyed, and its work still runs
    int device, priority;
    bool blocking;     // it waits for the legacy default stream of its device, and is waited for by it
    bool running;      // its first work runs, without the lock
    bool capturing;
    bool spoiled;      // the capture is over, because something was called that cannot be captured
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
void submit(Stream& stream, Work* work);
void submit_wait(Stream& stream, const Call& call, Mark* mark);
Mark* record(Stream& stream, const Call& call);  // the caller lets it go
bool idle(const Stream& stream);
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
Work* end_capture();  // what was captured, in the order in which it came

}  // namespace accel_sim
