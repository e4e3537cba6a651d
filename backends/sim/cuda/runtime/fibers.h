// Stacks of fibers, and the switch between them.
#pragma once
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

// Saves the state of the running fiber, writes where it is to `*from`, and continues the one that was saved at `to`.
extern "C" void accel_sim_switch(void** from, void* to);

namespace accel_sim {

// The guard is the second page of a stack.
static const uintptr_t PAGE = (uintptr_t)sysconf(_SC_PAGESIZE);

constexpr unsigned STACKS_AT_ONCE = 32;
// A process may have 65530 mappings on Linux, and a guard page makes two of one.
constexpr unsigned MOST_GUARDS = 12000;

#if defined(__x86_64__)
// A return, and no jump: fibers mostly wait in the same calls, so that the processor predicts where they return to.
__asm__(
    ".text\n.globl accel_sim_switch\n.hidden accel_sim_switch\n.type accel_sim_switch,@function\naccel_sim_switch:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n  ret\n"
    ".size accel_sim_switch, .-accel_sim_switch\n");

inline void* prepared(char* top, void (*run)()) {
    uint64_t* stack = (uint64_t*)((uintptr_t)top & ~uintptr_t(15));
    *--stack = 0;  // the return address, for debuggers: nobody called
    *--stack = (uint64_t)run;
    for (int saved = 0; saved < 6; ++saved) *--stack = 0;
    return stack;
}
#elif defined(__aarch64__)
__asm__(
    ".text\n.globl accel_sim_switch\n.hidden accel_sim_switch\n.type accel_sim_switch,%function\naccel_sim_switch:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n  ret\n"
    ".size accel_sim_switch, .-accel_sim_switch\n");

inline void* prepared(char* top, void (*run)()) {
    uint64_t* stack = (uint64_t*)((uintptr_t)top & ~uintptr_t(15)) - 20;
    memset(stack, 0, 160);
    stack[11] = (uint64_t)run;
    return stack;
}
#else
extern "C" void accel_sim_switch(void** from, void* to) {
    ucontext_t here;
    *from = &here;
    swapcontext(&here, (ucontext_t*)to);
}

inline void* prepared(char* top, void (*run)()) {
    ucontext_t* context = (ucontext_t*)(((uintptr_t)top - sizeof(ucontext_t)) & ~uintptr_t(63));
    getcontext(context);
    context->uc_stack.ss_sp = (char*)((uintptr_t)context & ~(STACK - 1)) + 2 * PAGE;
    context->uc_stack.ss_size = (char*)context - (char*)context->uc_stack.ss_sp;
    context->uc_link = nullptr;
    makecontext(context, run, 0);
    return context;
}
#endif

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
    static unsigned guards_;  // of all workers
};

unsigned Stacks::guards_;

}  // namespace accel_sim
