// Cooperative groups, as in CUDA and HIP: blocks, grids, tiles of a warp, coalesced threads.
//
// Not here: clusters, several grids, tiles that are larger than a warp.
#pragma once
#include "accel_sim/lanes.h"

namespace cooperative_groups {

namespace __v1 {  // where libcu++ declares two of them

// Any group. The others convert to it.
class thread_group {
  protected:
    enum Kind : unsigned char { LANES, BLOCK, GRID };
    accel_sim::Lanes lanes;
    unsigned parts = 1, part = 0;  // how many groups the parent was divided into, and which of them this is
    Kind kind;

    thread_group(Kind kind, uint64_t mask) : lanes{mask}, kind(kind) {}
    friend thread_group tiled_partition(const thread_group& parent, unsigned size);

  public:
    ACCEL_SIM_INLINE void sync() const {
        if (kind == LANES) lanes.sync();
        else if (kind == BLOCK) accel_sim_barrier(0, accel_sim::BARRIER_PLAIN);
        else accel_sim_grid_barrier();
    }
    unsigned long long size() const {
        const accel_sim::Dim &block = accel_sim::here()->block_dim, &grid = accel_sim::here()->grid_dim;
        const unsigned long long threads = block.x * block.y * block.z;
        return kind == LANES ? lanes.size() : kind == BLOCK ? threads : threads * grid.x * grid.y * grid.z;
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const {
        const accel_sim::Here& thread = *accel_sim::here();
        if (kind == LANES) return lanes.rank();
        if (kind == BLOCK) return thread.linear;
        const unsigned long long block =
            ((unsigned long long)thread.block.z * thread.grid_dim.y + thread.block.y) * thread.grid_dim.x + thread.block.x;
        return block * (thread.block_dim.x * thread.block_dim.y * thread.block_dim.z) + thread.linear;
    }
    ACCEL_SIM_INLINE bool is_valid() const { return true; }
    // Used by the algorithms of reduce.h, scan.h and memcpy_async.h.
    ACCEL_SIM_INLINE const accel_sim::Lanes& accel_sim_lanes() const { return lanes; }
};

class thread_block : public thread_group {
    thread_block() : thread_group(BLOCK, 0) {}
    friend thread_block this_thread_block();

  public:
    struct arrival_token {};

    ACCEL_SIM_INLINE static void sync(unsigned place = ACCEL_SIM_PLACE) {
        accel_sim_barrier(0, accel_sim::BARRIER_PLAIN | place);
    }
    // Both together are a barrier, at the second.
    ACCEL_SIM_INLINE static arrival_token barrier_arrive() { return {}; }
    ACCEL_SIM_INLINE static void barrier_wait(arrival_token&&) { sync(); }
    ACCEL_SIM_INLINE static unsigned thread_rank() { return accel_sim::here()->linear; }
    ACCEL_SIM_INLINE static unsigned size() {
        const accel_sim::Dim& block = accel_sim::here()->block_dim;
        return block.x * block.y * block.z;
    }
    ACCEL_SIM_INLINE static unsigned num_threads() { return size(); }
    ACCEL_SIM_INLINE static dim3 thread_index() { return accel_sim_dim3(accel_sim::here()->thread); }
    ACCEL_SIM_INLINE static dim3 group_index() { return accel_sim_dim3(accel_sim::here()->block); }
    ACCEL_SIM_INLINE static dim3 dim_threads() { return accel_sim_dim3(accel_sim::here()->block_dim); }
    ACCEL_SIM_INLINE static dim3 group_dim() { return dim_threads(); }

  private:
    ACCEL_SIM_INLINE static dim3 accel_sim_dim3(const accel_sim::Dim& dim) { return dim3(dim.x, dim.y, dim.z); }
    friend class grid_group;
};

class grid_group : public thread_group {
    grid_group() : thread_group(GRID, 0) {}
    friend grid_group this_grid();

  public:
    struct arrival_token {};

    ACCEL_SIM_INLINE static void sync() { accel_sim_grid_barrier(); }
    ACCEL_SIM_INLINE static arrival_token barrier_arrive() { return {}; }
    ACCEL_SIM_INLINE static void barrier_wait(arrival_token&&) { sync(); }
    ACCEL_SIM_INLINE static dim3 dim_blocks() { return thread_block::accel_sim_dim3(accel_sim::here()->grid_dim); }
    ACCEL_SIM_INLINE static dim3 group_dim() { return dim_blocks(); }
    ACCEL_SIM_INLINE static dim3 block_index() { return thread_block::accel_sim_dim3(accel_sim::here()->block); }
    static unsigned long long num_blocks() {
        const accel_sim::Dim& grid = accel_sim::here()->grid_dim;
        return (unsigned long long)grid.x * grid.y * grid.z;
    }
    unsigned long long block_rank() const { return thread_rank() / thread_block::size(); }
};

// What tiles and coalesced groups can do: their lanes are of one warp.
class accel_sim_warp_group : public thread_group {
  protected:
    ACCEL_SIM_INLINE explicit accel_sim_warp_group(uint64_t mask) : thread_group(LANES, mask) {}

    ACCEL_SIM_INLINE accel_sim::Mask of_ranks(uint64_t bits) const { return accel_sim::Mask(lanes.by_rank(bits)); }
    template <typename T>
    ACCEL_SIM_INLINE static uint64_t bits_of(const T& value) {
        static_assert(sizeof(T) <= 8, "lanes are matched by values of 8 bytes or less");
        uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof(T));
        return bits;
    }

  public:
    ACCEL_SIM_INLINE unsigned size() const { return lanes.size(); }
    ACCEL_SIM_INLINE unsigned num_threads() const { return lanes.size(); }
    ACCEL_SIM_INLINE unsigned thread_rank() const { return lanes.rank(); }
    ACCEL_SIM_INLINE unsigned meta_group_size() const { return parts; }
    ACCEL_SIM_INLINE unsigned meta_group_rank() const { return part; }

    template <typename T>
    ACCEL_SIM_INLINE T shfl(const T& value, unsigned from) const {
        return lanes.shuffled(accel_sim::offered(value), from % lanes.size());
    }
    template <typename T>
    ACCEL_SIM_INLINE T shfl_down(const T& value, unsigned by) const {
        const unsigned rank = lanes.rank();
        return lanes.shuffled(accel_sim::offered(value), by < lanes.size() - rank ? rank + by : rank);
    }
    template <typename T>
    ACCEL_SIM_INLINE T shfl_up(const T& value, unsigned by) const {
        const unsigned rank = lanes.rank();
        return lanes.shuffled(accel_sim::offered(value), by <= rank ? rank - by : rank);
    }
    template <typename T>
    ACCEL_SIM_INLINE T shfl_xor(const T& value, unsigned bits) const {
        const unsigned rank = lanes.rank(), from = rank ^ bits;
        return lanes.shuffled(accel_sim::offered(value), from < lanes.size() ? from : rank);
    }
    ACCEL_SIM_INLINE int any(int predicate) const { return lanes.votes(predicate) != 0; }
    ACCEL_SIM_INLINE int all(int predicate) const { return lanes.votes(predicate) == lanes.mask; }
    ACCEL_SIM_INLINE accel_sim::Mask ballot(int predicate) const { return of_ranks(lanes.votes(predicate)); }
    template <typename T>
    ACCEL_SIM_INLINE accel_sim::Mask match_any(T value) const {
        return of_ranks(lanes.matches(bits_of(value)));
    }
    template <typename T>
    ACCEL_SIM_INLINE accel_sim::Mask match_all(T value, int& all) const {
        const uint64_t same = lanes.matches(bits_of(value));
        all = same == lanes.mask;
        return all ? of_ranks(same) : 0;
    }
};

class coalesced_group : public accel_sim_warp_group {
    ACCEL_SIM_INLINE explicit coalesced_group(uint64_t mask) : accel_sim_warp_group(mask) {}
    friend coalesced_group coalesced_threads();
    friend coalesced_group tiled_partition(const coalesced_group& parent, unsigned size);
    template <typename Group, typename Label>
    friend coalesced_group labeled_partition(const Group& parent, Label label);

  public:
    coalesced_group(const coalesced_group&) = default;
    coalesced_group& operator=(const coalesced_group&) = default;
};

template <unsigned N, typename Parent = void>
class thread_block_tile : public accel_sim_warp_group {
    static_assert(N > 0 && (N & (N - 1)) == 0, "the size of a tile is a power of two");
    static_assert(N <= ACCEL_SIM_WARP, "a tile that is larger than a warp is not simulated");

    ACCEL_SIM_INLINE static unsigned first() { return accel_sim::here()->lane / N * N; }
    thread_block_tile(unsigned parts, unsigned part)
        : accel_sim_warp_group(accel_sim::lanes_below(N) << first() & accel_sim::existing_lanes()) {
        this->parts = parts, this->part = part;
    }
    template <unsigned, typename>
    friend class thread_block_tile;
    template <unsigned M, typename Group>
    friend thread_block_tile<M, Group> tiled_partition(const Group& parent);
    friend thread_block_tile<1> this_thread();

  public:
    template <typename Other>
    thread_block_tile(const thread_block_tile<N, Other>& other) : thread_block_tile(other.parts, other.part) {}

    static constexpr unsigned size() { return N; }
    static constexpr unsigned num_threads() { return N; }
    ACCEL_SIM_INLINE static unsigned thread_rank() { return accel_sim::here()->lane % N; }
};

ACCEL_SIM_INLINE thread_block this_thread_block() { return {}; }
ACCEL_SIM_INLINE grid_group this_grid() { return {}; }
ACCEL_SIM_INLINE coalesced_group coalesced_threads() { return coalesced_group(accel_sim_active()); }
ACCEL_SIM_INLINE thread_block_tile<1> this_thread() { return {1, 0}; }

// Tiles of N threads of a block, of a larger tile, or of a group that is one of these.
template <unsigned N, typename Parent>
ACCEL_SIM_INLINE thread_block_tile<N, Parent> tiled_partition(const Parent& parent) {
    const unsigned size = parent.size();
    return {(size + N - 1) / N, unsigned(parent.thread_rank()) / N};
}

ACCEL_SIM_INLINE thread_group tiled_partition(const thread_group& parent, unsigned size) {
    const bool warp = parent.kind == thread_group::LANES;
    const unsigned rank = parent.thread_rank(), first = rank / size * size;
    thread_group group(thread_group::LANES, 0);
    group.parts = (parent.size() + size - 1) / size, group.part = rank / size;
    const uint64_t all = warp ? parent.lanes.mask : accel_sim::existing_lanes();
    const unsigned begin = warp ? first : accel_sim::here()->lane / size * size;
    for (unsigned i = 0; i < size && begin + i < accel_sim::Lanes{all}.size(); ++i)
        group.lanes.mask |= uint64_t(1) << accel_sim::Lanes{all}.lane(begin + i);
    return group;
}
ACCEL_SIM_INLINE coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
    coalesced_group group(0);
    static_cast<thread_group&>(group) = tiled_partition(static_cast<const thread_group&>(parent), size);
    return group;
}

// The threads of a group that have the same label.
template <typename Group, typename Label>
ACCEL_SIM_INLINE coalesced_group labeled_partition(const Group& parent, Label label) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &label, sizeof(Label));
    return coalesced_group(parent.accel_sim_lanes().matches(bits));
}
template <typename Group>
ACCEL_SIM_INLINE coalesced_group binary_partition(const Group& parent, bool predicate) {
    return labeled_partition(parent, int(predicate));
}

template <typename Group>
ACCEL_SIM_INLINE void sync(const Group& group) {
    group.sync();
}
template <typename Group>
ACCEL_SIM_INLINE void synchronize(const Group& group) {
    group.sync();
}

// Calls a function in one thread of a group.
template <typename Group, typename Function, typename... Arguments>
ACCEL_SIM_INLINE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
    if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
// The same, and every thread gets the result.
template <typename Group, typename Function, typename... Arguments>
ACCEL_SIM_INLINE auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
    decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
    if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
    return group.accel_sim_lanes().shuffled(result, 0);
}

}  // namespace __v1

using namespace __v1;

}  // namespace cooperative_groups
