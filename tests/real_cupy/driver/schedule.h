// Streams of work that run late, in an order drawn from a seed, or at once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace fake {

// One lock for the whole machine. Kernels run under it, so there is one at a time.
extern std::recursive_mutex machine;
using Lock = std::lock_guard<std::recursive_mutex>;

// A point in a stream; events and waits refer to it. A captured one is in no stream's work, and is never reached.
struct Mark {
    bool reached = false;
    bool captured = false;
    double milliseconds = 0;
};
using MarkOf = std::shared_ptr<Mark>;

struct Operation {
    std::function<void()> run;
    std::vector<MarkOf> waits_for;
    MarkOf reaches;
};

struct Stream {
    uintptr_t handle;
    int device;
    bool blocking;  // it waits for the legacy default stream of its device, and is waited for by it
    bool capturing = false;
    bool spoiled = false;  // the capture is over, because something was called that cannot be captured
    std::deque<Operation> work = {};
};
using StreamOf = std::shared_ptr<Stream>;

// Streams by their handles. A destroyed stream has none, and its work still runs.
StreamOf create_stream(bool blocking);
void destroy_stream(uintptr_t handle);
StreamOf stream_of(const void* handle);  // null for a handle that no stream has

// Work of streams that are captured is kept in the order in which it came, for a graph. There is one capture at a time.
using Work = std::vector<std::function<void()>>;
Work end_capture();

void submit(const StreamOf& stream, std::function<void()> run);
void submit_wait(const StreamOf& stream, MarkOf mark);
MarkOf record(const StreamOf& stream);

// Another thread's question moves a late device on by at most one operation, at random.
void poll();
void run_until(const std::function<bool()>& over);
void finish(const StreamOf& stream);
void finish_device(int device);
void drop_work(int device);

uint64_t draw();

}  // namespace fake
