// What compiled kernels and the runtime agree on. Included by the language headers and by the runtime; needs no library.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace accel_sim {

struct Dim {
    unsigned x, y, z;
};

// Each thread of a block runs on a stack of its own: STACK bytes, aligned to STACK. `Here` is at its lowest address, a
// guard page above it, and the stack grows down from the other end.
constexpr uintptr_t STACK = 256 * 1024;

// What a thread of a block sees of itself.
struct Here {
    Dim thread, block, block_dim, grid_dim;
    unsigned linear;      // index in the block, x fastest
    unsigned lane, warp;  // linear % warp_size, linear / warp_size
    unsigned warp_size;
    unsigned steps;       // atomic operations since the thread last gave way to others
    void* dynamic_shared;
    unsigned dynamic_size;
};

// The Here of the running thread. Constant for a thread, so the compiler may keep the result.
__attribute__((always_inline)) inline Here* here() {
    uintptr_t stack;
#if defined(__x86_64__)
    __asm__("mov %%rsp, %0" : "=r"(stack));
#elif defined(__aarch64__)
    __asm__("mov %0, sp" : "=r"(stack));
#else
    stack = (uintptr_t)__builtin_frame_address(0);
#endif
    return (Here*)(stack & ~(STACK - 1));
}

enum Barrier : unsigned { BARRIER_PLAIN, BARRIER_COUNT, BARRIER_AND, BARRIER_OR };
enum Collective : unsigned { SHUFFLE, VOTE, MATCH, REDUCE, SYNC };
enum Scope : unsigned { SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_SYSTEM };

}  // namespace accel_sim

// Calls at which threads meet. Compilers must not copy them: a thread would not meet the others at its copy.
#ifdef __clang__
#define ACCEL_SIM_MEETS __attribute__((convergent))
#else
#define ACCEL_SIM_MEETS  // g++: -fno-thread-jumps
#endif

// The line and, where the compiler knows it, the column of a call, for barriers: those of two branches must not become one.
#ifdef __clang__
#define ACCEL_SIM_PLACE (unsigned(__builtin_LINE()) << 10 | (unsigned(__builtin_COLUMN()) & 255) << 2)
#else
#define ACCEL_SIM_PLACE (unsigned(__builtin_LINE()) << 10)
#endif

// Functions of the runtime. All may switch to other threads of the block, except those marked "at once".
#pragma GCC visibility push(default)
extern "C" {

// Waits for all threads of the block. The kind is a Barrier, plus a place. Returns how many passed a predicate that is not 0, plus how many threads took part
// << 32.
ACCEL_SIM_MEETS uint64_t accel_sim_barrier(int predicate, unsigned kind);

// Waits for the lanes of a mask, which must name this lane, and all of them the same mask and kind. Returns the values of
// the lanes of the warp, by lane; undefined for lanes outside of the mask, and for those that have ended. After the 64 of them
// are the lanes that have values. Valid until the next collective of this lane.
ACCEL_SIM_MEETS const uint64_t* accel_sim_collect(uint64_t mask, uint64_t value, unsigned kind);

// The lanes of this warp that are at this call together: the others have ended, or wait elsewhere.
ACCEL_SIM_MEETS uint64_t accel_sim_active(void);

// Waits for all threads of the grid; a launch that is not cooperative is stopped with an error.
ACCEL_SIM_MEETS void accel_sim_grid_barrier(void);

void accel_sim_fence(unsigned scope);  // at once
void accel_sim_yield(void);
uint64_t accel_sim_clock(void);  // at once
int accel_sim_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));  // at once
[[noreturn]] void accel_sim_assert(const char* expression, const char* file, unsigned line, const char* function);
[[noreturn]] void accel_sim_trap(void);
// The construct is CUDA, but not simulated: stops the launch, naming it.
[[noreturn]] void accel_sim_unsupported(const char* construct);
// The heap of the device, at once. `pc`: where what comes is called from.
void* accel_sim_malloc(uint64_t size);
void accel_sim_free(void* memory);
void* accel_sim_new(uint64_t size, uint32_t array);
void accel_sim_delete(void* memory, uint32_t array, const void* pc);
// What C and C++ have, and kernels do not: these stop the launch. In host code they do what their names say.
[[noreturn]] void accel_sim_abort(const void* pc);
[[noreturn]] void accel_sim_terminate(const void* pc);
[[noreturn]] void accel_sim_exit(int code, const char* function, const void* pc);
void accel_sim_throws(const void* pc);
int accel_sim_raise(int signal, const void* pc);
void* accel_sim_calloc(uint64_t count, uint64_t size, const void* pc);
void* accel_sim_realloc(void* memory, uint64_t size, const void* pc);

// Only in checked code: a variable of a function that is declared without a value. At once.
void accel_sim_declared(void* variable, uint64_t size);
// Only in checked code: the thread enters a statement or function with a barrier, and gets how deep it is; leaves it; goes
// past it. At once.
unsigned accel_sim_enter(unsigned number);
void accel_sim_leave(unsigned depth);
void accel_sim_passed(unsigned depth);
void accel_sim_begin(int* depth, unsigned number);
void accel_sim_past(int* depth);
// Only in checked code: accesses by functions that the compiler does not instrument. At once.
void accel_sim_reads(const void* from, uint64_t size);
void accel_sim_writes(void* to, uint64_t size);
}
#pragma GCC visibility pop
