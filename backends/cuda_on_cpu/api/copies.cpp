// The functions of the API that copy and fill memory. The device's memory is checked, the host's is not known.
#include <string.h>

#include "../include/accel_sim/host_api.h"
#include "api.h"

using namespace accel_sim;

namespace {

// One side of a copy: rows of bytes.
struct Rows {
    char* begin;
    size_t pitch, width, height;
    const char* name;
    bool device;  // the program says that it is memory of the device
};

uint64_t extent(const Rows& rows) { return rows.width && rows.height ? rows.pitch * (rows.height - 1) + rows.width : 0; }

// Whether the memory can be used; reports it otherwise.
cudaError_t checked(const Rows& rows, const char* function, void* pc) {
    if (rows.pitch < rows.width)
        return misused(cudaErrorInvalidPitchValue, function, pc, "the pitch of the %s is less than its rows", rows.name);
    const Range* range = range_at(rows.begin);
    if (!range && rows.device)
        return misused(cudaErrorInvalidValue, function, pc, "the %s %p is not memory of the device", rows.name, rows.begin);
    if (!range) return cudaSuccess;
    const uint64_t offset = uint64_t(rows.begin) - range->begin;
    if (range->released)
        return misused(cudaErrorInvalidValue, function, pc, "the %s is memory that was released", rows.name);
    if (extent(rows) > range->size - offset)
        return misused(cudaErrorInvalidValue, function, pc, "the %s has %llu bytes from offset %llu, but its memory has %llu",
                       rows.name, (unsigned long long)extent(rows), (unsigned long long)offset,
                       (unsigned long long)range->size);
    return cudaSuccess;
}

uint8_t* written_at(const char* byte) {
    const Range* range = range_at(byte);
    return range && range->written ? range->written + (uint64_t(byte) - range->begin) : nullptr;
}

void copy_rows(const Rows& to, const Rows& from) {
    uint8_t *known = written_at(to.begin), *source = written_at(from.begin);
    for (size_t row = 0; row < to.height; ++row) {
        memmove(to.begin + row * to.pitch, from.begin + row * from.pitch, to.width);
        if (known && source) memmove(known + row * to.pitch, source + row * from.pitch, to.width);
        else if (known) memset(known + row * to.pitch, 1, to.width);
    }
}

cudaError_t copied(const char* function, void* pc, Rows to, Rows from, cudaMemcpyKind kind) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return misused(cudaErrorInvalidMemcpyDirection, function, pc, "there is no direction %d", kind);
    if (!extent(to)) return cudaSuccess;
    to.device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    from.device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    to.name = "destination", from.name = "source";
    Locked locked(host_lock);
    cudaError_t error = checked(to, function, pc);
    if (!error) error = checked(from, function, pc);
    if (!error) copy_rows(to, from);
    return error;
}

cudaError_t copied(const char* function, void* pc, void* to, const void* from, size_t size, cudaMemcpyKind kind) {
    return copied(function, pc, {(char*)to, size, size, 1, "", false}, {(char*)from, size, size, 1, "", false}, kind);
}

cudaError_t filled(const char* function, void* pc, void* memory, size_t pitch, int byte, size_t width, size_t height) {
    const Rows rows = {(char*)memory, pitch, width, height, "destination", true};
    if (!extent(rows)) return cudaSuccess;
    Locked locked(host_lock);
    if (cudaError_t error = checked(rows, function, pc)) return error;
    uint8_t* known = written_at(rows.begin);
    for (size_t row = 0; row < height; ++row) {
        memset(rows.begin + row * pitch, byte, width);
        if (known) memset(known + row * pitch, 1, width);
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
    return copied("cudaMemcpy", ACCEL_SIM_CALLER, to, from, size, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t) {
    return copied("cudaMemcpyAsync", ACCEL_SIM_CALLER, to, from, size, kind);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t size) {
    return copied("cudaMemcpyPeer", ACCEL_SIM_CALLER, to, from, size, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t size, cudaStream_t) {
    return copied("cudaMemcpyPeerAsync", ACCEL_SIM_CALLER, to, from, size, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    return copied("cudaMemcpy2D", ACCEL_SIM_CALLER, {(char*)to, to_pitch, width, height, "", false},
                  {(char*)from, from_pitch, width, height, "", false}, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t) {
    return copied("cudaMemcpy2DAsync", ACCEL_SIM_CALLER, {(char*)to, to_pitch, width, height, "", false},
                  {(char*)from, from_pitch, width, height, "", false}, kind);
}

namespace {

Rows plane(const cudaPitchedPtr& memory, const cudaPos& at, const cudaExtent& extent, size_t z) {
    char* begin = (char*)memory.ptr + ((at.z + z) * memory.ysize + at.y) * memory.pitch + at.x;
    return {begin, memory.pitch, extent.width, extent.height, "", false};
}

cudaError_t copied(const char* function, void* pc, const cudaMemcpy3DParms& copy) {
    if (copy.srcArray || copy.dstArray)
        return misused(cudaErrorNotSupported, function, pc, "copies of arrays in three dimensions are not simulated");
    for (size_t z = 0; z < copy.extent.depth; ++z) {
        const Rows to = plane(copy.dstPtr, copy.dstPos, copy.extent, z);
        const Rows from = plane(copy.srcPtr, copy.srcPos, copy.extent, z);
        if (cudaError_t error = copied(function, pc, to, from, copy.kind)) return error;
    }
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy) { return copied("cudaMemcpy3D", ACCEL_SIM_CALLER, *copy); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t) {
    return copied("cudaMemcpy3DAsync", ACCEL_SIM_CALLER, *copy);
}

cudaError_t cudaMemset(void* memory, int byte, size_t size) {
    return filled("cudaMemset", ACCEL_SIM_CALLER, memory, size, byte, size, 1);
}
cudaError_t cudaMemsetAsync(void* memory, int byte, size_t size, cudaStream_t) {
    return filled("cudaMemsetAsync", ACCEL_SIM_CALLER, memory, size, byte, size, 1);
}
cudaError_t cudaMemset2D(void* memory, size_t pitch, int byte, size_t width, size_t height) {
    return filled("cudaMemset2D", ACCEL_SIM_CALLER, memory, pitch, byte, width, height);
}
cudaError_t cudaMemset2DAsync(void* memory, size_t pitch, int byte, size_t width, size_t height, cudaStream_t) {
    return filled("cudaMemset2DAsync", ACCEL_SIM_CALLER, memory, pitch, byte, width, height);
}
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int byte, cudaExtent extent) {
    return filled("cudaMemset3D", ACCEL_SIM_CALLER, memory.ptr, memory.pitch, byte, extent.width,
                  memory.ysize * extent.depth);
}
