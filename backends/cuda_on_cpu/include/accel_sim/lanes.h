// Sets of lanes of a warp that act together: what groups of cooperative_groups.h are made of.
#pragma once
#include "abi.h"
#include "formats.h"
#include "warps.h"

namespace accel_sim {

constexpr uint64_t lanes_below(unsigned lane) { return lane < 64 ? (uint64_t(1) << lane) - 1 : ~uint64_t(0); }

// Some lanes of this thread's warp, which includes this thread's lane. The rank of a lane is how many are below it.
struct Lanes {
    uint64_t mask;

    ACCEL_SIM_INLINE unsigned size() const { return __builtin_popcountll(mask); }
    ACCEL_SIM_INLINE unsigned rank() const { return __builtin_popcountll(mask & lanes_below(here()->lane)); }
    ACCEL_SIM_INLINE unsigned lane(unsigned rank) const {
        uint64_t rest = mask;
        while (rank--) rest &= rest - 1;
        return rest ? __builtin_ctzll(rest) : 0;
    }

    ACCEL_SIM_INLINE void sync() const { accel_sim_collect(mask, 0, SYNC); }

    // The lanes whose predicate holds.
    ACCEL_SIM_INLINE uint64_t votes(bool predicate) const {
        const uint64_t* const values = accel_sim_collect(mask, predicate, VOTE);
        uint64_t result = 0;
        for (uint64_t rest = mask & word_at(values + 64); rest; rest &= rest - 1)
            if (word_at(values + __builtin_ctzll(rest))) result |= rest & -rest;
        return result;
    }

    // The lanes whose value has the bits of this lane's.
    ACCEL_SIM_INLINE uint64_t matches(uint64_t bits) const {
        const uint64_t* const values = accel_sim_collect(mask, bits, MATCH);
        uint64_t result = 0;
        for (uint64_t rest = mask & word_at(values + 64); rest; rest &= rest - 1)
            if (word_at(values + __builtin_ctzll(rest)) == bits) result |= rest & -rest;
        return result;
    }

    // The value of the lane with a rank. Large values go in words.
    template <typename T>
    ACCEL_SIM_INLINE T shuffled(const T& value, unsigned from_rank, Collective kind = SHUFFLE) const {
        constexpr unsigned words = (sizeof(T) + 7) / 8;
        uint64_t bits[words] = {};
        const unsigned from = lane(from_rank);
        __builtin_memcpy(bits, &value, sizeof(T));
        for (uint64_t& word : bits) word = word_at(accel_sim_collect(mask, word, kind) + from);
        T result;
        __builtin_memcpy(&result, bits, sizeof(T));
        return result;
    }

    // The values of ranks first, first + 1, ... , last, combined from the left.
    template <typename T, typename Operator>
    ACCEL_SIM_INLINE T combined(const T& value, unsigned first, unsigned last, Operator&& combine) const {
        constexpr unsigned words = (sizeof(T) + 7) / 8;
        uint64_t bits[words] = {}, all[64][words] = {};
        __builtin_memcpy(bits, &value, sizeof(T));
        for (unsigned word = 0; word < words; ++word) {
            const uint64_t* const values = accel_sim_collect(mask, bits[word], REDUCE);
            unsigned rank = 0;
            for (uint64_t rest = mask; rest; rest &= rest - 1) all[rank++][word] = word_at(values + __builtin_ctzll(rest));
        }
        T result, next;
        __builtin_memcpy(&result, all[first], sizeof(T));
        for (unsigned rank = first + 1; rank <= last; ++rank) {
            __builtin_memcpy(&next, all[rank], sizeof(T));
            result = combine(result, next);
        }
        return result;
    }

    // Bit i of the result is the bit of the lane with rank i.
    ACCEL_SIM_INLINE uint64_t by_rank(uint64_t bits) const {
        uint64_t result = 0;
        unsigned rank = 0;
        for (uint64_t rest = mask; rest; rest &= rest - 1, ++rank)
            if (bits & rest & -rest) result |= uint64_t(1) << rank;
        return result;
    }
};

// The lanes of this warp that exist: the last warp of a block may have fewer.
ACCEL_SIM_INLINE uint64_t existing_lanes() {
    const Here& thread = *here();
    const unsigned threads = thread.block_dim.x * thread.block_dim.y * thread.block_dim.z;
    const unsigned left = threads - thread.warp * thread.warp_size;
    return lanes_below(left < thread.warp_size ? left : thread.warp_size);
}

}  // namespace accel_sim
