// The functions of the API that copy and fill memory, in the order of a stream. Memory of the device is checked, that of
// the host is not known.
#include <string.h>

#include "schedule.h"

using namespace accel_sim;

namespace {

// Rows of bytes.
struct Rows {
    char* begin;
    size_t pitch, width, height;
};
uint64_t extent(const Rows& rows) { return rows.width && rows.height ? rows.pitch * (rows.height - 1) + rows.width : 0; }

enum class Side { ANY, HOST, DEVICE };  // what a program says that memory is

// Whether rows can be used; reports it otherwise.
cudaError_t checked(const char* function, uint64_t pc, const Rows& rows, const char* name, Side says) {
    if (rows.pitch < rows.width)
        return misused_at(cudaErrorInvalidPitchValue, function, pc, "the pitch of the %s is less than its rows", name);
    const Range* range = range_at(rows.begin);
    const bool pinned = range && origin_of(*range).kind == MemoryKind::PINNED;
    if (says == Side::DEVICE && (!range || (settings.strict_kinds && pinned)))
        return misused_at(cudaErrorInvalidValue, function, pc, "the %s %p is not memory of the device", name, rows.begin);
    if (!range) return cudaSuccess;
    const uint64_t offset = uint64_t(rows.begin) - range->begin;
    if (range->released)
        return misused_at(cudaErrorInvalidValue, function, pc, "the %s is memory that was released", name);
    if (says == Side::HOST && origin_of(*range).kind == MemoryKind::DEVICE)
        return misused_at(cudaErrorInvalidValue, function, pc,
                          "the %s %p is memory of the device, and not of the host as the kind of the copy says", name,
                          rows.begin);
    if (extent(rows) > range->size - offset)
        return misused_at(cudaErrorInvalidValue, function, pc,
                          "the %s has %llu bytes from offset %llu, but its memory has %llu", name,
                          (unsigned long long)extent(rows), (unsigned long long)offset, (unsigned long long)range->size);
    return cudaSuccess;
}

bool is_pageable(const Rows& rows) { return !range_at(rows.begin); }
bool is_of_host(const Rows& rows) {
    const Range* range = range_at(rows.begin);
    return !range || origin_of(*range).kind == MemoryKind::PINNED;
}

uint8_t* written_at(const char* byte) {
    const Range* range = range_at(byte);
    return range && range->written ? range->written + (uint64_t(byte) - range->begin) : nullptr;
}

struct Copy : Work {
    Rows to, from;
    char* staged;  // what the source was when the copy was submitted; null: it is read when the copy runs
};

void copy_rows(const Rows& to, const Rows& from) {
    uint8_t *marks = written_at(to.begin), *source = written_at(from.begin);
    for (size_t row = 0; row < to.height; ++row) {
        memmove(to.begin + row * to.pitch, from.begin + row * from.pitch, to.width);
        if (marks && source) memmove(marks + row * to.pitch, source + row * from.pitch, to.width);
        else if (marks) memset(marks + row * to.pitch, 1, to.width);
    }
}

// Memory may have been released, in the order of a stream, since the copy was submitted.
void copy_now(Work& work) {
    const auto& copy = (const Copy&)work;
    cudaError_t error = checked(work.function, work.pc, copy.to, "destination", Side::ANY);
    Rows from = copy.from;
    if (copy.staged) from.begin = copy.staged;
    else if (!error) error = checked(work.function, work.pc, from, "source", Side::ANY);
    if (!error) copy_rows(copy.to, from);
    work_failed(error);
}

void end_copy(Work& work) { free(((Copy&)work).staged); }

// The driver reads pageable memory before a call returns, and waits to write it; what a device reaches it uses late.
cudaError_t submit_copy(const Call& call, Stream& stream, const Rows& to, const Rows& from) {
    Copy* work = work_of<Copy>(call, copy_now, end_copy);
    work->to = to, work->from = from;
    const bool driver_reads = !settings.reaches_pageable && is_pageable(from);
    const bool driver_writes = !settings.reaches_pageable && is_pageable(to);
    if (driver_reads && (host.late || stream.capture)) {
        work->staged = (char*)zeros(extent(from));
        memcpy(work->staged, from.begin, extent(from));
    }
    if (const cudaError_t error = submit(stream, work)) return error;
    if (driver_writes && !stream.capture) finish(stream);
    return cudaSuccess;
}

enum class Waits { NO, YES };

cudaError_t copied(const Call& call, const Rows& to, const Rows& from, cudaMemcpyKind kind, const void* handle, Waits waits) {
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return misused(cudaErrorInvalidMemcpyDirection, call, "there is no direction %d", int(kind));
    Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (is_lost(stream->device)) return failed(cudaErrorIllegalAddress);
    if (waits == Waits::YES)
        if (const cudaError_t error = refuse_unsafe()) return error;
    if (!to.width || !to.height) return cudaSuccess;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool of_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const auto side = [=](bool device) { return kind == cudaMemcpyDefault ? Side::ANY : device ? Side::DEVICE : Side::HOST; };
    cudaError_t error = checked(call.function, uint64_t(call.pc), to, "destination", side(to_device));
    if (!error) error = checked(call.function, uint64_t(call.pc), from, "source", side(of_device));
    if (error) return failed(error);
    const bool with_host = is_of_host(to) || is_of_host(from);
    if ((error = submit_copy(call, *stream, to, from))) return error;
    if (waits == Waits::YES && with_host) finish(*stream);  // a copy within a device does not wait, as on a GPU
    return is_lost(stream->device) ? failed(cudaErrorIllegalAddress) : cudaSuccess;
}

Rows flat(const void* begin, size_t size) { return {(char*)begin, size, size, 1}; }

cudaError_t copied(const Call& call, void* to, const void* from, size_t size, cudaMemcpyKind kind, const void* stream = nullptr,
                   Waits waits = Waits::YES) {
    return copied(call, flat(to, size), flat(from, size), kind, stream, waits);
}

struct Fill : Work {
    Rows to;
    uint32_t value;
    unsigned size;  // bytes of the value
};

void fill_now(Work& work) {
    const auto& fill = (const Fill&)work;
    const Rows& to = fill.to;
    cudaError_t error = checked(work.function, work.pc, to, "destination", Side::DEVICE);
    uint8_t* marks = error ? nullptr : written_at(to.begin);
    for (size_t row = 0; !error && row < to.height; ++row) {
        char* begin = to.begin + row * to.pitch;
        if (fill.size == 1) memset(begin, int(fill.value), to.width);
        else for (size_t at = 0; at < to.width; at += fill.size) memcpy(begin + at, &fill.value, fill.size);
        if (marks) memset(marks + row * to.pitch, 1, to.width);
    }
    work_failed(error);
}

cudaError_t filled(const Call& call, const Rows& to, uint32_t value, const void* handle, unsigned size = 1) {
    Stream* stream = stream_for(call, handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!to.width || !to.height) return cudaSuccess;
    if (cudaError_t error = checked(call.function, uint64_t(call.pc), to, "destination", Side::DEVICE)) return failed(error);
    Fill* work = work_of<Fill>(call, fill_now);
    work->to = to, work->value = value, work->size = size;
    return submit(*stream, work);
}

cudaError_t copied_between(const Call& call, void* to, int to_device, const void* from, int from_device, size_t size,
                           const void* stream, Waits waits) {
    const Range *target = range_at(to), *source = range_at(from);
    if (size && target && source && (origin_of(*target).device != to_device || origin_of(*source).device != from_device))
        return misused(cudaErrorInvalidValue, call, "it names the devices %d and %d, and its memory is of %d and %d", to_device,
                       from_device, origin_of(*target).device, origin_of(*source).device);
    return copied(call, to, from, size, cudaMemcpyDeviceToDevice, stream, waits);
}

Rows plane(const cudaPitchedPtr& memory, const cudaPos& at, const cudaExtent& extent, size_t z) {
    char* begin = (char*)memory.ptr + ((at.z + z) * memory.ysize + at.y) * memory.pitch + at.x;
    return {begin, memory.pitch, extent.width, extent.height};
}

cudaError_t copied(const Call& call, const cudaMemcpy3DParms& copy, const void* stream, Waits waits) {
    if (copy.srcArray || copy.dstArray)
        return misused(cudaErrorNotSupported, call, "copies of arrays in three dimensions are not simulated");
    for (size_t z = 0; z < copy.extent.depth; ++z) {
        const Rows to = plane(copy.dstPtr, copy.dstPos, copy.extent, z);
        const Rows from = plane(copy.srcPtr, copy.srcPos, copy.extent, z);
        if (cudaError_t error = copied(call, to, from, copy.kind, stream, waits)) return error;
    }
    return cudaSuccess;
}

}  // namespace

RUNTIME(cudaMemcpy, (void* to, const void* from, size_t size, cudaMemcpyKind kind), copied(call, to, from, size, kind))
RUNTIME(cudaMemcpyAsync, (void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream),
        copied(call, to, from, size, kind, stream, Waits::NO))
RUNTIME(cudaMemcpyPeer, (void* to, int to_device, const void* from, int from_device, size_t size),
        copied_between(call, to, to_device, from, from_device, size, nullptr, Waits::YES))
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t size, cudaStream_t stream) {
    RUNTIME_CALL();
    return copied_between(call, to, to_device, from, from_device, size, stream, Waits::NO);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
    RUNTIME_CALL();
    return copied(call, {(char*)to, to_pitch, width, height}, {(char*)from, from_pitch, width, height}, kind, nullptr, Waits::YES);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    RUNTIME_CALL();
    return copied(call, {(char*)to, to_pitch, width, height}, {(char*)from, from_pitch, width, height}, kind, stream, Waits::NO);
}
RUNTIME(cudaMemcpy3D, (const cudaMemcpy3DParms* copy), copied(call, *copy, nullptr, Waits::YES))
RUNTIME(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* copy, cudaStream_t stream), copied(call, *copy, stream, Waits::NO))

RUNTIME(cudaMemset, (void* memory, int byte, size_t size), filled(call, flat(memory, size), uint32_t(byte), nullptr))
RUNTIME(cudaMemsetAsync, (void* memory, int byte, size_t size, cudaStream_t stream),
        filled(call, flat(memory, size), uint32_t(byte), stream))
RUNTIME(cudaMemset2D, (void* memory, size_t pitch, int byte, size_t width, size_t height),
        filled(call, {(char*)memory, pitch, width, height}, uint32_t(byte), nullptr))
RUNTIME(cudaMemset2DAsync, (void* memory, size_t pitch, int byte, size_t width, size_t height, cudaStream_t stream),
        filled(call, {(char*)memory, pitch, width, height}, uint32_t(byte), stream))
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int byte, cudaExtent extent) {
    RUNTIME_CALL();
    return filled(call, {(char*)memory.ptr, memory.pitch, extent.width, memory.ysize * extent.depth}, uint32_t(byte), nullptr);
}

// --- the driver's names
#define ACCEL_SIM_COPY(name, to_type, from_type, kind)                                                            \
    CUresult cuMemcpy##name(to_type to, from_type from, size_t size) {                                            \
        DRIVER_CALL();                                                                                            \
        return CUresult(copied(call, (void*)to, (const void*)from, size, kind));                                  \
    }                                                                                                             \
    CUresult cuMemcpy##name##Async(to_type to, from_type from, size_t size, CUstream stream) {                    \
        DRIVER_CALL();                                                                                            \
        return CUresult(copied(call, (void*)to, (const void*)from, size, kind, stream, Waits::NO));               \
    }
ACCEL_SIM_COPY(, CUdeviceptr, CUdeviceptr, cudaMemcpyDefault)
ACCEL_SIM_COPY(HtoD, CUdeviceptr, const void*, cudaMemcpyHostToDevice)
ACCEL_SIM_COPY(DtoH, void*, CUdeviceptr, cudaMemcpyDeviceToHost)
ACCEL_SIM_COPY(DtoD, CUdeviceptr, CUdeviceptr, cudaMemcpyDeviceToDevice)

#define ACCEL_SIM_FILL(name, type)                                                                                \
    CUresult cuMemset##name(CUdeviceptr memory, type value, size_t count) {                                       \
        DRIVER_CALL();                                                                                            \
        return CUresult(filled(call, flat((void*)memory, count * sizeof(type)), value, nullptr, sizeof(type)));   \
    }                                                                                                             \
    CUresult cuMemset##name##Async(CUdeviceptr memory, type value, size_t count, CUstream stream) {               \
        DRIVER_CALL();                                                                                            \
        return CUresult(filled(call, flat((void*)memory, count * sizeof(type)), value, stream, sizeof(type)));    \
    }
ACCEL_SIM_FILL(D8, unsigned char)
ACCEL_SIM_FILL(D16, unsigned short)
ACCEL_SIM_FILL(D32, unsigned)
