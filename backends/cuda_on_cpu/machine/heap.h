// The heap of a device: what malloc, free, new and delete of kernels use. As on a GPU, it is not of a launch: a later kernel
// may use and free what one allocated.
#pragma once
#include "worker.h"

#pragma GCC visibility push(hidden)
namespace accel_sim {

enum Maker : uint32_t { NOBODY, BY_MALLOC, BY_NEW, BY_NEW_ARRAY };  // NOBODY: the piece is free

// A piece: the bytes before it, and those that were asked for; of a free piece, all that it has.
struct Piece {
    uint64_t offset, size;
    Maker maker;
};

// Pieces lie side by side from `range.begin` to `top`. What is free is used again late, so that a use of it is found.
struct Heap {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards all but `range`, which is of the first allocation
    Range range = {};             // address space; `written` has the state of each byte below `top`, for the checks
    uint64_t* pieces = nullptr;   // for each granule where a piece begins: its size and maker; else 0
    uint64_t top = 0, cursor = 0;  // granules
    uint64_t last = 0;            // where a free piece begins that ends at `top`, if a search saw one
    uint64_t used = 0, limit = 0;  // bytes in use, and the most
    uint64_t fits = 0;            // no free piece has more granules

    void* take(uint64_t size, Maker maker, const Run& run);  // null without room
    void take_back(const Run& run);  // what a launch that was stopped has in use
    // Writes what is wrong, if something is, and changes nothing then.
    bool give(void* memory, Maker maker, bool strict, char* text, size_t room);
    uint64_t bytes() const;                // up to `top`
    Piece at(uint64_t address) const;  // the piece around an address below `top`
    void check();                        // from now on `range.written` has the states
    void clear();
};

Heap& heap_of(const Launch& launch);

}  // namespace accel_sim
#pragma GCC visibility pop
