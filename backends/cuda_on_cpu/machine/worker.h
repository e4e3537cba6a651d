// What the parts of the machine share: the state of a launch, and of the threads of the operating system that run it.
#pragma once
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "fibers.h"

#pragma GCC visibility push(hidden)
namespace accel_sim {

// The barrier of a cooperative launch, over all its blocks.
struct GridBarrier {
    uint64_t generation, waiting, ended;
    pthread_cond_t passed;
};

struct Machine {
    Run run;
    Dim* thread_indices;        // by linear index
    uint64_t next_block;        // how many were started
    uint64_t began, deadline;   // nanoseconds; no deadline: 0
    pthread_mutex_t lock;       // guards what follows, the findings, the standings and the output
    GridBarrier grid;
    Block** resident;           // of a cooperative launch: by number, null before it starts and after it ended
    uint64_t printed_capacity;
    struct Worker* workers;
    unsigned worker_count;
};

struct Worker {
    Run* run;
    Machine* machine;
    Stacks* stacks;
    void* scheduler;            // stack pointer of `work` while a fiber runs
    Block* block;               // the one that runs
    unsigned running;           // the thread that runs, or is to be started
    unsigned warp_bits;         // log2 of the threads of a warp
    char* shared_begin;
    Block* loaded;              // whose contents the thread-local segment has
    Block *parked, **last_parked;
    unsigned parked_count;
    bool spins;                 // the block that ran last gave way because its threads spin
    Block* spare;               // for the next block that starts
    uint64_t random;
    volatile sig_atomic_t pending;  // a tick came at a moment when it could not be served
    volatile unsigned ticks;        // since the block was resumed
    Thread* ticked_thread;          // that ran at the last tick
    unsigned thread_ticks;          // that it ran through
    uint64_t sample, sampled_at;    // of its registers
    unsigned suspicion;             // ticks that come soon, to compare samples
    volatile bool in_tick, missed_tick;  // its handler runs, and another came too early
    volatile bool tick_is_soon;     // the next tick comes after a moment
    pthread_t thread;
    bool started;               // the thread exists
    char* signal_stack;
    stack_t signal_stack_before;
    sigset_t mask_before;
#if defined(__linux__)
    timer_t timer;
#else
    pthread_t ticked, ticking;
#endif
    volatile bool has_timer;
};

inline uint64_t now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec);
}

inline uint64_t mixed(uint64_t bits) {  // splitmix64
    bits += 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

inline uint64_t draw(uint64_t& state) {  // xorshift64
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

// A number below a limit, without a division.
inline unsigned draw_below(uint64_t& state, unsigned limit) { return (draw(state) >> 32) * limit >> 32; }

// --- blocks.cpp
Block* begin_block(Worker& worker, uint64_t number);  // null without memory
void end_block(Worker& worker, Block& block);
void free_block(Block& block);
void load_shared(Worker& worker, Block& block);
uint64_t shuffled(uint64_t number, uint64_t count, uint64_t seed);

// --- waiting.cpp
void thread_ended(Worker& worker, Block& block, unsigned number);
bool serve_tick(Worker& worker, Block& block);  // whether the block gives way to others
void release_from_grid(Block& block);
// --- passing.cpp
void keep_passed(Block& block, Thread& thread);    // of a thread that ends
void find_passed(Worker& worker, Block& block);    // at a barrier
void find_passed(Worker& worker, Block& block, Warp& warp, const Group& group, unsigned first);  // first: of the warp

// --- waiting.cpp
// Lets others run before a thread that waits for nothing.
void give_way(Worker& worker, Block& block, unsigned number, uint64_t pc);

// --- machine.cpp
void resume(Worker& worker, Block& block, void** from);
[[noreturn]] void leave(Worker& worker);  // abandons the fibers
[[noreturn]] void fail_at(uint64_t pc, Kind kind, const char* text);  // ends the launch with a finding at an instruction
bool others_wait(const Worker& worker);   // other blocks could run

// --- findings.cpp
bool stop(Run& run, Kind kind);  // whether nothing else did
void stand(Worker& worker, const Block& block);  // adds where its threads are to the standings

// --- faults.cpp
void listen(Worker& worker);
void unlisten(Worker& worker);
void install_handlers();
void remove_handlers();
// Stops the launch if it is time, or asked for.
void check_limits(Worker& worker);

inline unsigned warp_of(const Worker& worker, unsigned number) { return number >> worker.warp_bits; }
inline unsigned lane_of(const Worker& worker, unsigned number) { return number & ((1u << worker.warp_bits) - 1); }

// Makes a thread runnable.
inline void push(Block& block, unsigned number) {
    block.ring[(block.head + block.runnable++) & 1023] = uint16_t(number);
}

// Takes a runnable thread: the first, or any.
inline unsigned pick(Block& block) {
    uint16_t* ring = block.ring;
    const unsigned first = block.head & 1023;
    const unsigned number = [&] {
        if (block.run->launch->ordered) return unsigned(ring[first]);
        uint16_t& chosen = ring[(first + draw_below(block.random, block.runnable)) & 1023];
        const uint16_t number = chosen;
        chosen = ring[first];
        return unsigned(number);
    }();
    ++block.head, --block.runnable;
    return number;
}

}  // namespace accel_sim
#pragma GCC visibility pop
