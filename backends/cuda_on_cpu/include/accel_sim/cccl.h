// What CCCL (CUB, Thrust, libcu++) finds before its first header: those of C++ that nvcc includes, and an architecture
// whose code paths need no instructions for asynchronous copies and barriers.
#pragma once
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "host_types.h"
#include "kernel.h"
#include "ptx.h"

#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 750
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP

ACCEL_SIM_INLINE unsigned __isGlobal(const void*) { return 1; }
ACCEL_SIM_INLINE unsigned __isShared(const void*) { return 1; }
ACCEL_SIM_INLINE unsigned __isConstant(const void*) { return 0; }
ACCEL_SIM_INLINE unsigned __isGridConstant(const void*) { return 0; }
ACCEL_SIM_INLINE unsigned __isClusterShared(const void*) { return 0; }
