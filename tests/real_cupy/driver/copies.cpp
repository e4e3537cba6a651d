// Copies between any two memories, row by row, in the order of a stream.
#include <cstdio>
#include <cstring>
#include <vector>

#include "machine.h"
#include "memory.h"

using namespace fake;

namespace {

struct Rows {
    char* target;
    size_t target_pitch;
    const char* source;
    size_t source_pitch, width, height;

    bool empty() const { return !width || !height; }
    size_t target_extent() const { return (height - 1) * target_pitch + width; }
    size_t source_extent() const { return (height - 1) * source_pitch + width; }
    void move() const {
        for (size_t row = 0; row < height; row++)
            memmove(target + row * target_pitch, source + row * source_pitch, width);
    }
};

Rows flat(void* target, const void* source, size_t size) {
    return {static_cast<char*>(target), size, static_cast<const char*>(source), size, size, 1};
}

cudaError_t refuse(const char* why) {
    fprintf(stderr, "fake CUDA: a copy is refused: %s\n", why);
    return cudaErrorInvalidValue;
}

bool names_the_places(cudaMemcpyKind kind, Place target, Place source) {
    if (kind == cudaMemcpyDefault) return true;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool of_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return to_device == (target == Place::device) && of_device == (source == Place::device);
}

// Return the same rows from a copy of their source, which the host may then overwrite.
std::function<void()> taken(const Rows& rows) {
    std::vector<char> bytes(rows.source_extent());
    memcpy(bytes.data(), rows.source, bytes.size());
    return [rows, bytes] {
        Rows moved = rows;
        moved.source = bytes.data();
        moved.move();
    };
}

cudaError_t copy(const Rows& rows, cudaMemcpyKind kind, const StreamOf& stream) {
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (is_lost(stream->device)) return cudaErrorIllegalAddress;
    if (rows.empty()) return cudaSuccess;
    Place target = find_memory(rows.target, rows.target_extent()).place;
    Place source = find_memory(rows.source, rows.source_extent()).place;
    if (target == Place::beyond || source == Place::beyond) return refuse("it leaves the memory that it begins in");
    if (!names_the_places(kind, target, source)) return refuse("its kind is not that of its addresses");
    bool early = source == Place::pageable && !settings.reaches_pageable;
    submit(stream, early ? taken(rows) : [rows] { rows.move(); });
    // The driver writes pageable memory itself, so it waits; what a device reaches is written late.
    if (target == Place::pageable && !settings.reaches_pageable && !stream->capturing) finish(stream);
    return is_lost(stream->device) ? cudaErrorIllegalAddress : cudaSuccess;
}

}  // namespace

API cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t size, cudaMemcpyKind kind,
                                cudaStream_t stream) {
    RUNTIME_CALL();
    return copy(flat(target, source, size), kind, stream_of(stream));
}

API cudaError_t cudaMemcpy(void* target, const void* source, size_t size, cudaMemcpyKind kind) {
    RUNTIME_CALL();
    auto legacy = stream_of(nullptr);
    auto state = copy(flat(target, source, size), kind, legacy);
    if (state == cudaSuccess) finish(legacy);
    return state;
}

API cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source, size_t source_pitch,
                                  size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    RUNTIME_CALL();
    if (target_pitch < width || source_pitch < width) return cudaErrorInvalidPitchValue;
    Rows rows = {static_cast<char*>(target), target_pitch, static_cast<const char*>(source), source_pitch, width, height};
    return copy(rows, kind, stream_of(stream));
}

API cudaError_t cudaMemcpyPeerAsync(void* target, int to, const void* source, int of, size_t size,
                                    cudaStream_t stream) {
    RUNTIME_CALL();
    if (size && (find_memory(target, size).device != to || find_memory(source, size).device != of))
        return refuse("it names other devices than those of its addresses");
    return copy(flat(target, source, size), cudaMemcpyDeviceToDevice, stream_of(stream));
}

API cudaError_t cudaMemsetAsync(void* target, int value, size_t size, cudaStream_t stream) {
    RUNTIME_CALL();
    auto on = stream_of(stream);
    if (!on) return cudaErrorInvalidResourceHandle;
    if (size && find_memory(target, size).place != Place::device) return refuse("it fills no memory of a device");
    submit(on, [=] { memset(target, value, size); });
    return cudaSuccess;
}
