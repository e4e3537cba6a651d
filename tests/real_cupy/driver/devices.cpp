// Devices, their properties, and access between them.
#include <cstring>
#include <set>
#include <utility>

#include "machine.h"

using namespace fake;

namespace {

std::set<std::pair<int, int>> peers;

constexpr char NAME[] = "Fake GPU";
constexpr int MAJOR = 9, WARP = 32, PROCESSORS = 132, DRIVER = 13000, RUNTIME = 13000;

bool exists(int device) { return device >= 0 && device < settings.devices; }

int attribute(int asked) {
    switch (asked) {
        case cudaDevAttrComputeCapabilityMajor: return MAJOR;
        case cudaDevAttrMultiProcessorCount: return PROCESSORS;
        case cudaDevAttrMaxThreadsPerBlock: return MOST_THREADS;
        case cudaDevAttrWarpSize: return WARP;
        case cudaDevAttrMaxSharedMemoryPerBlock: return SHARED_BYTES;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return MOST_SHARED_BYTES;
        case cudaDevAttrUnifiedAddressing: return 1;
        case cudaDevAttrPageableMemoryAccess: return settings.reaches_pageable;
        default: return 0;
    }
}

}  // namespace

API cudaError_t cudaDriverGetVersion(int* version) {
    *version = DRIVER;
    return cudaSuccess;
}

API cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = RUNTIME;
    return cudaSuccess;
}

API cudaError_t cudaGetDeviceCount(int* found) {
    *found = settings.devices;
    return settings.devices ? cudaSuccess : cudaErrorNoDevice;
}

API cudaError_t cudaGetDevice(int* device) {
    QUICK_CALL();
    *device = current_device();
    return cudaSuccess;
}

API cudaError_t cudaSetDevice(int device) {
    QUICK_CALL();
    if (!exists(device)) return cudaErrorInvalidDevice;
    bind_context(device);
    return is_lost(device) ? cudaErrorIllegalAddress : cudaSuccess;
}

API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr asked, int device) {
    if (!exists(device)) return cudaErrorInvalidDevice;
    *value = attribute(asked);
    return cudaSuccess;
}

API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* found, int device) {
    if (!exists(device)) return cudaErrorInvalidDevice;
    memset(found, 0, sizeof *found);
    strcpy(found->name, NAME);
    found->totalGlobalMem = settings.memory;
    found->sharedMemPerBlock = SHARED_BYTES;
    found->sharedMemPerBlockOptin = MOST_SHARED_BYTES;
    found->warpSize = WARP;
    found->maxThreadsPerBlock = MOST_THREADS;
    found->maxGridSize[0] = MOST_BLOCKS_X;
    found->maxGridSize[1] = found->maxGridSize[2] = MOST_BLOCKS_YZ;
    found->major = MAJOR;
    found->multiProcessorCount = PROCESSORS;
    found->unifiedAddressing = 1;
    found->pageableMemoryAccess = settings.reaches_pageable;
    return cudaSuccess;
}

API cudaError_t cudaDeviceSynchronize() {
    RUNTIME_CALL();
    finish_device(current_device());
    return is_lost(current_device()) ? cudaErrorIllegalAddress : cudaSuccess;
}

API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    if (!exists(device) || !exists(peer)) return cudaErrorInvalidDevice;
    *can = device != peer;
    return cudaSuccess;
}

API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    RUNTIME_CALL();
    if (!exists(peer) || peer == current_device()) return cudaErrorInvalidDevice;
    bool added = peers.insert({current_device(), peer}).second;
    return added ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}
