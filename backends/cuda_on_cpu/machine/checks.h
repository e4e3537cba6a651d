// What the checks share: cells, sites, and what they keep of a launch, a block and a warp.
//
// A cell holds the last access of a location: 64 bits, so that workers exchange whole cells. Each word of 4 bytes has two:
// of the last write and of the last read. A word whose bytes were used one by one is FINE: then each of its bytes has two
// cells of its own, in a plane behind the cells of the words.
//
// An epoch is drawn at each synchronisation, from a number that only grows in the life of the process. So whatever is
// below the epoch at which a launch began, or at which a block passed its last barrier, is ordered: one comparison. No
// shadow is cleared between blocks and launches.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#pragma GCC visibility push(hidden)
namespace accel_sim {

// Of a cell, from its highest bit: 36 bits of epoch, 10 of thread, 14 of site, and these flags.
enum Flag : uint64_t {
    SEVERAL = 1,      // of a read: another thread read the location too, and neither is ordered after the other
    SUSPECTED = 1,    // of a write: another thread wrote the location, and maybe not the same bytes
    BY_ATOMIC = 2,
    BY_VOLATILE = 4,
    FINE = 8,
    STRONG = BY_ATOMIC | BY_VOLATILE,
};
constexpr unsigned SITE_SHIFT = 4, THREAD_SHIFT = 18, EPOCH_SHIFT = 28;
constexpr unsigned SITES = 1 << (THREAD_SHIFT - SITE_SHIFT);
constexpr unsigned MOST_THREADS = 1 << (EPOCH_SHIFT - THREAD_SHIFT);
// Modes, besides those of launch.h. WHOLE: a copy of something as a whole, whose bytes need not all be written.
constexpr uint32_t VOLATILE = 8, WHOLE = 16;

inline unsigned thread_of(uint64_t cell) { return cell >> THREAD_SHIFT & (MOST_THREADS - 1); }
inline unsigned site_of(uint64_t cell) { return cell >> SITE_SHIFT & (SITES - 1); }
inline uint64_t epoch_of(uint64_t cell) { return cell >> EPOCH_SHIFT; }
inline uint64_t load(const uint64_t* cell) { return __atomic_load_n(cell, __ATOMIC_RELAXED); }
inline void store(uint64_t* cell, uint64_t value) { __atomic_store_n(cell, value, __ATOMIC_RELAXED); }

// An instruction that accesses memory, and the range that it accessed last: most instructions use one range only.
struct Site {
    uint64_t pc;
    Range* range;
};

// What a thread released by a fence, or several that met after their fences: accesses below these epochs.
struct Release {
    uint64_t own, warp, block;      // of the thread, of its warp, of all the block
    uint64_t* row;                  // of the threads [first, first + count) one by one; or null
    unsigned first, count;
    uint64_t number;                // of its block
    unsigned thread, scope;
    const struct Acquired *by_thread, *by_block;  // what it knew of others
    const struct Log* log;          // where it was published last; null: nowhere
};

// What a thread knows of others: the first `count` releases of a log. Shared between threads, so never changed.
struct Acquired {
    struct Log* log;
    uint64_t count;
    const Acquired* next;
};

// How one thread takes part in the order by atomics and fences.
struct Order {
    const Acquired* acquired;
    Release* fenced[2];           // its last fence, and its last one for the whole device
    const uint64_t* pending;      // the location of a volatile read; its log is not yet acquired
    const Release* ordering;      // what ordered the last suspected race
};

struct WarpChecks {
    uint64_t sync;                // the epoch at which all its lanes were synchronised
    uint64_t acquirers;           // lanes that acquired, or read volatile, since the last barrier
    uint64_t fencers;             // lanes that made a fence since they last met others
    bool fenced;                  // there was one since the last barrier
    uint64_t* bounds;             // [lane][lane]: accesses of the second below it are ordered before the first; or null
    uint64_t own[64];             // epochs of the lanes, if above `sync`
};

// Memory for what lives as long as a launch.
struct Arena {
    struct Chunk {
        Chunk* next;
        uint64_t used;
    };
    Chunk* chunks = nullptr;
    void* take(uint64_t size);    // zeros
    void free_all();
};

// A write of a location that another thread wrote, neither ordered after the other: a race, unless it leaves the bytes as
// they were. That is seen at what the thread does next: here or in the location, or where another thread runs.
struct Suspicion {
    static constexpr unsigned MOST = 16;
    struct Location {
        uint64_t* pair;
        uint64_t address, cell;   // cell: of the other write
        unsigned size;
        unsigned char before[4];
    };
    Thread* thread;
    Range* range;
    uint64_t address, size, pc;
    uint32_t mode;
    unsigned site, count;         // count: 0 if there is none
    Location locations[MOST];
};

struct BlockChecks {
    Suspicion suspicion;          // of its running thread
    Range shared, dynamic;        // `written` also has the gaps between variables: GAP
    uint64_t birth, barrier;      // the epochs at which it began, and of its last barrier
    uint64_t next, end;           // epochs that it has drawn and not used
    uint64_t drawn;               // granules the last time
    uint64_t number;              // in the grid
    unsigned size, warp_size;
    WarpChecks* warps;
    Order* orders;                // by thread; null before the first fence or volatile read
    const Acquired* acquired;     // what all its threads know of others
    Release* fenced;              // what its threads released for the whole device before the last barrier; or null
    Arena arena;
    struct BankSite* banks;       // instructions that accessed shared memory
    BlockChecks* idle;            // the next that no block uses
};

// Which bytes of a stack are declared and not written.
struct LocalMap {
    uintptr_t stack;
    uint8_t* marks;
};

struct Checks {                   // of a launch
    Run* run;
    uint64_t floor;               // accesses below it are ordered before all of this launch
    bool memory, race, init, counts_banks, notes_touches;
    bool same_values;             // races of writes that leave the same bytes are reported too
    bool observes;                // one of the last two
    Range nowhere;                // of sites that accessed no range yet
    uint8_t* shared_written;      // of shared memory when a block begins
    uint64_t id;
    pthread_mutex_t lock;         // guards what follows
    BlockChecks* idle;
    struct BankSite* banks;       // those of the blocks that ended, of all warps together
    struct Log** logs;            // by location; null before the first
    uint64_t log_count, query;
    Arena arena;
    LocalMap* local_maps;
    uint64_t local_map_count;
    Site sites[SITES];

    unsigned site(uint64_t pc) {
        unsigned index = unsigned(pc * 0x9E3779B97F4A7C15u >> 50);
        if (__builtin_expect(sites[index].pc == pc, 1)) return index;
        return find_site(pc, index);
    }
    unsigned find_site(uint64_t pc, unsigned index);  // 0 if the table is full
};

inline Checks* checks_of(const Thread& thread) { return (Checks*)thread.run->checks; }
inline BlockChecks& checks_of(const Block& block) { return *(BlockChecks*)block.checks; }

// Epoch and thread of an access that the thread makes now, as in a cell.
inline uint64_t stamp_of(const Thread& thread) {
    const WarpChecks& warp = *thread.shadow.warp;
    const uint64_t own = warp.own[thread.lane], sync = warp.sync;
    return (own > sync ? own : sync) | uint64_t(thread.linear) << THREAD_SHIFT;
}

// An access that is being checked.
struct Access {
    Thread& thread;
    uint64_t address, size, pc;
    uint32_t mode;
    unsigned site;
};

inline uint64_t tag_of(const Access& access) {
    const uint64_t flags = access.mode & ATOMIC ? +BY_ATOMIC : access.mode & VOLATILE ? +BY_VOLATILE : 0;
    return stamp_of(access.thread) | uint64_t(access.site) << SITE_SHIFT | flags;
}

// In Range::written. GAP: between the variables of shared memory, or the pieces of the heap; GUARD: the compiler's own, in
// shared memory; FREED: of the heap.
constexpr uint8_t UNWRITTEN = 0, WRITTEN = 1, GAP = 2, GUARD = 3, FREED = 4;

// --- checks_shadow.cpp
uint64_t* make_cells(Range& range);               // null without memory
void free_cells(uint64_t* cells);
uint8_t* local_map_of(Checks& checks, uintptr_t stack);
uint64_t draw_epoch(BlockChecks& block, const Checks& checks);  // as in a cell
struct Owner {
    uint32_t launch, block;
};
Owner owner_of(uint64_t cell);
inline uint64_t words_of(const Range& range) { return (range.begin % 4 + range.size + 3) / 4; }
inline uint64_t* cells_at(const Range& range, uint64_t address) {
    return range.cells + (address / 4 - range.begin / 4) * 2;
}

// --- checks_memory.cpp
// The range of an access: null if there is nothing more to check. Does not return from an invalid access.
Range* locate(const Access& access);
Finding finding_of(const Access& access, Kind kind, const Range* range);
Space space_of(const Thread& thread, const Range* range);
// In shared memory, makes the offset that in the variable which is there.
void name_variable(const Launch& launch, Finding& finding);

inline bool on_chip(Space space) { return space == SPACE_SHARED || space == SPACE_DYNAMIC_SHARED; }
inline bool holds(const Range& range, uint64_t address) { return address - range.begin < range.size; }

// --- checks_banks.cpp
void note_banks(Thread& thread, uint64_t address, uint64_t size, uint32_t mode, uint64_t pc);
void settle_banks(const Block& block);               // at a barrier
void end_banks(const Block& block, Checks& checks);  // of a block
void report_banks(Checks& checks);                   // at the end of a launch

// --- checks_touches.cpp
void note_touch(Thread& thread, uint64_t address, uint64_t size, uint32_t mode, uint64_t pc);

// --- checks_init.cpp
void check_read_written(const Access& access, Range& range);
void check_write_written(const Access& access, Range& range);
void declare_local(Thread& thread, uintptr_t variable, uint64_t size);
void clear_local(Thread& thread, uintptr_t end);   // forgets the declarations below
void check_local(const Access& access);

// --- checks_race.cpp
// All cells of an access.
void check_cells(const Access& access, Range& range, uint64_t floor);
void settle(Suspicion& suspicion);

// --- checks_order.cpp
bool ordered(const Thread& thread, uint64_t cell);
void synchronise_order(Checks& checks, BlockChecks& block);                              // at a barrier
void synchronise_order(Checks& checks, BlockChecks& block, unsigned warp, uint64_t mask);  // of lanes
void read_volatile(const Access& access, const Range& range);
void publish(Thread& thread, const uint64_t* location);
void acquire(Thread& thread, const uint64_t* location);
void end_orders(Checks& checks);
void begin_orders(BlockChecks& block);

}  // namespace accel_sim

#pragma GCC visibility pop
