// Copies boxes of items through shared memory, where the contiguous runs of a source and of a target are short or differ:
// narrow matrices, images with channels last, items that are not aligned.
//
// A box takes a part of each of a few loops, such that it consists of long runs in the source and of long runs in the
// target. Runs of the source are read as they are, and runs of the target are put together from single items. Distances
// are in items. Macros:
// ACCEL_READ, ACCEL_WRITE, bytes of a word of the source (up to 16) and of the target (up to 4, or an item).
// ACCEL_GAPS, whether there are gaps between lines of shared memory: 0 or 1.
// ACCEL_READ_ROWS, ACCEL_WRITE_ROWS, loops of the box that are not within a run: 0 to 3.
// ACCEL_RUN_LOOPS, loops of the box within a run of the target: 1 to 4.

#ifdef ACCEL_COPY_BOXES
constexpr int THREADS = 256;
constexpr unsigned LINE = 128 / ACCEL_ITEM;                    // items of a line of all banks of shared memory
constexpr unsigned GAP = ACCEL_ITEM < 4 ? 4 / ACCEL_ITEM : 1;  // items
constexpr int READS = ACCEL_READ < 16 ? 8 : 4;                 // words in flight at once

struct Row {
    Divisor extent;
    Distance stride;
    unsigned shared;  // the step in shared memory, in items
    unsigned cut;     // which of the two loops that the box takes only a part of; 2 if none
};

struct Side {
    Divisor words;  // of a run
    unsigned count; // words of all runs
    unsigned run, inner, cut;  // items of a run, items of a step of its slowest loop, and whether that is cut
    Row rows[3];
};

// The two loops of which a box has a part, and the loops of the runs of the target, the fastest first.
struct Box {
    Divisor boxes[2];
    Index extents[2];
    unsigned parts[2];
    Distance target_steps[2], source_steps[2];
    Side read, write;
    Divisor run[3];
    unsigned shared[4];
};

// Items of the two cut loops that are left from the start of a box to the end.
struct Left {
    unsigned first, second;
    __device__ unsigned of(unsigned cut, unsigned otherwise) const {
        return cut == 2 ? otherwise : cut ? second : first;
    }
};

// A word of a run: where it is, and how many items are left in the run.
struct Spot {
    Distance distance;
    unsigned position, shared, left;
};

template <int ROWS, int PACK>
__device__ inline Spot spot_of(const Side& side, const Left& left, unsigned word) {
    Index number = word;
    const unsigned position = unsigned(ROWS ? split(number, side.words) : number) * PACK;
    const unsigned run = min(side.run, left.of(side.cut, side.run) * side.inner);
    Spot spot{Distance(position), position, 0, word < side.count && position < run ? run - position : 0};
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const unsigned count = unsigned(i + 1 < ROWS ? split(number, side.rows[i].extent) : number);
        spot.distance += Distance(count * Offset(side.rows[i].stride));
        spot.shared += count * side.rows[i].shared;
        if (count >= left.of(side.rows[i].cut, ~0u)) spot.left = 0;
    }
    return spot;
}

// With gaps, items that are an even number apart are mostly in different banks; an odd number needs none.
__device__ inline unsigned with_gaps(unsigned slot) { return ACCEL_GAPS ? slot + slot / LINE * GAP : slot; }

__device__ inline void read_box(Item* shared, const Item* source, const Box& box, const Left& left) {
    using Word = Access<ACCEL_READ>::Type;
    constexpr int PACK = ACCEL_READ / ACCEL_ITEM;
#pragma unroll 1
    for (unsigned first = threadIdx.x; first < box.read.count; first += THREADS * READS) {
        Spot spots[READS];
        Word words[READS];
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            spots[k] = spot_of<ACCEL_READ_ROWS, PACK>(box.read, left, first + k * THREADS);
            words[k] = Word{};
            if (spots[k].left >= PACK) words[k] = load(reinterpret_cast<const Word*>(source + spots[k].distance));
        }
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            Item* to = shared + with_gaps(spots[k].shared + spots[k].position);
            if (spots[k].left >= PACK)
                *reinterpret_cast<Word*>(to) = words[k];
            else if constexpr (PACK > 1)
#pragma unroll 1
                for (unsigned i = 0; i < spots[k].left; ++i) to[i] = load(source + spots[k].distance + i);
        }
    }
}

// Walks the items of a run of the target in shared memory.
struct Walk {
    unsigned slot, counts[3];

    __device__ Walk(const Box& box, unsigned slot, unsigned position) : slot(slot), counts{} {
        Index number = position;
#pragma unroll
        for (int i = 0; i < ACCEL_RUN_LOOPS; ++i) {
            const unsigned count = unsigned(i + 1 < ACCEL_RUN_LOOPS ? split(number, box.run[i]) : number);
            this->slot += count * box.shared[i];
            if (i < 3) counts[i] = count;
        }
    }
    __device__ void advance(const Box& box) {
        slot += box.shared[0];
#pragma unroll
        for (int i = 0; i + 1 < ACCEL_RUN_LOOPS; ++i) {
            const unsigned extent = unsigned(box.run[i].value);
            if (++counts[i] < extent) break;
            counts[i] = 0;
            slot += box.shared[i + 1] - extent * box.shared[i];
        }
    }
};

// The word of the next items of a walk.
template <typename Word, int PACK>
__device__ inline Word gathered(const Item* shared, Walk& walk, const Box& box) {
    if constexpr (PACK == 1) return shared[with_gaps(walk.slot)];
    else {
        Word word = 0;
#pragma unroll
        for (int i = 0; i < PACK; ++i, walk.advance(box))
            word |= Word(shared[with_gaps(walk.slot)]) << (8 * ACCEL_ITEM * i);
        return word;
    }
}

__device__ inline void write_box(const Item* shared, Item* target, const Box& box, const Left& left) {
    using Word = Access<ACCEL_WRITE>::Type;
    constexpr int PACK = ACCEL_WRITE / ACCEL_ITEM;
#pragma unroll 4
    for (unsigned word = threadIdx.x; word < box.write.count; word += THREADS) {
        const Spot spot = spot_of<ACCEL_WRITE_ROWS, PACK>(box.write, left, word);
        Walk walk(box, spot.shared, spot.position);
        Item* to = target + spot.distance;
        if (spot.left >= PACK)
            *reinterpret_cast<Word*>(to) = gathered<Word, PACK>(shared, walk, box);
        else
#pragma unroll 1
            for (unsigned i = 0; i < spot.left; ++i, walk.advance(box)) to[i] = shared[with_gaps(walk.slot)];
    }
}

extern "C" __global__ void __launch_bounds__(256, 4)
    copy_boxes(char* target, const char* source, const Loops loops, const Box box) {
    extern __shared__ uint4 memory[];
    Item* shared = reinterpret_cast<Item*>(memory);
    const Index count = loops.count * box.boxes[0].value * box.boxes[1].value;
    for (Index one = blockIdx.x; one < count; one += gridDim.x) {
        Index number = one;
        const Index first = split(number, box.boxes[0]), second = split(number, box.boxes[1]);
        Place corner = place_of(loops, number);
        corner.target += first * Offset(box.target_steps[0]) + second * Offset(box.target_steps[1]);
        corner.source += first * Offset(box.source_steps[0]) + second * Offset(box.source_steps[1]);
        const Left left{unsigned(min(box.extents[0] - first * box.parts[0], Index(box.parts[0]))),
                        unsigned(min(box.extents[1] - second * box.parts[1], Index(box.parts[1])))};
        read_box(shared, reinterpret_cast<const Item*>(source) + Distance(corner.source), box, left);
        __syncthreads();
        write_box(shared, reinterpret_cast<Item*>(target) + Distance(corner.target), box, left);
        __syncthreads();  // the next box must not overwrite what is still being written out
    }
}
#endif
