// Accesses of the same location by two threads that nothing orders, at least one of them a write.
#include "checks_access.h"

namespace accel_sim {

namespace {

struct Location {
    uint64_t* pair;    // cells of the last write and of the last read
    uint64_t address;
};

// Two atomic operations do not race, nor do volatile accesses, which CUDA defines as relaxed atomic ones. But the lanes of
// a warp that exchange values by volatile shared memory alone lack a __syncwarp.
bool may_meet(const Access& access, uint64_t mine, uint64_t other, bool shared) {
    if (!(mine & STRONG) || !(other & STRONG)) return false;
    const Thread& thread = access.thread;
    return !(shared && mine & BY_VOLATILE && other & BY_VOLATILE &&
             thread_of(other) / thread.warp_size == thread.warp);
}

Dim unfolded(uint64_t linear, const Dim& size) {
    return {unsigned(linear % size.x), unsigned(linear / size.x % size.y), unsigned(linear / size.x / size.y)};
}

Place other_place(const Access& access, uint64_t cell, uint32_t mode, uint64_t block) {
    const Thread& thread = access.thread;
    Place place{};
    place.pc = site_of(cell) ? checks_of(thread)->sites[site_of(cell)].pc : 0;
    place.block = unfolded(block, thread.grid_dim);
    place.thread = unfolded(thread_of(cell), thread.block_dim);
    place.mode = cell & BY_ATOMIC ? mode | ATOMIC | READ : mode;
    place.size = uint32_t(access.size);
    return place;
}

// `unknown`: the other one read like the thread of the cell, but only that it did is known. `same`: both wrote what is there.
void report_race(const Access& access, const Range& range, uint64_t address, uint64_t cell, uint32_t mode, bool unknown,
                 bool same = false) {
    const Thread& thread = access.thread;
    const Owner owner = owner_of(cell);
    Finding finding = finding_of(access, RACE, &range);
    finding.address = address;
    finding.detail = same;
    finding.other = other_place(access, cell, mode, owner.block);
    if (unknown) finding.other.thread = {~0u, ~0u, ~0u};
    finding.scope = owner.block != uint32_t(thread.shadow.block->number)           ? 2
                    : unknown || thread_of(cell) / thread.warp_size != thread.warp ? 1
                                                                                   : 0;
    report(*thread.run, finding);
}

struct Race {
    const Access& access;
    Range& range;
    uint64_t floor, tag;
    bool shared;

    bool conflicts(uint64_t cell) const {
        return cell >= floor && !may_meet(access, tag, cell, shared) && !ordered(access.thread, cell);
    }

    bool same_thread_and_epoch(uint64_t cell) const { return !((cell ^ tag) >> THREAD_SHIFT); }

    // Whether it may be a race, or not: that is settled later.
    bool meet_write(const Location& at, unsigned size) const {
        const uint64_t cell = load(at.pair);
        if (!conflicts(cell)) return false;
        if (access.mode & WRITE && suspect(at, cell, size)) return true;
        report_race(access, range, at.address, cell, WRITE, false);
        return false;
    }

    bool suspect(const Location& at, uint64_t cell, unsigned size) const {
        Suspicion& suspicion = access.thread.shadow.block->suspicion;
        if (access.mode & (READ | ATOMIC | VOLATILE) || cell & STRONG || suspicion.count == Suspicion::MOST) return false;
        if (access.size > Suspicion::MOST) return false;
        if (!suspicion.count) {
            suspicion.thread = &access.thread, suspicion.range = &range, suspicion.address = access.address;
            suspicion.size = access.size, suspicion.pc = access.pc, suspicion.mode = access.mode;
            suspicion.site = access.site;
        }
        Suspicion::Location& location = suspicion.locations[suspicion.count++];
        location.pair = at.pair, location.address = at.address, location.cell = cell, location.size = size;
        memcpy(location.before, (const void*)at.address, size);
        return true;
    }

    void meet_read(const Location& at) const {
        const uint64_t cell = load(at.pair + 1);
        if (conflicts(cell)) report_race(access, range, at.address, cell, READ, false);
        else if (cell & SEVERAL && same_thread_and_epoch(cell)) report_race(access, range, at.address, cell, READ, true);
    }

    // Of two readers, a plain one stays rather than one that atomic writes may meet.
    void add_reader(const Location& at) const {
        const uint64_t cell = load(at.pair + 1);
        if (cell < floor || ordered(access.thread, cell)) {
            const uint64_t flag = same_thread_and_epoch(cell) ? cell & SEVERAL : 0;
            return store(at.pair + 1, tag | flag);
        }
        if ((cell | tag) & STRONG) {
            if (!(tag & STRONG)) store(at.pair + 1, tag);
            return;
        }
        store(at.pair + 1, reader_of(load(at.pair), cell, tag));
    }

    void use(const Location& at, unsigned size) const {
        const bool suspected = meet_write(at, size);
        if (!(access.mode & WRITE)) return add_reader(at);
        meet_read(at);
        store(at.pair, suspected ? tag | SUSPECTED : tag);
        forget_atomic_read(at);
    }

    // Operations on one location have an order, so what this thread does there next comes after that read.
    void forget_atomic_read(const Location& at) const {
        if (tag & STRONG && load(at.pair + 1) & STRONG) store(at.pair + 1, 0);
    }

    uint64_t* bytes_of(uint64_t address) const {
        return range.cells + words_of(range) * 2 + (address - range.begin / 4 * 4) * 2;
    }

    bool is_fine(const uint64_t* pair) const {
        const uint64_t cell = load(pair);
        return cell & FINE && cell >= floor;
    }

    // Gives the bytes of a word cells of their own, with what is known of the word.
    void refine(uint64_t* pair, uint64_t word) const {
        const uint64_t written = load(pair) & FINE ? 0 : load(pair), read = load(pair) & FINE ? 0 : load(pair + 1);
        uint64_t* bytes = bytes_of(word);
        for (unsigned i = 0; i < 4; ++i) store(bytes + 2 * i, written), store(bytes + 2 * i + 1, read);
        store(pair + 1, 0);
        store(pair, (stamp_of(access.thread) >> EPOCH_SHIFT << EPOCH_SHIFT) | FINE);
    }

    // The bytes [from, to) of a word.
    void use_bytes(uint64_t* pair, uint64_t word, unsigned from, unsigned to) const {
        if (!is_fine(pair)) refine(pair, word);
        for (unsigned i = from; i < to; ++i) use({bytes_of(word) + 2 * i, word + i}, 1);
    }

    void use_word(uint64_t* pair, uint64_t word) const {
        if (!is_fine(pair)) {
            if (load(pair) & FINE) store(pair, 0), store(pair + 1, 0);
            return use({pair, word}, 4);
        }
        use_bytes(pair, word, 0, 4);
        if (!(access.mode & WRITE)) return;
        uint64_t suspected = 0;
        for (unsigned i = 0; i < 4; ++i) suspected |= load(bytes_of(word) + 2 * i) & SUSPECTED;
        store(pair + 1, 0), store(pair, tag | suspected);
    }
};

}  // namespace

static void settled(uint64_t* cell) {
    uint64_t written = load(cell);
    if (written & SUSPECTED)
        __atomic_compare_exchange_n(cell, &written, written & ~SUSPECTED, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void settle(Suspicion& suspicion) {
    Thread& thread = *suspicion.thread;
    const Access access{thread, suspicion.address, suspicion.size, suspicion.pc, suspicion.mode, suspicion.site};
    const unsigned count = suspicion.count;
    suspicion.count = 0;
    for (unsigned i = 0; i < count; ++i) {
        const Suspicion::Location& at = suspicion.locations[i];
        settled(at.pair), settled(cells_at(*suspicion.range, at.address));
        const bool same = !memcmp(at.before, (const void*)at.address, at.size);
        if (!same || checks_of(thread)->same_values)
            report_race(access, *suspicion.range, at.address, at.cell, WRITE, false, same);
    }
}

void check_cells(const Access& access, Range& range, uint64_t floor) {
    Suspicion& suspicion = access.thread.shadow.block->suspicion;
    if (__builtin_expect(suspicion.count, 0)) settle(suspicion);
    if (!range.cells && !make_cells(range)) return;
    const Race race{access, range, floor, tag_of(access), on_chip(space_of(access.thread, &range))};
    const uint64_t end = access.address + access.size;
    for (uint64_t word = access.address / 4 * 4; word < end; word += 4) {
        uint64_t* pair = cells_at(range, word);
        const unsigned from = word < access.address ? unsigned(access.address - word) : 0;
        const unsigned to = end - word < 4 ? unsigned(end - word) : 4;
        if (to - from == 4) race.use_word(pair, word);
        else race.use_bytes(pair, word, from, to);
    }
}

}  // namespace accel_sim
