// What code calls that is compiled with -fsanitize=thread,alignment,bounds. Host code of a whole program may call it too:
// then it checks nothing.
#include "checks_access.h"

using namespace accel_sim;

#define PC __builtin_return_address(0)
#define CALLBACK extern "C" __attribute__((visibility("default")))

// An access of a size that machines have.
static void check_alone(const void* at, uint64_t size, uint32_t mode, void* pc, uint64_t alignment) {
    Thread* thread = checked_thread();
    if (thread && checks_of(*thread)->observes) observe(*thread, (uint64_t)at, size, mode, pc);
    check_slowly(at, size, mode, pc, alignment);
}

// --- plain accesses
#define ACCESSES(size)                                                                                              \
    CALLBACK void __tsan_read##size(void* at) { check<size, READ>(at, PC); }                                        \
    CALLBACK void __tsan_write##size(void* at) { check<size, WRITE>(at, PC); }                                      \
    CALLBACK void __tsan_read_write##size(void* at) { check<size, READ | WRITE>(at, PC); }                          \
    CALLBACK void __tsan_volatile_read##size(void* at) { check_alone(at, size, READ | VOLATILE, PC, size); }       \
    CALLBACK void __tsan_volatile_write##size(void* at) { check_alone(at, size, WRITE | VOLATILE, PC, size); }

#define UNALIGNED(size)                                                                                             \
    CALLBACK void __tsan_unaligned_read##size(void* at) { check_alone(at, size, READ, PC, 1); }                    \
    CALLBACK void __tsan_unaligned_write##size(void* at) { check_alone(at, size, WRITE, PC, 1); }                  \
    CALLBACK void __tsan_unaligned_read_write##size(void* at) { check_alone(at, size, READ | WRITE, PC, 1); }      \
    CALLBACK void __tsan_unaligned_volatile_read##size(void* at) { check_alone(at, size, READ | VOLATILE, PC, 1); } \
    CALLBACK void __tsan_unaligned_volatile_write##size(void* at) { check_alone(at, size, WRITE | VOLATILE, PC, 1); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

CALLBACK void __tsan_read_range(void* at, uint64_t size) { check_alone(at, size, READ | WHOLE, PC, 1); }
CALLBACK void __tsan_write_range(void* at, uint64_t size) { check_alone(at, size, WRITE | WHOLE, PC, 1); }
CALLBACK void accel_sim_reads(const void* at, uint64_t size) { check_slowly(at, size, READ | WHOLE, PC, 1); }
CALLBACK void accel_sim_writes(void* at, uint64_t size) { check_slowly(at, size, WRITE | WHOLE, PC, 1); }
CALLBACK void __tsan_vptr_read(void** at) { check<sizeof(void*), READ>(at, PC); }
CALLBACK void __tsan_vptr_update(void** at, void*) { check<sizeof(void*), WRITE>(at, PC); }

static void check_copy(void* to, const void* from, uint64_t size, void* pc) {
    check_slowly(from, size, READ | WHOLE, pc, 1);
    check_slowly(to, size, WRITE | WHOLE, pc, 1);
}

CALLBACK void* __tsan_memcpy(void* to, const void* from, uint64_t size) {
    check_copy(to, from, size, PC);
    return memcpy(to, from, size);
}

CALLBACK void* __tsan_memmove(void* to, const void* from, uint64_t size) {
    check_copy(to, from, size, PC);
    return memmove(to, from, size);
}

CALLBACK void* __tsan_memset(void* to, int value, uint64_t size) {
    check_slowly(to, size, WRITE | WHOLE, PC, 1);
    return memset(to, value, size);
}

// --- functions
CALLBACK void __tsan_init() {}
CALLBACK void __tsan_func_entry(void*) {}

// Code is compiled with frame pointers: that of the function which ends is saved in this frame.
CALLBACK void __tsan_func_exit() {
    if (Thread* thread = checked_thread()) {
        if (thread->shadow.local_low >= thread->shadow.local_high) return;
        const uintptr_t frame = *(const uintptr_t*)__builtin_frame_address(0);
        clear_local(*thread, frame);
    }
}

CALLBACK void accel_sim_declared(void* variable, uint64_t size) {
    if (Thread* thread = checked_thread()) declare_local(*thread, (uintptr_t)variable, size);
}

// An access of a local variable with an index that is not constant; numba's code has no check of its own.
CALLBACK void accel_sim_local(const void* begin, uint64_t size, const void* at, uint64_t access) {
    Thread* thread = checked_thread();
    const uint64_t offset = (uint64_t)at - (uint64_t)begin;
    if (!thread || !checks_of(*thread)->memory || (offset < size && size - offset >= access)) return;
    index_out_of_bounds(*thread, access ? int64_t(offset) / int64_t(access) : 0, (uint64_t)__builtin_return_address(0));
}

// --- UndefinedBehaviorSanitizer
namespace {

struct SourceLocation {
    const char* file;
    uint32_t line, column;
};

struct Type {
    uint16_t kind, info;
    char name[1];
};

struct Mismatch {
    SourceLocation location;
    const Type* type;
    uint8_t alignment;  // its logarithm
    uint8_t kind;       // 0: load, 1: store
};

void refuse_misaligned(const Mismatch& data, uint64_t address, void* pc) {
    Thread* thread = checked_thread();
    if (!thread || !checks_of(*thread)->memory) return;
    // No access needs more than 16 bytes. CUB has types that ask for 32, and places them less strictly.
    const uint64_t alignment = uint64_t(1) << (data.alignment < 4 ? data.alignment : 4);
    if (address % alignment) misaligned({*thread, address, alignment, (uint64_t)pc, data.kind == 1 ? WRITE : READ, 0}, data.type->name);
}

void refuse_index(uint64_t index, void* pc) {
    Thread* thread = checked_thread();
    if (thread && checks_of(*thread)->memory) index_out_of_bounds(*thread, index, (uint64_t)pc);
}

void refuse_end(void* pc) {
    Thread* thread = checked_thread();
    if (!thread || !checks_of(*thread)->memory) return;
    fail(*thread->run, finding_of({*thread, 0, 0, (uint64_t)pc, 0, 0}, NO_RETURN, nullptr));
}

}  // namespace

#define HANDLER(name, parameters, action)                                       \
    CALLBACK void __ubsan_handle_##name parameters { action; }                  \
    CALLBACK void __ubsan_handle_##name##_abort parameters { action; }

HANDLER(type_mismatch_v1, (Mismatch * data, uint64_t address), refuse_misaligned(*data, address, PC))
HANDLER(out_of_bounds, (void*, uint64_t index), refuse_index(index, PC))
HANDLER(local_out_of_bounds, (), refuse_index(~uint64_t(0), PC))
HANDLER(alignment_assumption, (Mismatch * data, uint64_t address, uint64_t, uint64_t), refuse_misaligned(*data, address, PC))
HANDLER(missing_return, (void*), refuse_end(PC))
HANDLER(pointer_overflow, (void*, uint64_t, uint64_t), )
