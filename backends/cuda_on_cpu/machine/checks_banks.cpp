// Conflicts of banks: how many passes over shared memory an access of a warp takes, and how many it would take without.
//
// Accesses by the same instruction, each for the same time since the last barrier, are one access of the warp. A thread may
// run ahead of the others: then the last rounds that all lanes made count, and earlier ones do not.
#include "checks.h"

namespace accel_sim {

namespace {

constexpr unsigned BANKS = 32, WORD = 4, ROUNDS = 16;
constexpr unsigned WIDEST = 16;  // bytes of an access of a lane

}  // namespace

// An instruction of a warp, and what its accesses took until now.
struct BankSite {
    struct Round {
        uint64_t lanes, addresses[64];
    };

    uint64_t pc;
    unsigned warp, size;
    uint32_t mode;
    unsigned times[64];  // of each lane, since the last barrier
    unsigned first;      // of the rounds that are kept
    Round rounds[ROUNDS];
    uint64_t accesses, passes, fewest;
    unsigned worst;      // passes of one access, for each that it needs
    uint64_t address;    // of that access, by a lane; when the block has ended, from the start of the space
    Space space;
    unsigned thread;
    Dim block;
    BankSite* next;
};

namespace {

using Round = BankSite::Round;

BankSite* bank_site(BankSite*& sites, uint64_t pc, unsigned warp) {
    BankSite** link = &sites;
    for (; *link; link = &(*link)->next)
        if ((*link)->pc == pc && (*link)->warp == warp) {
            BankSite* site = *link;  // to the front: it is likely to be the next one again
            *link = site->next;
            site->next = sites;
            return sites = site;
        }
    BankSite* site = (BankSite*)calloc(1, sizeof(BankSite));
    if (!site) abort();
    site->pc = pc, site->warp = warp, site->next = sites;
    return sites = site;
}

// The passes of some lanes that access memory at once: as many as there are words in one bank.
unsigned passes_of(const Round& round, uint64_t lanes, unsigned size) {
    uint64_t words[BANKS * 2 + 2];
    unsigned count = 0, most = 0, in_bank[BANKS] = {};
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t address = round.addresses[__builtin_ctzll(lanes)];
        for (uint64_t word = address / WORD; word * WORD < address + size; ++word) {
            unsigned i = 0;
            while (i < count && words[i] != word) ++i;
            if (i < count) continue;
            words[count++] = word;
            const unsigned here = ++in_bank[word % BANKS];
            if (here > most) most = here;
        }
    }
    return most;
}

// Lanes access 8 bytes in halves of 32 lanes, and 16 bytes in quarters.
void settle(const Block& block, BankSite& site, Round& round) {
    const unsigned width = BANKS / (site.size > WORD ? site.size / WORD : 1);
    unsigned passes = 0, fewest = 0;
    for (unsigned lane = 0; lane < 64; lane += width) {
        const uint64_t part = round.lanes & (~uint64_t(0) >> (64 - width)) << lane;
        if (!part) continue;
        passes += passes_of(round, part, site.size);
        ++fewest;
    }
    if (!fewest) return;
    ++site.accesses, site.passes += passes, site.fewest += fewest;
    if (passes > site.worst) {
        const unsigned lane = unsigned(__builtin_ctzll(round.lanes));
        site.worst = passes, site.address = round.addresses[lane], site.block = block.index;
        site.thread = site.warp * block.run->launch->warp_size + lane;
    }
    round.lanes = 0;
}

// The lanes that are too late for a round are not counted, nor those that have made it.
void move_on(BankSite& site, unsigned first) {
    for (unsigned time = site.first; time < first && time < site.first + ROUNDS; ++time) site.rounds[time % ROUNDS].lanes = 0;
    site.first = first;
}

Dim index_of(unsigned number, const Dim& block) {
    return {number % block.x, number / block.x % block.y, number / block.x / block.y};
}

void add(BankSite& total, const BankSite& site) {
    total.size = site.size, total.mode = site.mode;
    total.accesses += site.accesses, total.passes += site.passes, total.fewest += site.fewest;
    if (site.worst <= total.worst) return;
    total.worst = site.worst, total.address = site.address, total.space = site.space;
    total.thread = site.thread, total.block = site.block;
}

}  // namespace

void note_banks(Thread& thread, uint64_t address, uint64_t size, uint32_t mode, uint64_t pc) {
    BlockChecks& mine = *thread.shadow.block;
    if (size > WIDEST || (!holds(mine.shared, address) && !holds(mine.dynamic, address))) return;
    BankSite& site = *bank_site(mine.banks, pc, thread.warp);
    site.size = unsigned(size), site.mode = mode & (READ | WRITE);
    const unsigned time = site.times[thread.lane]++;
    if (time < site.first) return;
    if (time >= site.first + ROUNDS) move_on(site, time - ROUNDS + 1);
    Round& round = site.rounds[time % ROUNDS];
    round.lanes |= uint64_t(1) << thread.lane;
    round.addresses[thread.lane] = address;
    const Block& block = *thread.block_state;
    if (!(block.warps[thread.warp].live & ~round.lanes)) settle(block, site, round);
}

void settle_banks(const Block& block) {
    for (BankSite* site = checks_of(block).banks; site; site = site->next) {
        for (Round& round : site->rounds) settle(block, *site, round);
        memset(site->times, 0, sizeof site->times);
        site->first = 0;
    }
}

void end_banks(const Block& block, Checks& checks) {
    settle_banks(block);
    BlockChecks& mine = checks_of(block);
    Locked locked(checks.lock);
    while (BankSite* site = mine.banks) {
        mine.banks = site->next;
        const bool dynamic = holds(mine.dynamic, site->address);
        site->space = dynamic ? SPACE_DYNAMIC_SHARED : SPACE_SHARED;
        site->address -= dynamic ? mine.dynamic.begin : mine.shared.begin;
        add(*bank_site(checks.banks, site->pc, 0), *site);
        free(site);
    }
}

void report_banks(Checks& checks) {
    Run& run = *checks.run;
    while (BankSite* site = checks.banks) {
        checks.banks = site->next;
        if (site->passes > site->fewest) {
            Finding finding{};
            finding.kind = BANK_CONFLICT;
            finding.count = site->accesses;
            finding.detail = site->passes << 32 | site->fewest;
            finding.space = site->space;
            finding.offset = int64_t(site->address);
            finding.range = -1;
            name_variable(*run.launch, finding);
            finding.here = {site->pc, site->block, index_of(site->thread, run.launch->block), site->mode, site->size};
            report(run, finding);
        }
        free(site);
    }
}

}  // namespace accel_sim
