#include "machine.h"

#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace fake {

namespace {

thread_local int device = 0;
thread_local bool bound = false;
std::set<int> lost;
std::map<std::string, long> calls;

long number(const char* name, long otherwise) {
    const char* text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

Settings from_environment() {
    Settings found;
    found.devices = static_cast<int>(number("FAKE_GPUS", found.devices));
    found.memory = static_cast<size_t>(number("FAKE_MEMORY", static_cast<long>(found.memory)));
    found.late = number("FAKE_LAZY", 0);
    found.stalled = number("FAKE_STALL", 0);
    found.executes = !number("FAKE_NOEXEC", 0);
    found.reaches_pageable = number("FAKE_REACHES_PAGEABLE", 0);
    found.counts = number("FAKE_COUNT", 0);
    seed_order(static_cast<uint64_t>(number("FAKE_SEED", 0)));
    return found;
}

}  // namespace

Settings settings = from_environment();

int current_device() { return device; }

bool has_context() { return bound; }

void bind_context(int index) {
    device = index;
    bound = true;
}

void unbind_context() {
    device = 0;
    bound = false;
}

bool is_lost(int index) { return lost.count(index); }

void lose(int index) {
    lost.insert(index);
    drop_work(index);
}

void count(const char* name) {
    if (!settings.counts) return;
    Lock lock(machine);
    calls[name]++;
}

Call::Call(const char* name) : lock(machine) {
    count(name);
    bind_context(device);
    refused = is_lost(device) ? cudaErrorIllegalAddress : cudaSuccess;
}

}  // namespace fake

// What tests and benchmarks call, by ctypes.

using namespace fake;

API void fake_set_late(int late, uint64_t seed) {
    Lock lock(machine);
    for (int each = 0; each < settings.devices; each++) finish_device(each);
    settings.late = late;
    seed_order(seed);
}

API void fake_set_stalled(int stalled) { settings.stalled = stalled; }

API void fake_set_reaches_pageable(int reaches) { settings.reaches_pageable = reaches; }

API void fake_set_counting(int counts) {
    Lock lock(machine);
    settings.counts = counts;
    calls.clear();
}


// Writes lines "name count" to a buffer, as many as fit; returns the length of them all.
API size_t fake_counts(char* buffer, size_t room) {
    Lock lock(machine);
    std::string text;
    for (const auto& [name, times] : calls) text += name + " " + std::to_string(times) + "\n";
    if (room) buffer[text.copy(buffer, room - 1)] = 0;
    return text.size();
}

API void fake_lose(int device) {
    Lock lock(machine);
    lose(device);
}
