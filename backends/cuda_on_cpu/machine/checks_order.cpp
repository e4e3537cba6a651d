// What orders the accesses of threads: barriers, warp synchronisation, and atomic operations with fences.
//
// A fence makes a Release of its thread: what the thread knows to be done. The thread's next atomic or volatile write
// adds it to the log of the written location. A thread that reads the location, atomically or volatile, knows from then on
// the releases that the log has: it remembers (log, length). Only a suspected race walks logs: the releases in them, and
// what the threads of these releases knew. A write is logged before it is made, and a log's length is read after the value:
// so a thread that sees a value knows its release.
#include "checks.h"

namespace accel_sim {

struct Log {
    const uint64_t* location;
    Log* next;
    const Release** releases;
    uint64_t count, capacity;
    uint64_t query, walked;       // how far the query has come
};

namespace {

constexpr uint64_t BUCKETS = 4096;
constexpr uint64_t MOST_STEPS = 1 << 24;  // of one query; then the accesses count as ordered

uint64_t bucket_of(const uint64_t* location) { return (uint64_t)location * 0x9E3779B97F4A7C15u >> 52; }

Order& order_of(const Thread& thread) { return thread.shadow.block->orders[thread.linear]; }

Order& make_order(const Thread& thread) {
    BlockChecks& block = *thread.shadow.block;
    if (!block.orders) block.orders = (Order*)block.arena.take(block.size * sizeof(Order));
    return block.orders[thread.linear];
}

Log* find_log(const Checks& checks, const uint64_t* location) {
    if (!checks.logs) return nullptr;
    Log* log = checks.logs[bucket_of(location)];
    while (log && log->location != location) log = log->next;
    return log;
}

Log* make_log(Checks& checks, const uint64_t* location) {
    if (Log* log = find_log(checks, location)) return log;
    if (!checks.logs) checks.logs = (Log**)checks.arena.take(BUCKETS * sizeof(Log*));
    Log*& bucket = checks.logs[bucket_of(location)];
    Log* log = (Log*)checks.arena.take(sizeof(Log));
    log->location = location;
    log->next = bucket;
    __atomic_store_n(&checks.log_count, checks.log_count + 1, __ATOMIC_RELEASE);
    return bucket = log;
}

void append(Log& log, const Release* release) {
    if (log.count == log.capacity) {
        const uint64_t capacity = log.capacity * 2 + 8;
        const Release** more = (const Release**)realloc(log.releases, capacity * sizeof *more);
        if (!more) return;
        log.releases = more, log.capacity = capacity;
    }
    log.releases[log.count++] = release;
}

uint64_t larger(uint64_t one, uint64_t other) { return one > other ? one : other; }

uint64_t limit_of(const Release& release, unsigned thread, unsigned width) {
    uint64_t limit = thread == release.thread ? release.own : 0;
    if (thread / width == release.thread / width) limit = larger(limit, release.warp);
    if (release.row && thread - release.first < release.count)
        limit = larger(limit, release.row[thread - release.first]);
    return limit;
}

bool covers(const Release& release, uint64_t cell, uint64_t owner, const Thread& reader) {
    if (uint32_t(release.number) != owner) return false;
    if (release.scope == SCOPE_BLOCK && release.number != reader.shadow.block->number) return false;
    return cell < release.block || cell < limit_of(release, thread_of(cell), reader.warp_size);
}

// A search through logs, and through what the releases in them knew.
class Query {
public:
    Query(Checks& checks, const Thread& reader, uint64_t cell, uint64_t owner)
        : number_(++checks.query), reader_(reader), cell_(cell), owner_(owner) {}
    ~Query() { free(waiting_); }
    Query(const Query&) = delete;

    const Release* search(const Acquired* first, const Acquired* second) {
        push(first), push(second);
        while (count_) {
            for (const Acquired* acquired = waiting_[--count_]; acquired; acquired = acquired->next)
                if (const Release* release = walk(*acquired->log, acquired->count)) return release;
        }
        return nullptr;
    }
    bool gave_up() const { return steps_ >= MOST_STEPS; }

private:
    const Release* walk(Log& log, uint64_t length) {
        const uint64_t from = log.query == number_ ? log.walked : 0;
        if (length > log.count) length = log.count;
        for (uint64_t i = length; i > from && steps_ < MOST_STEPS; --i, ++steps_) {
            const Release& release = *log.releases[i - 1];
            if (covers(release, cell_, owner_, reader_)) return &release;
            push(release.by_thread), push(release.by_block);
        }
        log.query = number_;
        if (length > from) log.walked = length;
        return nullptr;
    }

    void push(const Acquired* acquired) {
        if (!acquired || (count_ && waiting_[count_ - 1] == acquired)) return;
        if (count_ == capacity_) {
            const Acquired** more = (const Acquired**)realloc(waiting_, (capacity_ * 2 + 64) * sizeof *more);
            if (!more) return;
            waiting_ = more, capacity_ = capacity_ * 2 + 64;
        }
        waiting_[count_++] = acquired;
    }

    const uint64_t number_;
    const Thread& reader_;
    const uint64_t cell_, owner_;
    const Acquired** waiting_ = nullptr;
    uint64_t count_ = 0, capacity_ = 0, steps_ = 0;
};

bool ordered_in_block(const Thread& thread, uint64_t cell) {
    const unsigned other = thread_of(cell), width = thread.warp_size;
    const WarpChecks& warp = *thread.shadow.warp;
    if (other == thread.linear || cell < thread.shadow.block->barrier) return true;
    if (other / width != thread.warp) return false;
    return cell < warp.sync || (warp.bounds && cell < warp.bounds[thread.lane * width + other % width]);
}

// A list with one more log, in memory of the block that lasts as long as the launch.
const Acquired* with(BlockChecks& block, const Acquired* list, Log* log, uint64_t count) {
    constexpr unsigned LOOK = 16;
    unsigned seen = 0;
    const Acquired* rest = list;
    while (rest && seen < LOOK && rest->log != log) rest = rest->next, ++seen;
    const bool updates = rest && rest->log == log;
    if (updates && rest->count >= count) return list;
    Acquired* result = (Acquired*)block.arena.take(sizeof(Acquired));
    *result = {log, count, updates ? nullptr : list};
    if (!updates) return result;
    const Acquired* head = rest->next;  // without the shorter length, which the new one replaces
    for (const Acquired* copied = list; copied != rest; copied = copied->next) {
        Acquired* copy = (Acquired*)block.arena.take(sizeof(Acquired));
        *copy = {copied->log, copied->count, head};
        head = copy;
    }
    result->next = head;
    return result;
}

void acquire_by(Checks& checks, BlockChecks& block, unsigned thread, const uint64_t* location) {
    Log* log;
    uint64_t count;
    {
        Locked locked(checks.lock);
        log = find_log(checks, location);
        count = log ? log->count : 0;
    }
    if (!count) return;
    Order& order = block.orders[thread];
    const Acquired* before = order.acquired;
    order.acquired = with(block, before, log, count);
    if (order.acquired == before) return;
    WarpChecks& warp = block.warps[thread / block.warp_size];
    warp.acquirers |= uint64_t(1) << thread % block.warp_size;
    warp.own[thread % block.warp_size] = draw_epoch(block, checks);
}

void acquire_pending(Checks& checks, BlockChecks& block, unsigned thread) {
    const uint64_t* location = block.orders[thread].pending;
    block.orders[thread].pending = nullptr;
    if (location) acquire_by(checks, block, thread, location);
}

void acquire_pending(const Thread& thread) { acquire_pending(*checks_of(thread), *thread.shadow.block, thread.linear); }

// Whether an atomic operation or a volatile read ordered it.
bool is_known(const Thread& thread, uint64_t cell, uint64_t owner) {
    BlockChecks& block = *thread.shadow.block;
    if (!block.orders) return false;
    acquire_pending(thread);
    Order& order = order_of(thread);
    if (order.ordering && covers(*order.ordering, cell, owner, thread)) return true;
    if (!order.acquired && !block.acquired) return false;
    Checks& checks = *checks_of(thread);
    Locked locked(checks.lock);
    Query query(checks, thread, cell, owner);
    const Release* ordering = query.search(order.acquired, block.acquired);
    if (ordering) order.ordering = ordering;
    return ordering || query.gave_up();
}

const Acquired* merged(BlockChecks& block, const Acquired* into, const Acquired* from) {
    if (!into || into == from) return from;
    for (; from && from != into; from = from->next) into = with(block, into, from->log, from->count);
    return into;
}

uint64_t* copied_row(BlockChecks& block, const WarpChecks& warp, unsigned lane) {
    if (!warp.bounds) return nullptr;
    uint64_t* row = (uint64_t*)block.arena.take(block.warp_size * sizeof *row);
    memcpy(row, warp.bounds + lane * block.warp_size, block.warp_size * sizeof *row);
    return row;
}

Release* empty_release(BlockChecks& block, unsigned first, unsigned count, unsigned scope) {
    static Log nowhere;  // what several threads have is never changed again, as if it had been published
    Release* release = (Release*)block.arena.take(sizeof(Release));
    release->row = (uint64_t*)block.arena.take(count * sizeof(uint64_t));
    release->first = first, release->count = count, release->scope = scope;
    release->number = block.number;
    release->log = &nowhere;
    return release;
}

void join(BlockChecks& block, Release& all, const Release& one) {
    all.block = larger(all.block, one.block);
    for (unsigned i = 0; i < all.count; ++i)
        all.row[i] = larger(all.row[i], limit_of(one, all.first + i, block.warp_size));
    all.by_thread = merged(block, all.by_thread, one.by_thread);
    all.by_block = merged(block, all.by_block, one.by_block);
}

// Threads that make fences and then meet: afterwards any of them may publish what all of them released.
Release* joined(BlockChecks& block, unsigned first, uint64_t lanes, unsigned kind, Release* all) {
    const Release* before = nullptr;
    for (; lanes; lanes &= lanes - 1) {
        const Release* one = block.orders[first + unsigned(__builtin_ctzll(lanes))].fenced[kind];
        if (!one || one == before) continue;
        join(block, *all, *(before = one));
    }
    return before ? all : nullptr;
}

void join_lanes(BlockChecks& block, unsigned number, uint64_t mask) {
    WarpChecks& warp = block.warps[number];
    if (!(warp.fencers & mask)) return;
    warp.fencers &= ~mask;
    const unsigned first = number * block.warp_size;
    for (unsigned kind = 0; kind < 2; ++kind) {
        const unsigned scope = kind ? SCOPE_DEVICE : SCOPE_BLOCK;
        Release* all = joined(block, first, mask, kind, empty_release(block, first, block.warp_size, scope));
        for (uint64_t lanes = all ? mask : 0; lanes; lanes &= lanes - 1)
            block.orders[first + unsigned(__builtin_ctzll(lanes))].fenced[kind] = all;
    }
}

void join_warps(BlockChecks& block) {
    Release* all = nullptr;
    for (unsigned first = 0; first < block.size; first += block.warp_size) {
        WarpChecks& warp = block.warps[first / block.warp_size];
        if (!warp.fenced) continue;
        warp.fenced = false, warp.fencers = 0;
        if (!all) all = empty_release(block, 0, block.size, SCOPE_DEVICE);
        const unsigned left = block.size - first, lanes = left < block.warp_size ? left : block.warp_size;
        joined(block, first, ~uint64_t(0) >> (64 - lanes), 1, all);
    }
    if (!all) return;
    if (block.fenced) join(block, *all, *block.fenced);
    block.fenced = all;
}

}  // namespace

bool ordered(const Thread& thread, uint64_t cell) {
    const Checks& checks = *checks_of(thread);
    const BlockChecks& block = *thread.shadow.block;
    if (cell < checks.floor) return true;
    const Owner owner = owner_of(cell);
    if (owner.launch != uint32_t(checks.id)) return true;  // what streams do is ordered elsewhere
    if (owner.block == uint32_t(block.number) && ordered_in_block(thread, cell)) return true;
    return is_known(thread, cell, owner.block);
}

void acquire(Thread& thread, const uint64_t* location) {
    Checks& checks = *checks_of(thread);
    if (!__atomic_load_n(&checks.log_count, __ATOMIC_ACQUIRE)) return;
    make_order(thread);
    acquire_by(checks, *thread.shadow.block, thread.linear, location);
}

void read_volatile(const Access& access, const Range& range) {
    Order& order = make_order(access.thread);
    const uint64_t* location = cells_at(range, access.address);
    if (order.pending == location) return;
    acquire_pending(access.thread);
    order.pending = location;
    access.thread.shadow.warp->acquirers |= uint64_t(1) << access.thread.lane;
}

void publish(Thread& thread, const uint64_t* location) {
    BlockChecks& block = *thread.shadow.block;
    if (!block.orders) return;
    acquire_pending(thread);
    const Order& order = order_of(thread);
    Release* const releases[] = {order.fenced[0], order.fenced[1], block.fenced};
    for (Release* release : releases) {
        if (!release) continue;
        Checks& checks = *checks_of(thread);
        Locked locked(checks.lock);
        Log* log = make_log(checks, location);
        if (release->log == log) continue;
        release->log = log;
        append(*log, release);
    }
}

void checks_fence(Thread& thread, unsigned scope) {
    Checks& checks = *checks_of(thread);
    if (!checks.race) return;
    BlockChecks& block = *thread.shadow.block;
    WarpChecks& warp = *thread.shadow.warp;
    Order& order = make_order(thread);
    acquire_pending(thread);
    Release*& place = order.fenced[scope == SCOPE_BLOCK ? 0 : 1];
    if (!place || place->log) place = (Release*)block.arena.take(sizeof(Release));
    warp.own[thread.lane] = draw_epoch(block, checks);
    *place = {warp.own[thread.lane], warp.sync, block.barrier, copied_row(block, warp, thread.lane),
              thread.warp * block.warp_size, block.warp_size, block.number, thread.linear, scope,
              order.acquired, block.acquired, nullptr};
    warp.fencers |= uint64_t(1) << thread.lane;
    warp.fenced = true;
}

void synchronise_order(Checks& checks, BlockChecks& block) {
    if (!block.orders) return;
    join_warps(block);
    for (unsigned number = 0; number * block.warp_size < block.size; ++number) {
        WarpChecks& warp = block.warps[number];
        for (uint64_t lanes = warp.acquirers; lanes; lanes &= lanes - 1) {
            const unsigned thread = number * block.warp_size + unsigned(__builtin_ctzll(lanes));
            acquire_pending(checks, block, thread);
            block.acquired = merged(block, block.acquired, block.orders[thread].acquired);
        }
        warp.acquirers = 0;
    }
}

void synchronise_order(Checks& checks, BlockChecks& block, unsigned number, uint64_t mask) {
    WarpChecks& warp = block.warps[number];
    if (!block.orders) return;
    join_lanes(block, number, mask);
    if (!(warp.acquirers & mask)) return;
    Order* orders = block.orders + number * block.warp_size;
    const Acquired* all = nullptr;
    for (uint64_t lanes = warp.acquirers & mask; lanes; lanes &= lanes - 1) {
        acquire_pending(checks, block, number * block.warp_size + unsigned(__builtin_ctzll(lanes)));
        all = merged(block, all, orders[__builtin_ctzll(lanes)].acquired);
    }
    for (uint64_t lanes = mask; lanes; lanes &= lanes - 1) {
        Order& order = orders[__builtin_ctzll(lanes)];
        order.acquired = warp.acquirers >> __builtin_ctzll(lanes) & 1 ? all : merged(block, order.acquired, all);
    }
    warp.acquirers |= mask;
}

void begin_orders(BlockChecks& block) {
    block.orders = nullptr;
    block.acquired = nullptr;
    block.fenced = nullptr;
    for (unsigned number = 0; number * block.warp_size < block.size; ++number) {
        WarpChecks& warp = block.warps[number];
        warp.acquirers = warp.fencers = 0;
        warp.fenced = false;
    }
}

void end_orders(Checks& checks) {
    if (!checks.logs) return;
    for (uint64_t bucket = 0; bucket < BUCKETS; ++bucket)
        for (Log* log = checks.logs[bucket]; log; log = log->next) free(log->releases);
}

}  // namespace accel_sim
