// The threads, blocks and workers of a launch, inside of the runtime.
//
// A worker is a thread of the operating system. It runs the threads of its blocks as fibers: a fiber runs until it waits
// or ends. Fibers of a block never change their worker. `here()` of a running fiber is a `Thread`.
//
// machine.cpp (fibers, blocks, waiting, limits), faults.cpp (signals), printing.cpp belong to one author; checks*.cpp and
// callbacks.cpp (what -fsanitize=thread,alignment,bounds calls) to the other. The functions at the end are what machine.cpp
// calls of checks.cpp.
#pragma once
#include "launch.h"

namespace accel_sim {

struct Block;
struct Worker;
struct Run;

// Shadow of one thread: where checks*.cpp find what they keep of it.
struct Shadow {
    struct BlockChecks* block;
    struct WarpChecks* warp;
    uint64_t launch;          // whose the following are
    uint8_t* local;           // for each byte of the stack: 1 if declared and not written; null before the first
    uintptr_t local_low, local_high;  // where bytes may be marked in `local`
};

enum State : uint32_t { RUNNING, AT_BARRIER, IN_WARP, AT_GRID_BARRIER, NOT_STARTED, ENDED, READY };

struct Thread : Here {
    Block* block_state;
    Worker* worker;
    Run* run;
    Shadow shadow;
    State state;
    void* stack_pointer;      // of the suspended fiber
    uint64_t waits_at;        // return address of the call by which it waits
    uint64_t mask, value;     // of a collective
    unsigned kind;            // of the barrier or collective
    int predicate;
    int in_runtime;           // > 0: signals must not switch away from here
    const Range* last_range;  // of the last access: checks look here first
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
};

struct Run {                  // one launch
    Launch* launch;
    uint64_t blocks;
    unsigned threads_per_block;
    volatile uint32_t stopped;  // the kind of the finding that stops it; all fibers are abandoned soon
    void* checks;             // more of checks.cpp
};

inline Thread& self() { return *(Thread*)here(); }

// Whether code runs on a fiber: the program's host code may call the same functions.
bool on_fiber();

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
void checks_barrier(Block& block);                            // all its threads have arrived, and none has left
void checks_collect(Block& block, unsigned warp, uint64_t mask);  // the same for lanes of a warp
void checks_fence(Thread& thread, unsigned scope);
void checks_grid_barrier(Run& run, Block** blocks, uint64_t count);

}  // namespace accel_sim
