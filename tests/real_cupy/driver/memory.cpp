// Memory of devices and pinned memory, with bytes that show what nobody wrote and what was freed.
#include "memory.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "machine.h"

using namespace fake;

namespace {

constexpr size_t UNIT = 512, PAGE = 4096;
constexpr size_t BURIED = size_t{64} << 20;
constexpr int FRESH = 0xFF, FREED = 0xDD;
constexpr int NO_DEVICE = -2;  // of memory that CUDA does not know

struct Allocation {
    size_t size;
    int device;
};
using Table = std::map<uintptr_t, Allocation>;

Table of_devices, of_host;
size_t used[MOST_DEVICES];

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// Return the allocation that an address is in.
Table::iterator containing(Table& table, uintptr_t address) {
    auto next = table.upper_bound(address);
    if (next == table.begin()) return table.end();
    --next;
    return address < next->first + next->second.size ? next : table.end();
}

void* aligned(size_t size, size_t unit) {
    void* made = nullptr;
    return posix_memalign(&made, unit, (size + unit - 1) / unit * unit) ? nullptr : made;
}

// Freed memory keeps its bytes for a while, so that a late access damages no other memory.
void bury(void* address, size_t size) {
    static std::deque<std::pair<void*, size_t>> buried;
    static size_t total = 0;
    memset(address, FREED, size);
    buried.emplace_back(address, size);
    for (total += size; total > BURIED; buried.pop_front()) {
        total -= buried.front().second;
        free(buried.front().first);
    }
}

void finish_all() {
    for (int device = 0; device < settings.devices; device++) finish_device(device);
}

}  // namespace

namespace fake {

Found find_memory(const void* address, size_t size) {
    for (auto [table, place] : {std::pair(&of_devices, Place::device), std::pair(&of_host, Place::pinned)}) {
        auto found = containing(*table, number(address));
        if (found == table->end()) continue;
        bool within = number(address) + size <= found->first + found->second.size;
        return {within ? place : Place::beyond, found->second.device};
    }
    return {Place::pageable, NO_DEVICE};
}

}  // namespace fake

API cudaError_t cudaMalloc(void** address, size_t size) {
    RUNTIME_CALL();
    *address = nullptr;
    int device = current_device();
    if (size > settings.memory - used[device]) return cudaErrorMemoryAllocation;
    if (!size) return cudaSuccess;
    *address = aligned(size, UNIT);
    if (!*address) return cudaErrorMemoryAllocation;
    memset(*address, FRESH, size);
    of_devices[number(*address)] = {size, device};
    used[device] += size;
    return cudaSuccess;
}

// As on a GPU, freeing waits for the device.
API cudaError_t cudaFree(void* address) {
    RUNTIME_CALL();
    if (!address) return cudaSuccess;
    auto found = of_devices.find(number(address));
    if (found == of_devices.end()) return cudaErrorInvalidValue;
    auto [size, device] = found->second;
    finish_device(device);
    of_devices.erase(found);
    used[device] -= size;
    bury(address, size);
    return cudaSuccess;
}

API cudaError_t cudaHostAlloc(void** address, size_t size, unsigned) {
    RUNTIME_CALL();
    *address = aligned(size, PAGE);
    if (!*address) return cudaErrorMemoryAllocation;
    of_host[number(*address)] = {size, current_device()};
    return cudaSuccess;
}

API cudaError_t cudaFreeHost(void* address) {
    RUNTIME_CALL();
    if (!address) return cudaSuccess;
    finish_all();
    auto found = of_host.find(number(address));
    if (found == of_host.end()) return cudaErrorInvalidValue;
    bury(address, found->second.size);
    of_host.erase(found);
    return cudaSuccess;
}

API cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
    RUNTIME_CALL();
    *available = settings.memory - used[current_device()];
    *total = settings.memory;
    return cudaSuccess;
}

API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found, const void* address) {
    RUNTIME_CALL();
    auto [place, device] = find_memory(address, 1);
    void* pointer = const_cast<void*>(address);
    *found = {};
    found->device = device;
    found->type = place == Place::device   ? cudaMemoryTypeDevice
                  : place == Place::pinned ? cudaMemoryTypeHost
                                           : cudaMemoryTypeUnregistered;
    bool reachable = place != Place::pageable || settings.reaches_pageable;
    found->devicePointer = reachable ? pointer : nullptr;
    found->hostPointer = place != Place::device ? pointer : nullptr;
    return cudaSuccess;
}
