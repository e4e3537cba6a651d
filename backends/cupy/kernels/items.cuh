// An item is what a thread reads or writes in one access; its address is a multiple of its size.
//
// The same text is compiled for CUDA, for HIP, and on the host by the tests, so it includes no headers. Macros:
// ACCEL_ITEM, bytes of an item: 1, 2, 4, 8 or 16.
// ACCEL_INDEX, bits of counts and distances (offsets in bytes): 32 or 64.
// ACCEL_LOOPS, the maximum number of loops.
// ACCEL_FLIGHT, how many items a thread has in flight at once.
// ACCEL_EVICTION, if defined: PTX's name of the cache eviction priority for loads.

#if ACCEL_ITEM == 1
using Item = unsigned char;
#elif ACCEL_ITEM == 2
using Item = unsigned short;
#elif ACCEL_ITEM == 4
using Item = unsigned;
#elif ACCEL_ITEM == 8
using Item = unsigned long long;
#else
using Item = uint4;
#endif

#if defined(ACCEL_EVICTION) && defined(__CUDA_ARCH__)

#define ACCEL_TEXT_OF(name) #name
#define ACCEL_TEXT(name) ACCEL_TEXT_OF(name)
#define ACCEL_LOAD "ld.global.L1::" ACCEL_TEXT(ACCEL_EVICTION)

__device__ inline unsigned char load(const unsigned char* from) {
    unsigned item;  // PTX has no registers of 8 bits
    asm volatile(ACCEL_LOAD ".u8 %0, [%1];" : "=r"(item) : "l"(from));
    return item;
}

__device__ inline unsigned short load(const unsigned short* from) {
    unsigned short item;
    asm volatile(ACCEL_LOAD ".u16 %0, [%1];" : "=h"(item) : "l"(from));
    return item;
}

__device__ inline unsigned load(const unsigned* from) {
    unsigned item;
    asm volatile(ACCEL_LOAD ".u32 %0, [%1];" : "=r"(item) : "l"(from));
    return item;
}

__device__ inline unsigned long long load(const unsigned long long* from) {
    unsigned long long item;
    asm volatile(ACCEL_LOAD ".u64 %0, [%1];" : "=l"(item) : "l"(from));
    return item;
}

__device__ inline uint4 load(const uint4* from) {
    uint4 item;
    asm volatile(ACCEL_LOAD ".v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(item.x), "=r"(item.y), "=r"(item.z), "=r"(item.w)
                 : "l"(from));
    return item;
}

#else

template <typename Word>
__device__ inline Word load(const Word* from) {
    return *from;
}

#endif
