// Signals: faults of kernels, and the ticks by which a thread that never waits gives way or is stopped.
#include "worker.h"

#include <errno.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif
#if defined(__APPLE__)
#include <sys/ucontext.h>
#else
#include <ucontext.h>
#endif

namespace accel_sim {

constexpr int TICK = SIGURG;  // ignored by default: one that is late does no harm
constexpr long TICK_NANOSECONDS = 2000000, SOON_NANOSECONDS = 20000;
constexpr unsigned PATIENCE = 10;  // ticks until a thread that computes, and does not spin, gives way
constexpr size_t SIGNAL_STACK = 64 * 1024;

// --- registers

static uintptr_t pc_of(void* context) {
    [[maybe_unused]] const ucontext_t& registers = *(ucontext_t*)context;
#if defined(__linux__) && defined(__x86_64__)
    return uintptr_t(registers.uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
    return uintptr_t(registers.uc_mcontext.pc);
#elif defined(__APPLE__) && defined(__x86_64__)
    return uintptr_t(registers.uc_mcontext->__ss.__rip);
#elif defined(__APPLE__) && defined(__aarch64__)
    return uintptr_t(registers.uc_mcontext->__ss.__pc);
#else
    return 0;
#endif
}

static uintptr_t stack_pointer_of(void* context) {
    [[maybe_unused]] const ucontext_t& registers = *(ucontext_t*)context;
#if defined(__linux__) && defined(__x86_64__)
    return uintptr_t(registers.uc_mcontext.gregs[REG_RSP]);
#elif defined(__linux__) && defined(__aarch64__)
    return uintptr_t(registers.uc_mcontext.sp);
#elif defined(__APPLE__) && defined(__x86_64__)
    return uintptr_t(registers.uc_mcontext->__ss.__rsp);
#elif defined(__APPLE__) && defined(__aarch64__)
    return uintptr_t(registers.uc_mcontext->__ss.__sp);
#else
    return 0;
#endif
}

// Of the registers that the code may change: equal after a while for a thread that spins. Code that calls the checks
// keeps its state in those that calls preserve.
static uint64_t digest_of(void* context, bool checked) {
    [[maybe_unused]] const ucontext_t& registers = *(ucontext_t*)context;
    uint64_t digest = 1;
#if defined(__linux__) && defined(__x86_64__)
    static const int ALL[] = {REG_RBX, REG_RBP, REG_RSP, REG_R12, REG_R13, REG_R14, REG_R15,
                              REG_RAX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11};
    for (int i = 0; i < (checked ? 7 : 16); ++i) digest = mixed(digest ^ uint64_t(registers.uc_mcontext.gregs[ALL[i]]));
#elif defined(__linux__) && defined(__aarch64__)
    digest = registers.uc_mcontext.sp;
    for (int i = checked ? 19 : 0; i < 29; ++i) digest = mixed(digest ^ registers.uc_mcontext.regs[i]);
#else
    (void)checked;
    digest = now();
#endif
    return digest;
}

static bool in_module(const Run& run, uintptr_t pc) {
    return pc >= run.launch->segments.code_begin && pc < run.launch->segments.code_end;
}

// --- handlers

static const int FAULTS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
static struct sigaction faults_before[sizeof FAULTS / sizeof *FAULTS], tick_before;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static unsigned launches;  // that run now; guarded by `installing`, as what the handlers replaced

// Does what would have been done without our handler.
static void pass_on(const struct sigaction& before, int signal, siginfo_t* info, void* context) {
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler == SIG_DFL) {
        if (signal != TICK) sigaction(signal, &before, nullptr);  // and the instruction faults again
    } else if (before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    }
}

void check_limits(Worker& worker) {
    Machine& machine = *worker.machine;
    const Launch& launch = *machine.run.launch;
    if (launch.stop && *launch.stop) stop(machine.run, INTERRUPTED);
    if (!machine.deadline || now() < machine.deadline || !stop(machine.run, TIMEOUT)) return;
    Finding finding = {};
    finding.kind = TIMEOUT;
    finding.range = -1;
    Block* block = worker.block;
    Thread* thread = block ? block->threads[worker.running] : nullptr;
    if (thread) finding.here = place_of(*thread, block->slots[worker.running].waits_at, 0, 0);
    report(machine.run, finding);
}

static void tick_after(Worker& worker, long nanoseconds);

static uint64_t processor_time() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return uint64_t(time.tv_sec) * 1000000000 + uint64_t(time.tv_nsec);
}

// Whether the running thread did nothing but spin since the tick before this.
static bool spins(Worker& worker, void* context) {
    const uint64_t sample = digest_of(context, worker.run->launch->checks), time = processor_time();
    const bool same = sample == worker.sample && time - worker.sampled_at > SOON_NANOSECONDS / 2;
    worker.sample = sample, worker.sampled_at = time;
    return same;
}

// A thread that computes is left alone for long, so that a seed determines the order of threads. What runs after a thread
// that spins probably spins too.
static bool is_to_give_way(Worker& worker, void* context) {
    if (!worker.block->runnable && !others_wait(worker)) {
        tick_after(worker, TICK_NANOSECONDS);
        return false;
    }
    const bool spinning = spins(worker, context);
    if (spinning) {
        worker.suspicion = 8;
        ++worker.block->yields;
    } else if (!worker.tick_is_soon) {
        worker.suspicion = 1;
    } else if (worker.suspicion) {
        --worker.suspicion;
    }
    tick_after(worker, worker.suspicion ? SOON_NANOSECONDS : TICK_NANOSECONDS);
    return spinning || (!worker.suspicion && worker.thread_ticks > PATIENCE);
}

// Code of the kernel can be left everywhere; the runtime and libraries cannot, and are asked again soon.
static void serve_tick_at(Worker& worker, void* context) {
    const uintptr_t pc = pc_of(context);
    worker.block->slots[worker.running].waits_at = pc + 1;  // as a return address
    check_limits(worker);
    if (worker.run->stopped) worker.in_tick = false, leave(worker);
    if (!is_to_give_way(worker, context)) return;
    worker.thread_ticks = 0;
    worker.in_tick = false;
    give_way(worker, *worker.block, worker.running, pc + 1);
}

static void count_tick(Worker& worker) {
    if (worker.tick_is_soon) return;
    ++worker.ticks;
    if (worker.block && worker.ticked_thread == worker.block->threads[worker.running]) {
        ++worker.thread_ticks;
    } else {
        worker.ticked_thread = worker.block ? worker.block->threads[worker.running] : nullptr;
        worker.thread_ticks = 0;
    }
}

static void on_tick(int signal, siginfo_t* info, void* context) {
    Worker* worker = current_worker;
    if (!worker) return pass_on(tick_before, signal, info, context);
    if (worker->in_tick) {
        worker->missed_tick = true;
        return;
    }
    worker->in_tick = true;
    const int error = errno;
    count_tick(*worker);
    worker->pending = 1;
    if (!worker->block) {
        tick_after(*worker, TICK_NANOSECONDS);
    } else if (in_module(*worker->run, pc_of(context))) {
        serve_tick_at(*worker, context);
    } else {
        tick_after(*worker, SOON_NANOSECONDS);
    }
    if (worker->missed_tick) tick_after(*worker, SOON_NANOSECONDS);
    worker->missed_tick = worker->in_tick = false;
    errno = error;
}

// The innermost call of the module on a stack: what looks like its return address.
static uintptr_t caller_in_module(const Run& run, uintptr_t from, uintptr_t end) {
    for (uintptr_t at = from & ~uintptr_t(7); at + 8 <= end; at += 8)
        if (in_module(run, *(uintptr_t*)at)) return *(uintptr_t*)at;
    return 0;
}

static Kind kind_of(int signal, bool overflow) {
    switch (signal) {
        case SIGFPE: return ARITHMETIC;
        case SIGILL:
        case SIGTRAP: return TRAP;
        default: return overflow ? STACK_OVERFLOW : INVALID_ADDRESS;
    }
}

// Whether the system had no room for the frame of a tick on a stack of which so much is left: it does not say where.
static bool lacks_frame([[maybe_unused]] const siginfo_t& info, [[maybe_unused]] uintptr_t left) {
#if defined(SI_KERNEL)
    return info.si_signo == SIGSEGV && info.si_code == SI_KERNEL && left < RUNTIME_STACK;
#else
    return false;
#endif
}

static void stop_at_fault(Worker& worker, Thread& thread, int signal, siginfo_t* info, void* context) {
    const uintptr_t base = (uintptr_t)&thread, stack = stack_pointer_of(context), pc = pc_of(context);
    const uintptr_t address = signal == SIGSEGV || signal == SIGBUS ? (uintptr_t)info->si_addr : 0;
    const bool overflow = stack < base + 2 * PAGE || address - base - PAGE < PAGE || lacks_frame(*info, stack - base - 2 * PAGE);
    Finding finding = {};
    finding.kind = kind_of(signal, overflow);
    finding.range = -1;
    finding.address = address;
    const uintptr_t readable = stack < base + 2 * PAGE ? base + 2 * PAGE : stack;
    const uint64_t place = in_module(*worker.run, pc) ? pc + 1 : caller_in_module(*worker.run, readable, base + STACK);
    finding.here = place_of(thread, place, 0, 0);
    fail(*worker.run, finding);
}

static void on_fault(int signal, siginfo_t* info, void* context) {
    Worker* worker = current_worker;
    Block* block = worker ? worker->block : nullptr;
    Thread* thread = block ? block->threads[worker->running] : nullptr;
    // A frame that is larger than the guard page may be below the stack.
    if (thread && stack_pointer_of(context) - ((uintptr_t)thread - 16 * STACK) < 17 * STACK)
        stop_at_fault(*worker, *thread, signal, info, context);
    for (unsigned i = 0; i < sizeof FAULTS / sizeof *FAULTS; ++i)
        if (FAULTS[i] == signal) pass_on(faults_before[i], signal, info, context);
}

// The handlers leave by a switch of stacks, so they must not block their signal.
static void install(int signal, void (*handler)(int, siginfo_t*, void*), int flags, struct sigaction* before) {
    struct sigaction ours = {}, current;
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | flags;
    sigaction(signal, &ours, &current);
    if (!(current.sa_flags & SA_SIGINFO) || current.sa_sigaction != handler) *before = current;
}

static void remove(int signal, void (*handler)(int, siginfo_t*, void*), const struct sigaction& before) {
    struct sigaction current;
    sigaction(signal, nullptr, &current);
    if (current.sa_flags & SA_SIGINFO && current.sa_sigaction == handler) sigaction(signal, &before, nullptr);
}

void install_handlers() {
    Locked locked(installing);
    if (launches++) return;
    install(TICK, on_tick, SA_RESTART, &tick_before);
    for (unsigned i = 0; i < sizeof FAULTS / sizeof *FAULTS; ++i)
        install(FAULTS[i], on_fault, SA_ONSTACK, &faults_before[i]);
}

void remove_handlers() {
    Locked locked(installing);
    if (--launches) return;
    remove(TICK, on_tick, tick_before);
    for (unsigned i = 0; i < sizeof FAULTS / sizeof *FAULTS; ++i) remove(FAULTS[i], on_fault, faults_before[i]);
}

// --- ticks of a worker

#if defined(__linux__)
static void start_ticks(Worker& worker) {
    sigevent event = {};
    event.sigev_notify = 4;  // SIGEV_THREAD_ID
    event.sigev_signo = TICK;
#if defined(__GLIBC__)
    event._sigev_un._tid = pid_t(syscall(SYS_gettid));
#else
    event.sigev_notify_thread_id = pid_t(syscall(SYS_gettid));
#endif
    worker.has_timer = !timer_create(CLOCK_MONOTONIC, &event, &worker.timer);
    if (!worker.has_timer) return;
    tick_after(worker, TICK_NANOSECONDS);
}

static void tick_after(Worker& worker, long nanoseconds) {
    worker.tick_is_soon = nanoseconds == SOON_NANOSECONDS;
    const itimerspec when = {{0, TICK_NANOSECONDS}, {0, nanoseconds}};
    timer_settime(worker.timer, 0, &when, nullptr);
}

static void stop_ticks(Worker& worker) {
    if (worker.has_timer) timer_delete(worker.timer);
}
#else
static void* send_ticks(void* argument) {
    Worker& worker = *(Worker*)argument;
    while (__atomic_load_n(&worker.has_timer, __ATOMIC_ACQUIRE)) {
        const timespec pause = {0, worker.tick_is_soon ? SOON_NANOSECONDS : TICK_NANOSECONDS};
        nanosleep(&pause, nullptr);
        pthread_kill(worker.ticked, TICK);
    }
    return nullptr;
}

static void tick_after(Worker& worker, long nanoseconds) { worker.tick_is_soon = nanoseconds == SOON_NANOSECONDS; }

static void start_ticks(Worker& worker) {
    worker.ticked = pthread_self();
    worker.has_timer = true;
    worker.has_timer = !pthread_create(&worker.ticking, nullptr, send_ticks, &worker);
}

static void stop_ticks(Worker& worker) {
    if (!__atomic_exchange_n(&worker.has_timer, false, __ATOMIC_RELEASE)) return;
    pthread_join(worker.ticking, nullptr);
}
#endif

// Faults are handled on a stack of their own: that of the fiber may be full.
void listen(Worker& worker) {
    worker.signal_stack = (char*)malloc(SIGNAL_STACK);
    stack_t stack = {};
    stack.ss_sp = worker.signal_stack, stack.ss_size = SIGNAL_STACK;
    sigaltstack(worker.signal_stack ? &stack : nullptr, &worker.signal_stack_before);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, TICK);
    for (const int fault : FAULTS) sigaddset(&mask, fault);
    pthread_sigmask(SIG_UNBLOCK, &mask, &worker.mask_before);
    start_ticks(worker);
}

void unlisten(Worker& worker) {
    stop_ticks(worker);
    pthread_sigmask(SIG_SETMASK, &worker.mask_before, nullptr);
    sigaltstack(&worker.signal_stack_before, nullptr);
    free(worker.signal_stack);
}

}  // namespace accel_sim
