// The threads, blocks and workers of a launch, inside of the runtime.
//
// A worker is a thread of the operating system. It runs the threads of its blocks as fibers: a fiber runs until it waits
// or ends. Fibers of a block never change their worker. `here()` of a running fiber is a `Thread`.
//
// fibers.h, blocks.cpp, waiting.cpp, machine.cpp, findings.cpp, faults.cpp and printing.cpp belong to one author;
// checks*.cpp and callbacks.cpp (what -fsanitize=thread,alignment,bounds calls) to the other. The functions at the end
// are what the former call of checks.cpp.
#pragma once
#include <pthread.h>
#include <stdlib.h>

#include "launch.h"

// Of a variable of the runtime: without a call where the C library keeps room for it.
#if defined(__GLIBC__)
#define ACCEL_SIM_FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#define ACCEL_SIM_FAST_TLS
#endif

#pragma GCC visibility push(hidden)
namespace accel_sim {

struct Block;
struct Worker;
struct Run;

constexpr uintptr_t RUNTIME_STACK = 16 * 1024;  // what a call of the runtime needs, with the frame of a signal

// Reads the stack below: a kernel that has used all of it faults here, and not under a lock, of ours or
// of the C library, which would stay taken.
// The steps are less than a page, so that none passes the guard.
inline void touch_stack() {
    const volatile char* here = (const volatile char*)__builtin_frame_address(0);
    for (uintptr_t below = 2048; below <= RUNTIME_STACK; below += 2048) (void)here[-ptrdiff_t(below)];
}

// A lock that is held for some stores. Findings, output, the grid barrier and the device heap are rare.
class Locked {
public:
    explicit Locked(pthread_mutex_t& lock) : lock_(lock) {
        touch_stack();
        pthread_mutex_lock(&lock_);
    }
    ~Locked() { pthread_mutex_unlock(&lock_); }
    Locked(const Locked&) = delete;

private:
    pthread_mutex_t& lock_;
};

// Shadow of one thread: where checks*.cpp find what they keep of it.
struct Shadow {
    struct BlockChecks* block;
    struct WarpChecks* warp;
    uint8_t* local;           // for each byte of the stack: 1 if declared and not written; null before the first
    uintptr_t local_low, local_high;  // where bytes may be marked in `local`
};

// A statement or a function with a barrier, or a collective of a warp, that a thread went past: the numbers of those around
// it as one, and how often.
struct Passed {
    uint64_t path, pc;
    unsigned times, thread;
};

// Some of these. What is beyond is not known.
struct PassedOnes {
    static constexpr unsigned MOST = 16;
    unsigned count, since;  // since: which barrier or collective they come after
    Passed each[MOST];

    const Passed* on(uint64_t path) const;
    void keep(const Passed& added);  // or replaces what has its path and fewer times
};

// Those that a thread is in, and those that it has left since its block's last barrier, and since all of its warp met.
struct Passing {
    static constexpr unsigned DEEPEST = 24;
    unsigned depth;
    uint64_t paths[DEEPEST];
    PassedOnes of_block, of_warp;
};

enum State : uint32_t { RUNNING, AT_BARRIER, IN_WARP, AT_GRID_BARRIER, NOT_STARTED, ENDED, READY };

struct Thread : Here {
    Block* block_state;
    Worker* worker;
    Run* run;
    Shadow shadow;
    struct Stack* stack;
    const Range* last_range;  // of the last access: checks look here first
    Passing passing;
};

// A warp collective, from its first lane's arrival until the last lane has read the values.
struct Group {
    uint64_t mask, arrived;
    unsigned kind, users;
    Group* next;              // in the warp's list of open groups, or of free ones
    Group* made_before;       // in the block's list of all
    uint64_t values[65];      // by lane; the last one: `arrived`
};

struct Warp {
    uint64_t live;            // lanes that exist and have not ended
    uint64_t active;          // lanes in accel_sim_active
    unsigned running;         // live lanes that wait for nothing
    PassedOnes past;          // since all lanes met, by those that have ended
    Group *open, *free;
};

// What the scheduler knows of a thread. Not in `Thread`: those are a power of two apart, and share few lines of a cache.
struct Slot {
    void* stack_pointer;      // of its fiber while another runs
    uint64_t waits_at;        // return address of the call by which it waits
    uint64_t mask;            // of its collective
    Group* group;             // of its last collective
    State state;
};

struct Block {
    Run* run;
    Worker* worker;
    Dim index;
    uint64_t number;          // linear index in the grid, x fastest
    unsigned size;            // threads
    char* shared_begin;       // the module's thread-local segment in this worker
    char* dynamic_begin;
    void* checks;             // for checks.cpp
    Thread** threads;         // by linear index; null before it starts and after it ended

    uint64_t random;          // state of the generator
    unsigned alive;           // threads that have not ended
    Slot* slots;
    Warp* warps;
    Group* groups;            // all
    // Threads that may run, as a ring: those not started, and those that were suspended and wait for nothing.
    uint16_t* ring;
    unsigned head, runnable;
    // The barrier: the threads that wait, and its result so far.
    uint16_t* arrived;
    unsigned arrivals, passed;
    uint64_t barrier_site, barrier_result;
    unsigned barrier_kind;
    PassedOnes past;          // since the last barrier, by threads that have ended
    unsigned at_grid_barrier;
    uint64_t grid_generation; // of the grid barrier that it waits for
    bool in_grid_barrier;     // all its threads are
    unsigned yields, collectives;  // since it was resumed, or a thread began, or all were at a barrier
    char* saved_shared;       // contents of the thread-local segment while another block of the worker uses it
    Block* next;              // in a list of the worker
};

struct Run {                  // one launch
    Launch* launch;
    uint64_t number;            // of the launches of the process
    uint64_t blocks;
    unsigned threads_per_block;
    volatile uint32_t stopped;  // the kind of the finding that stops it; all fibers are abandoned soon
    void* checks;             // more of checks.cpp
    struct Machine* machine;
};

inline Thread& self() { return *(Thread*)here(); }

// The worker that this thread of the operating system is; null outside of a launch. Not thread_local: other files would
// call a function that makes it, if there is one, and the linker of zig gives the address of one that is not there.
extern __thread Worker* current_worker ACCEL_SIM_FAST_TLS;

// Whether code runs on a fiber: the program's host code may call the same functions.
inline bool on_fiber() { return current_worker; }

// Adds a finding, or counts it if there is one of its kind with these pcs. Any worker may call it.
void report(Run& run, const Finding& finding);
// Reports, and stops the launch: does not return. For the running thread.
[[noreturn]] void fail(Run& run, const Finding& finding);
// The place of a thread, for findings.
Place place_of(const Thread& thread, uint64_t pc, uint32_t mode, uint32_t size);
uint64_t draw(Thread& thread);  // random, by the seed of the launch and the block

// --- what machine.cpp calls of checks.cpp; only if `launch->checks` is not 0
void checks_begin(Run& run);
void checks_end(Run& run);
void checks_block_begin(Block& block);
void checks_block_end(Block& block);
void checks_thread_begin(Thread& thread);
void checks_switch(Block& block);                             // before another thread of the worker runs
void checks_barrier(Block& block);                            // all its threads have arrived, and none has left
void checks_collect(Block& block, unsigned warp, uint64_t mask);  // the same for lanes of a warp
void checks_fence(Thread& thread, unsigned scope);
void checks_grid_barrier(Run& run, Block** blocks, uint64_t count);

}  // namespace accel_sim
#pragma GCC visibility pop
