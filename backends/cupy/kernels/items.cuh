// Types of 1 to 16 bytes that are read or written in one access; their addresses are multiples of their size.
//
// The same text is compiled for CUDA, for HIP, and on the host by the tests, so it includes no headers. Macros:
// ACCEL_ followed by the name of a kernel in capitals: the kernel to compile. The others are left out.
// ACCEL_ITEM, bytes of an item, which is copied as a whole: 1, 2, 4, 8 or 16.
// ACCEL_COUNT, bits of counts: 32 or 64.
// ACCEL_DISTANCE, bits of distances (offsets from the start of an operand): 32 or 64.
// ACCEL_LOOPS, the maximum number of loops.
// ACCEL_EVICTION, if defined: PTX's name of the cache eviction priority for loads.
// Macros of single kernels are described with these.

template <int BYTES>
struct Access;
template <>
struct Access<1> {
    using Type = unsigned char;
};
template <>
struct Access<2> {
    using Type = unsigned short;
};
template <>
struct Access<4> {
    using Type = unsigned;
};
template <>
struct Access<8> {
    using Type = unsigned long long;
};
template <>
struct Access<16> {
    using Type = uint4;
};

using Item = Access<ACCEL_ITEM>::Type;

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
