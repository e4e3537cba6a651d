// char1 ... double4, dim3, and their make_ functions. As in CUDA they have no operators.
#pragma once
#include "abi.h"
#include "keywords.h"

typedef decltype(sizeof 0) size_t;
typedef unsigned short ushort;
typedef unsigned int uint;

#define ACCEL_SIM_ALIGNED(T, n) __attribute__((aligned(sizeof(T) * n < 16 ? sizeof(T) * n : 16)))
#define ACCEL_SIM_VECTORS_1_2_4(T, name)                                                          \
    struct name##1 {                                                                              \
        T x;                                                                                      \
    };                                                                                            \
    struct ACCEL_SIM_ALIGNED(T, 2) name##2 {                                                      \
        T x, y;                                                                                   \
    };                                                                                            \
    struct ACCEL_SIM_ALIGNED(T, 4) name##4 {                                                      \
        T x, y, z, w;                                                                             \
    };                                                                                            \
    ACCEL_SIM_INLINE constexpr name##1 make_##name##1(T x) { return name##1{x}; }                 \
    ACCEL_SIM_INLINE constexpr name##2 make_##name##2(T x, T y) { return name##2{x, y}; }         \
    ACCEL_SIM_INLINE constexpr name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; } \
    ACCEL_SIM_INLINE constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
#define ACCEL_SIM_VECTORS(T, name) \
    struct name##3 {               \
        T x, y, z;                 \
    };                             \
    ACCEL_SIM_VECTORS_1_2_4(T, name)

ACCEL_SIM_VECTORS(signed char, char)
ACCEL_SIM_VECTORS(unsigned char, uchar)
ACCEL_SIM_VECTORS(short, short)
ACCEL_SIM_VECTORS(unsigned short, ushort)
ACCEL_SIM_VECTORS(int, int)
ACCEL_SIM_VECTORS(long, long)
ACCEL_SIM_VECTORS(unsigned long, ulong)
ACCEL_SIM_VECTORS(long long, longlong)
ACCEL_SIM_VECTORS(unsigned long long, ulonglong)
ACCEL_SIM_VECTORS(float, float)
ACCEL_SIM_VECTORS(double, double)
typedef accel_sim::Dim uint3;
ACCEL_SIM_VECTORS_1_2_4(unsigned, uint)

#define ACCEL_SIM_VECTOR_OF_32_BYTES(T, name)                                                              \
    struct __attribute__((aligned(16))) name##4_16a {                                                      \
        T x, y, z, w;                                                                                      \
    };                                                                                                     \
    struct __attribute__((aligned(32))) name##4_32a {                                                      \
        T x, y, z, w;                                                                                      \
    };                                                                                                     \
    ACCEL_SIM_INLINE constexpr name##4_16a make_##name##4_16a(T x, T y, T z, T w) { return {x, y, z, w}; } \
    ACCEL_SIM_INLINE constexpr name##4_32a make_##name##4_32a(T x, T y, T z, T w) { return {x, y, z, w}; }
ACCEL_SIM_VECTOR_OF_32_BYTES(long, long)
ACCEL_SIM_VECTOR_OF_32_BYTES(unsigned long, ulong)
ACCEL_SIM_VECTOR_OF_32_BYTES(long long, longlong)
ACCEL_SIM_VECTOR_OF_32_BYTES(unsigned long long, ulonglong)
ACCEL_SIM_VECTOR_OF_32_BYTES(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 extents) : x(extents.x), y(extents.y), z(extents.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

#undef ACCEL_SIM_VECTOR_OF_32_BYTES
#undef ACCEL_SIM_VECTORS
#undef ACCEL_SIM_VECTORS_1_2_4
#undef ACCEL_SIM_ALIGNED
