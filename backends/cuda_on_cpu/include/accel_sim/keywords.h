// The keywords of CUDA C and HIP, and the macros by which code finds out what compiles it.
#pragma once

// always_inline: a check reports the address of an access, and debug information then names the line that called.
#define ACCEL_SIM_INLINE __attribute__((always_inline)) inline

// libc++ looks for the attribute __noinline__, which becomes a keyword below.
#if defined(__clang__) && __has_include(<__config>)
#include <__config>
#endif

#if ACCEL_SIM_WARP == 64
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __AMDGCN_WAVEFRONT_SIZE 64
#define __AMDGCN_WAVEFRONT_SIZE__ 64
#else
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif
#define CUDART_VERSION 13000

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
// A worker runs one block at a time. Libraries put values of 16 bytes into arrays of char. Compilers leave out writes to what
// is never read, and so what races.
#if ACCEL_SIM_CHECKED
#define __shared__ thread_local __attribute__((aligned(16), used))
#else
#define __shared__ thread_local __attribute__((aligned(16)))
#endif
#define __forceinline__ inline
#define __inline_hint__
#define __noinline__  // empty: headers of C++ libraries write __attribute__((__noinline__))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __nv_pure__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#define __builtin_nontemporal_load(from) (*(from))
#define __builtin_nontemporal_store(value, to) ((void)(*(to) = (value)))
#endif
#define __nv_unused__ __attribute__((unused))
