// What the tests add to CUDA's runtime and driver of backends/cuda_on_cpu/api: settings of the environment, counts of calls,
// and functions that tests and benchmarks call by ctypes.
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "../../backends/cuda_on_cpu/api/schedule.h"

#define API extern "C" __attribute__((visibility("default")))

using namespace accel_sim;

namespace {

constexpr double SECONDS = 120;  // for each kernel

std::mutex counting;
std::map<std::string, long> calls;
bool counts;

// What is found without checks.
constexpr const char* KINDS[] = {
    "its threads wait for ever", "it waits for its grid, and is not cooperative", "an illegal address", "no stack is left",
    "a division by zero", "an assertion", "a trap", "it does what is not simulated", "it did not end in time", "no memory is left",
    "it was interrupted", "conflicts of banks", "a wrong address is freed", "it calls a function of the host",
};

long number(const char* name, long otherwise) {
    const char* text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

// An illegal address takes the device with it. What else a kernel does wrong ends the process, as its error would come late.
void finished(const Launch* launch, const char*, uint64_t) {
    const Finding& finding = launch->findings[0];
    if (finding.kind == INVALID_ADDRESS) return;
    fprintf(stderr, "fake CUDA: a kernel fails: %s\n", KINDS[finding.kind - DEADLOCK]);
    abort();
}

void say(const char* function, const char* what, uint64_t) { fprintf(stderr, "fake CUDA: %s: %s\n", function, what); }

bool begin() {
    settings.devices = int(number("FAKE_GPUS", 1));
    settings.stalled = number("FAKE_STALL", 0);
    settings.executes = !number("FAKE_NOEXEC", 0);
    settings.reaches_pageable = number("FAKE_REACHES_PAGEABLE", 0);
    settings.reuses_handles = settings.loses_devices = settings.strict_kinds = true;
    host.memory = uint64_t(number("FAKE_MEMORY", 2l << 30));
    host.late = number("FAKE_LAZY", 0) != 0;
    host.warp_size = 32, host.workers = 1, host.limit = SECONDS;
    host.finished = finished, host.misused = say;
    counts = number("FAKE_COUNT", 0);
    seed_order(uint64_t(number("FAKE_SEED", 0)));
    host.seed = uint64_t(number("FAKE_SEED", 0));
    return true;
}
const bool began = begin();

}  // namespace

namespace accel_sim {

void entered(const char* function, void*) {
    const std::lock_guard<std::mutex> lock(counting);
    if (counts) ++calls[function];
}

void forget_cells(uint64_t*) {}  // kernels are compiled without checks of memory
uint64_t used_of_heap() { return 0; }  // it is in the library of the kernels
void reset_heap() {}

}  // namespace accel_sim

API void fake_set_late(int late, uint64_t seed) {
    const Locked locked(machine_lock);
    finish_all();
    host.late = uint32_t(late), host.seed = seed;
    seed_order(seed);
}

API void fake_set_stalled(int stalled) { settings.stalled = stalled; }

API void fake_set_reaches_pageable(int reaches) { settings.reaches_pageable = reaches; }

API void fake_set_counting(int counting_starts) {
    const std::lock_guard<std::mutex> lock(counting);
    counts = counting_starts;
    calls.clear();
}

// Writes lines "name count" to a buffer, as many as fit; returns the length of them all.
API size_t fake_counts(char* buffer, size_t room) {
    const std::lock_guard<std::mutex> lock(counting);
    std::string text;
    for (const auto& [name, times] : calls) text += name + " " + std::to_string(times) + "\n";
    if (room) buffer[text.copy(buffer, room - 1)] = 0;
    return text.size();
}

API int fake_has_context(int device) { return has_context(device); }

API void fake_lose(int device) {
    const Locked locked(machine_lock);
    lose(device);
}
