// The interface between Python (`structures.py`, by ctypes) and the runtime. Structures of C: 64-bit fields first, no
// padding.
#pragma once
#include <stdint.h>

#include "../include/accel_sim/abi.h"

namespace accel_sim {

struct Heap;

enum Check : uint32_t { CHECK_MEMORY = 1, CHECK_RACE = 2, CHECK_INIT = 4, CHECK_SYNC = 8, CHECK_BANKS = 16, CHECK_SAME_VALUE = 32 };

// Memory that kernels may use: an allocation of the device, or a variable of the module (__device__, __constant__).
// Ranges are ascending and do not overlap.
struct Range {
    uint64_t begin, size;
    uint8_t* written;   // for CHECK_INIT: 1 for each byte that was written; null if all were
    uint64_t* cells;    // for CHECK_RACE: the shadow, made by the runtime; null before
    uint32_t readonly;  // 1: a write is an error (__constant__)
    uint32_t released;  // 1: it was released; every access is an error
};

// The index of the first of `count` ascending ranges that begins after an address; `at` gives a range by its index.
template <typename At>
inline uint64_t first_after(uint64_t address, uint64_t count, At at) {
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (at(middle)->begin > address) high = middle;
        else low = middle + 1;
    }
    return low;
}

// A variable in shared memory: where it is in the module's thread-local segment.
struct Shared {
    uint64_t offset, size;
    uint64_t guard;  // 1: the compiler's own, beside a variable of a class; after the others
};

enum Kind : uint32_t {
    NOTHING = 0,
    // CHECK_MEMORY
    OUT_OF_BOUNDS, RELEASED, MISALIGNED, READ_ONLY, INDEX_OUT_OF_BOUNDS,  // the last: of an array of constant size
    // CHECK_RACE
    RACE,
    // CHECK_INIT
    UNINITIALIZED,
    // CHECK_SYNC (DIVERGENT_BARRIER, WRONG_MASK only if it is on; the others always)
    DIVERGENT_BARRIER, WRONG_MASK, DEADLOCK, NOT_COOPERATIVE,
    // faults, always reported
    INVALID_ADDRESS, STACK_OVERFLOW, ARITHMETIC, ASSERTION, TRAP, UNSUPPORTED, TIMEOUT, NO_MEMORY, INTERRUPTED,
    // CHECK_BANKS
    BANK_CONFLICT,
    // faults: a wrong address for free or delete, a function of the host
    WRONG_FREE, HOST_CALL,
    // CHECK_MEMORY: a function with a result ends without return, a local variable of a function that has ended
    NO_RETURN, DANGLING,
};

// What the detail of DIVERGENT_BARRIER is: two barriers; two calls, maybe copies of one; the other thread has gone past.
enum Divergence : uint64_t { MAYBE_ONE, PAST, TWO };
enum Space : uint32_t { SPACE_NONE, SPACE_GLOBAL, SPACE_SHARED, SPACE_DYNAMIC_SHARED, SPACE_LOCAL, SPACE_HEAP };
enum Mode : uint32_t { READ = 1, WRITE = 2, ATOMIC = 4 };  // an atomic update: READ | WRITE | ATOMIC

// One thread at one instruction.
struct Place {
    uint64_t pc;  // a return address in the module, or 0
    Dim block, thread;
    uint32_t mode, size;  // of the access, if it is one
};

// One distinct finding (by kind and both pcs): the first occurrence, and how many there were.
struct Finding {
    uint64_t count;
    uint64_t address;  // of the access
    int64_t offset;    // of the access in its shared variable, in dynamic shared memory, or in its range
    uint64_t detail;   // UNINITIALIZED: bytes; WRONG_MASK: the mask; INDEX_OUT_OF_BOUNDS: the index;
                       // BANK_CONFLICT: the passes << 32, and the fewest possible; RACE: 1 if both wrote the same bytes
    Place here, other;  // other: the earlier access of a race, or a thread at a different barrier
    uint32_t kind, space;
    int32_t range;      // index in `ranges` (SPACE_GLOBAL) or in `shared_variables` (SPACE_SHARED); the bytes that were
                        // asked for (SPACE_HEAP); else, or unknown: -1
    uint32_t scope;     // RACE: 0 within a warp, 1 within a block, 2 between blocks; the widest that occurred
    char text[200];     // ASSERTION, UNSUPPORTED, MISALIGNED: the message, type or construct
};

// Where a thread stands when a launch is stopped (DEADLOCK, TIMEOUT).
struct Standing {
    uint64_t pc;
    Dim block, thread;
    uint32_t state;  // 0 running, 1 at a barrier, 2 in a warp collective, 3 at a grid barrier, 4 not started, 5 ended
};

// Of a module: its code, and the thread-local segment that its variables in shared memory are in.
struct Segments {
    const Shared* shared_variables;
    uint64_t shared_count;
    uint64_t shared_size;         // of the thread-local segment
    void* (*shared_begin)(void);  // where it is in the calling thread; null if there is none
    uint64_t code_begin, code_end;
};

// An instruction that updates atomically, or that writes to watched addresses.
struct Touch {
    uint64_t pc, address;  // of the first access of the latter kind, or else of the first one
    uint64_t count, hits;  // of all accesses, and of those to watched addresses
    Dim block, thread;     // that made it
    uint32_t mode, size;
};

struct Launch {
    void (*entry)(void**);
    void** arguments;
    Range* ranges;
    uint64_t range_count;
    Segments segments;
    uint64_t seed;
    double limit;                       // seconds, then TIMEOUT; 0: none
    Finding* findings;
    uint64_t finding_capacity, finding_count;
    Standing* standings;
    uint64_t standing_capacity, standing_count;
    char* printed;                      // the output of printf, allocated by the runtime; freed by accel_sim_release
    uint64_t printed_size;
    volatile uint32_t* stop;            // not 0: stop soon, with INTERRUPTED
    Heap* heap;                         // of the device; null: one that the runtime has
    uint64_t heap_size;                 // bytes, from when nothing in it is in use; 0: as CUDA has without a limit
    const uint64_t* watched;            // ascending addresses of words of 4 bytes, for `touches`; by one worker only
    uint64_t watched_count;
    Touch* touches;
    uint64_t touch_capacity, touch_count;
    Dim grid, block;
    uint32_t dynamic_shared, warp_size;
    uint32_t checks, workers, cooperative, ordered;  // ordered: blocks and threads in ascending order, for no seed
};

}  // namespace accel_sim

#pragma GCC visibility push(default)
extern "C" {
// Runs a launch to its end. Returns the kind of the finding that stopped it, or NOTHING. Never throws. Several threads may
// call it at once.
uint32_t accel_sim_launch(accel_sim::Launch* launch);
void accel_sim_release(void* memory);
// The heap of a device: what kernels take by malloc and new, and do not free, is in use until it is reset. Null: that of
// the runtime.
accel_sim::Heap* accel_sim_new_heap(void);
uint64_t accel_sim_heap_used(const accel_sim::Heap* heap);
void accel_sim_reset_heap(accel_sim::Heap* heap);
// Forgets the shadow of a range that was released.
void accel_sim_drop_cells(uint64_t* cells);
}
#pragma GCC visibility pop
