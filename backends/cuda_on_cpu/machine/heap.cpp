// The heap of a device.
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>

#include "checks.h"

namespace accel_sim {

namespace {

constexpr uint64_t GRANULE_BYTES = 16, DEFAULT_BYTES = 8 << 20, RESERVED = 256 << 20;
constexpr uint64_t RECENT = (4 << 20) / GRANULE_BYTES;  // so much is used before what was freed is used again
constexpr unsigned SIZE_SHIFT = 2, SIZE_BITS = 40, LAUNCH_SHIFT = SIZE_SHIFT + SIZE_BITS;
constexpr int FRESH = 0xFF;

Heap default_heap;

uint64_t word_of(uint64_t size, Maker maker) { return size << SIZE_SHIFT | maker; }
Maker maker_of(uint64_t word) { return Maker(word & 3); }
uint64_t bytes_of(uint64_t word) { return word >> SIZE_SHIFT & ((uint64_t(1) << SIZE_BITS) - 1); }
// After each piece in use is a granule that nobody may use.
uint64_t granules_for(uint64_t size) { return (size + GRANULE_BYTES - 1) / GRANULE_BYTES + 1; }
uint64_t granules_of(uint64_t word) {
    return maker_of(word) ? granules_for(bytes_of(word)) : bytes_of(word) / GRANULE_BYTES;
}

void* pages(uint64_t size) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

// Reserves addresses, so that the limit may change later; for one that is above them only if nothing is in use.
bool open(Heap& heap, uint64_t limit) {
    heap.limit = limit ? limit : DEFAULT_BYTES;
    if (heap.range.size && (heap.used || heap.limit <= heap.range.size)) return true;
    heap.clear();
    const uint64_t size = heap.limit < RESERVED ? RESERVED : heap.limit / PAGE * PAGE;
    void* memory = pages(size);
    heap.pieces = (uint64_t*)pages(size / GRANULE_BYTES * sizeof(uint64_t));
    if (!memory || !heap.pieces) {
        if (memory) munmap(memory, size);
        return false;
    }
    heap.range.begin = uint64_t(memory);
    __atomic_store_n(&heap.range.size, size, __ATOMIC_RELEASE);
    return true;
}

// Where a free piece of so many granules begins, among those from one place to another; `to` if there is none. Joins the
// free pieces that it passes.
uint64_t search(Heap& heap, uint64_t from, uint64_t to, uint64_t count) {
    for (uint64_t at = from; at < to; at += granules_of(heap.pieces[at])) {
        uint64_t& word = heap.pieces[at];
        if (maker_of(word)) continue;
        for (uint64_t next; (next = at + granules_of(word)) < heap.top && !maker_of(heap.pieces[next]);) {
            word += word_of(bytes_of(heap.pieces[next]), NOBODY);
            heap.pieces[next] = 0;
        }
        if (granules_of(word) >= count) return at;
        if (at + granules_of(word) == heap.top) heap.last = at;
    }
    return to;
}

bool has_room_at_top(const Heap& heap, uint64_t count) {
    const uint64_t size = heap.limit < heap.range.size ? heap.limit : heap.range.size;
    return heap.top + count <= size / GRANULE_BYTES;
}

// The place of a free piece; the top of the heap if there is none.
uint64_t place_for(Heap& heap, uint64_t count) {
    if ((heap.top < RECENT && has_room_at_top(heap, count)) || count > heap.fits) return heap.top;
    heap.last = heap.top;
    uint64_t at = search(heap, heap.cursor, heap.top, count);
    if (at >= heap.top && (at = search(heap, 0, heap.cursor, count)) >= heap.cursor) at = heap.top;
    if (at < heap.top) return at;
    heap.fits = count - 1, heap.cursor = 0;
    if (heap.last < heap.top && !has_room_at_top(heap, count)) heap.pieces[heap.top = heap.last] = 0;
    return heap.top;
}

void mark(Heap& heap, uint64_t granule, uint64_t size, uint64_t room, uint8_t state) {
    if (!heap.range.written) return;
    memset(heap.range.written + granule * GRANULE_BYTES, state, size);
    memset(heap.range.written + granule * GRANULE_BYTES + size, GAP, room - size);
}

void map(Heap& heap) {
    if (heap.range.written || !(heap.range.written = (uint8_t*)pages(heap.range.size))) return;
    for (uint64_t at = 0; at < heap.top; at += granules_of(heap.pieces[at])) {
        const uint64_t word = heap.pieces[at], room = granules_of(word) * GRANULE_BYTES;
        mark(heap, at, bytes_of(word), room, maker_of(word) ? WRITTEN : FREED);
    }
}

void release(Heap& heap, uint64_t granule) {
    const uint64_t size = bytes_of(heap.pieces[granule]), room = granules_for(size) * GRANULE_BYTES;
    heap.used -= size;
    heap.pieces[granule] = word_of(room, NOBODY);
    heap.fits = heap.range.size / GRANULE_BYTES;
    mark(heap, granule, room, room, FREED);
}

// The words of the shadow; their bytes have cells of their own only as long as these say so.
void forget_accesses(Heap& heap, uint64_t granule, uint64_t room) {
    if (uint64_t* cells = heap.range.cells)
        memset((void*)(cells + granule * GRANULE_BYTES / 2), 0, room / 2 * sizeof *cells);
}

}  // namespace

Heap& heap_of(const Launch& launch) { return launch.heap ? *launch.heap : default_heap; }

void* Heap::take(uint64_t size, Maker maker, const Run& run) {
    const Launch& launch = *run.launch;
    Locked locked(lock);
    const uint64_t count = granules_for(size ? size : 1);
    if (!open(*this, launch.heap_size) || size > limit || used + count * GRANULE_BYTES > limit) return nullptr;
    const uint64_t at = place_for(*this, count);
    if (at == top) {
        if (!has_room_at_top(*this, count)) return nullptr;
        top += count;
    } else if (const uint64_t rest = granules_of(pieces[at]) - count) {
        pieces[at + count] = word_of(rest * GRANULE_BYTES, NOBODY);
    }
    pieces[at] = word_of(size ? size : 1, maker) | run.number << LAUNCH_SHIFT;
    cursor = at + count < top ? at + count : 0;
    used += bytes_of(pieces[at]);
    if (launch.checks & (CHECK_MEMORY | CHECK_INIT)) map(*this);
    mark(*this, at, bytes_of(pieces[at]), count * GRANULE_BYTES, launch.checks & CHECK_INIT ? UNWRITTEN : WRITTEN);
    forget_accesses(*this, at, count * GRANULE_BYTES);
    return memset((void*)(range.begin + at * GRANULE_BYTES), FRESH, bytes_of(pieces[at]));
}

uint64_t Heap::bytes() const { return top * GRANULE_BYTES; }

Piece Heap::at(uint64_t address) const {
    uint64_t granule = (address - range.begin) / GRANULE_BYTES;
    while (granule && !pieces[granule]) --granule;
    return {granule * GRANULE_BYTES, bytes_of(pieces[granule]), maker_of(pieces[granule])};
}

static const char* name_of(Maker maker) {
    return maker == BY_MALLOC ? "malloc" : maker == BY_NEW ? "new" : "new[]";
}

bool Heap::give(void* memory, Maker maker, bool strict, char* text, size_t room) {
    const auto wrong = [&](auto... what) { return snprintf(text, room, what...), false; };
    Locked locked(lock);
    const uint64_t offset = uint64_t(memory) - range.begin;
    if (offset >= bytes()) return wrong("%p, which is not memory that malloc or new of a kernel gave", memory);
    const Piece piece = at(uint64_t(memory));
    if (!piece.maker) return wrong("%p, which was freed before", memory);
    if (const uint64_t inside = offset - piece.offset)
        return wrong("%p, which is %llu bytes inside of what %s gave", memory, (unsigned long long)inside,
                     name_of(piece.maker));
    if (strict && maker != piece.maker)
        return wrong("%p by %s, which %s gave", memory,
                     maker == BY_MALLOC ? "free" : maker == BY_NEW ? "delete" : "delete[]", name_of(piece.maker));
    release(*this, offset / GRANULE_BYTES);
    return true;
}

void Heap::take_back(const Run& run) {
    Locked locked(lock);
    for (uint64_t at = 0; at < top; at += granules_of(pieces[at]))
        if (maker_of(pieces[at]) && pieces[at] >> LAUNCH_SHIFT == run.number << LAUNCH_SHIFT >> LAUNCH_SHIFT) release(*this, at);
}

void Heap::check() {
    Locked locked(lock);
    if (range.size) map(*this);
}

void Heap::clear() {
    if (range.size) munmap((void*)range.begin, range.size);
    if (pieces) munmap(pieces, range.size / GRANULE_BYTES * sizeof(uint64_t));
    if (range.written) munmap(range.written, range.size);
    free_cells(range.cells);
    range = {}, pieces = nullptr, top = cursor = used = fits = 0;
}

// --- what kernels call. Host code of a program calls the same functions, for memory of the host.

static void* taken(uint64_t size, Maker maker) {
    if (!current_worker) return malloc(size);
    return heap_of(*current_worker->run->launch).take(size, maker, *current_worker->run);
}

static void given(void* memory, Maker maker, uint64_t pc) {
    if (!current_worker) return free(memory);
    if (!memory) return;
    const Launch& launch = *current_worker->run->launch;
    char text[sizeof Finding().text];
    if (!heap_of(launch).give(memory, maker, launch.checks & CHECK_MEMORY, text, sizeof text)) fail_at(pc, WRONG_FREE, text);
}

}  // namespace accel_sim

using namespace accel_sim;

extern "C" void* accel_sim_malloc(uint64_t size) { return taken(size, BY_MALLOC); }
extern "C" void* accel_sim_new(uint64_t size, uint32_t array) { return taken(size, array ? BY_NEW_ARRAY : BY_NEW); }
extern "C" void accel_sim_free(void* memory) { given(memory, BY_MALLOC, (uint64_t)__builtin_return_address(0)); }
extern "C" void accel_sim_delete(void* memory, uint32_t array, const void* pc) {
    given(memory, array ? BY_NEW_ARRAY : BY_NEW, (uint64_t)pc);
}

extern "C" Heap* accel_sim_new_heap() { return (Heap*)calloc(1, sizeof(Heap)); }
extern "C" uint64_t accel_sim_heap_used(const Heap* heap) { return (heap ? heap : &default_heap)->used; }
extern "C" void accel_sim_reset_heap(Heap* heap) {
    heap = heap ? heap : &default_heap;
    Locked locked(heap->lock);
    heap->clear();
}
