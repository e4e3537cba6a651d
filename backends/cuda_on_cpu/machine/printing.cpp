// What kernels call for output and errors.
#include "worker.h"

#include <stdarg.h>
#include <stdio.h>

namespace accel_sim {

constexpr uint64_t MOST_PRINTED = 64 << 20;

// Adds to the output of the launch; false without room.
static bool print(Machine& machine, const char* text, uint64_t size) {
    Launch& launch = *machine.run.launch;
    Locked locked(machine.lock);
    const uint64_t needed = launch.printed_size + size;
    if (needed > MOST_PRINTED) return false;
    if (needed > machine.printed_capacity) {
        const uint64_t capacity = needed * 2 + 4096;
        char* memory = (char*)realloc(launch.printed, capacity);
        if (!memory) return false;
        launch.printed = memory;
        machine.printed_capacity = capacity;
    }
    memcpy(launch.printed + launch.printed_size, text, size);
    launch.printed_size = needed;
    return true;
}

static int conversions(const char* format) {
    int count = 0;
    for (; *format; ++format) {
        if (*format != '%') continue;
        if (*++format != '%') ++count;
        if (!*format) break;
    }
    return count;
}

// As CUDA's printf: returns the number of conversions, -1 without a format, -2 if it fails.
static int print_formatted(Machine& machine, const char* format, va_list values) {
    if (!format) return -1;
    touch_stack();
    char line[1024];
    va_list again;
    va_copy(again, values);
    const int size = vsnprintf(line, sizeof line, format, values);
    bool done = size >= 0;
    if (done && size < int(sizeof line)) {
        done = print(machine, line, uint64_t(size));
    } else if (done) {
        char* longer = (char*)malloc(size_t(size) + 1);
        done = longer && vsnprintf(longer, size_t(size) + 1, format, again) == size &&
               print(machine, longer, uint64_t(size));
        free(longer);
    }
    va_end(again);
    return done ? conversions(format) : -2;
}

[[noreturn]] void fail_at(uint64_t pc, Kind kind, const char* text) {
    if (!current_worker) {
        fprintf(stderr, "%s\n", text);
        abort();
    }
    Finding finding = {};
    finding.kind = kind;
    finding.range = -1;
    finding.here = place_of(self(), pc, 0, 0);
    snprintf(finding.text, sizeof finding.text, "%s", text);
    fail(*current_worker->run, finding);
}

}  // namespace accel_sim

using namespace accel_sim;

extern "C" int accel_sim_printf(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int count =
        current_worker ? print_formatted(*current_worker->machine, format, values) : vprintf(format, values);
    va_end(values);
    return count;
}

extern "C" void accel_sim_assert(const char* expression, const char* file, unsigned line, const char* function) {
    const uint64_t pc = (uint64_t)__builtin_return_address(0);
    if (current_worker) fail_at(pc, ASSERTION, expression);
    char text[512];
    snprintf(text, sizeof text, "%s:%u: %s: Assertion `%s' failed.", file, line, function, expression);
    fail_at(pc, ASSERTION, text);
}

extern "C" void accel_sim_trap() { fail_at((uint64_t)__builtin_return_address(0), TRAP, ""); }

extern "C" void accel_sim_unsupported(const char* construct) {
    fail_at((uint64_t)__builtin_return_address(0), UNSUPPORTED, construct);
}

// Functions of C that a kernel cannot have, and that would end the process or damage its memory.
namespace {

void refuse_on_fiber(const char* function, const void* pc) {
    if (current_worker) fail_at((uint64_t)pc, HOST_CALL, function);
}

}  // namespace

extern "C" void accel_sim_abort(const void* pc) {
    if (current_worker) fail_at((uint64_t)pc, TRAP, "abort()");
    abort();
}
extern "C" void accel_sim_terminate(const void* pc) {
    if (current_worker) fail_at((uint64_t)pc, TRAP, "std::terminate()");
    abort();
}
extern "C" void accel_sim_exit(int code, const char* function, const void* pc) {
    refuse_on_fiber(function, pc);
    if (!strcmp(function, "exit")) exit(code);
    if (!strcmp(function, "quick_exit")) quick_exit(code);
    _exit(code);
}
extern "C" void accel_sim_throws(const void* pc) { refuse_on_fiber("throw", pc); }
extern "C" int accel_sim_raise(int signal, const void* pc) {
    refuse_on_fiber("raise", pc);
    return raise(signal);
}
extern "C" void* accel_sim_calloc(uint64_t count, uint64_t size, const void* pc) {
    refuse_on_fiber("calloc", pc);
    return calloc(count, size);
}
extern "C" void* accel_sim_realloc(void* memory, uint64_t size, const void* pc) {
    refuse_on_fiber("realloc", pc);
    return realloc(memory, size);
}
