// Stacks of fibers, and the switch between them.
#pragma once
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine.h"

// Saves the state of the running fiber, writes where it is to `*from`, and continues the one that was saved at `to`.
extern "C" __attribute__((visibility("hidden"))) void accel_sim_switch(void** from, void* to);

#pragma GCC visibility push(hidden)
namespace accel_sim {

// The guard is the second page of a stack.
static const uintptr_t PAGE = (uintptr_t)sysconf(_SC_PAGESIZE);

constexpr unsigned STACKS_AT_ONCE = 32;
constexpr uintptr_t KEPT_STACK = 64 * 1024;  // of a stack, for the next launch
// A process may have 65530 mappings on Linux, and a guard page makes two of one.
constexpr unsigned MOST_GUARDS = 12000;

// Returns the state of a fiber that is going to call a function, for the switch.
void* prepared(char* top, void (*run)());

// Where a stack lies, and the next that is idle. At the start of its lowest page is the Thread.
struct Stack {
    char* base;
    char* top;
    Stack* next;
};

// The stacks of a worker. They are kept for the next launch: making one takes longer than a small kernel.
class Stacks {
public:
    void free_all() {
        while (chunks_) {
            Chunk* chunk = chunks_;
            chunks_ = chunk->next;
            munmap(chunk->memory, (STACKS_AT_ONCE + 1) * STACK);
            __atomic_fetch_sub(&guards_, chunk->guards, __ATOMIC_RELAXED);
            free(chunk);
        }
    }

    // Makes all stacks idle, also those that fibers were abandoned on.
    void reset() {
        idle_ = nullptr;
        for (Chunk* chunk = chunks_; chunk; chunk = chunk->next) add(*chunk);
    }

    // Gives memory back that only deep calls used.
    void trim() {
        for (Chunk* chunk = chunks_; chunk; chunk = chunk->next)
            for (Stack& stack : chunk->stacks)
                madvise(stack.base + 2 * PAGE, STACK - KEPT_STACK - 2 * PAGE, MADV_DONTNEED);
    }

    // An idle stack; null without memory.
    Stack* take() {
        if (!idle_ && !grow()) return nullptr;
        Stack* stack = idle_;
        idle_ = stack->next;
        return stack;
    }

    void give(Stack* stack) {
        stack->next = idle_;
        idle_ = stack;
    }

private:
    struct Chunk {
        Chunk* next;
        void* memory;
        unsigned guards;
        Stack stacks[STACKS_AT_ONCE];
    };

    bool grow() {
        Chunk* chunk = (Chunk*)calloc(1, sizeof(Chunk));
        if (!chunk) return false;
        chunk->memory = mmap(nullptr, (STACKS_AT_ONCE + 1) * STACK, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (chunk->memory == MAP_FAILED) {
            free(chunk);
            return false;
        }
        place(*chunk);
        chunk->next = chunks_;
        chunks_ = chunk;
        add(*chunk);
        return true;
    }

    // The tops differ modulo the size of a way of the caches: the fibers of a block run about the same frames.
    void place(Chunk& chunk) {
        char* base = (char*)(((uintptr_t)chunk.memory + STACK - 1) & ~(STACK - 1));
        for (Stack& stack : chunk.stacks) {
            stack.base = base;
            stack.top = base + STACK - placed_++ * 37 % 256 * 64;
            base += STACK;
            if (__atomic_load_n(&guards_, __ATOMIC_RELAXED) >= MOST_GUARDS) continue;
            if (mprotect(stack.base + PAGE, PAGE, PROT_NONE)) continue;
            ++chunk.guards;
            __atomic_fetch_add(&guards_, 1, __ATOMIC_RELAXED);
        }
    }

    void add(Chunk& chunk) {
        for (unsigned i = STACKS_AT_ONCE; i--;) give(&chunk.stacks[i]);
    }

    Chunk* chunks_ = nullptr;
    Stack* idle_ = nullptr;
    unsigned placed_ = 0;
    inline static unsigned guards_ = 0;  // of all workers
};

}  // namespace accel_sim
#pragma GCC visibility pop
