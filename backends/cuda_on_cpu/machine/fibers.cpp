// The switch between fibers, for each processor.
#include "fibers.h"

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>

extern "C" void accel_sim_switch(void** from, void* to) {
    ucontext_t here;
    *from = &here;
    swapcontext(&here, (ucontext_t*)to);
}
#endif

#if defined(__APPLE__)
#define ACCEL_SIM_FUNCTION "_accel_sim_switch:\n"
#define ACCEL_SIM_HEAD ".text\n.globl _accel_sim_switch\n.private_extern _accel_sim_switch\n.p2align 4\n"
#else
#define ACCEL_SIM_FUNCTION "accel_sim_switch:\n"
#define ACCEL_SIM_HEAD ".text\n.globl accel_sim_switch\n.hidden accel_sim_switch\n.p2align 4\n"
#endif

namespace accel_sim {

#if defined(__x86_64__)
// A return, and no jump: fibers mostly wait in the same calls, so that the processor predicts where they return to.
__asm__(
    ACCEL_SIM_HEAD ACCEL_SIM_FUNCTION
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n  ret\n");

void* prepared(char* top, void (*run)()) {
    uint64_t* stack = (uint64_t*)((uintptr_t)top & ~uintptr_t(15));
    *--stack = 0;  // the return address, for debuggers: there is no caller
    *--stack = (uint64_t)run;
    for (int saved = 0; saved < 6; ++saved) *--stack = 0;
    return stack;
}
#elif defined(__aarch64__)
__asm__(
    ACCEL_SIM_HEAD ACCEL_SIM_FUNCTION
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
    "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
    "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
    "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n  ret\n");

void* prepared(char* top, void (*run)()) {
    uint64_t* stack = (uint64_t*)((uintptr_t)top & ~uintptr_t(15)) - 20;
    memset(stack, 0, 160);
    stack[11] = (uint64_t)run;
    return stack;
}
#else
void* prepared(char* top, void (*run)()) {
    ucontext_t* context = (ucontext_t*)(((uintptr_t)top - sizeof(ucontext_t)) & ~uintptr_t(63));
    getcontext(context);
    context->uc_stack.ss_sp = (char*)((uintptr_t)context & ~(STACK - 1)) + 2 * PAGE;
    context->uc_stack.ss_size = (char*)context - (char*)context->uc_stack.ss_sp;
    context->uc_link = nullptr;
    makecontext(context, run, 0);
    return context;
}
#endif

}  // namespace accel_sim
