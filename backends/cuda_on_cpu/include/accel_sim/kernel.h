// What kernels get without an include, in CUDA and HIP.
#pragma once
#undef _FORTIFY_SOURCE

#include "heap.h"
#include "abi.h"
#include "keywords.h"
#include "vector_types.h"
#include "index.h"
#include "math_macros.h"
#include "math_functions.h"
#include "special_functions.h"
#include "integers.h"
#include "simd.h"
#include "atomics.h"
#include "barriers.h"
#include "warps.h"
#include "rounding.h"
#include "conversions.h"
#include "memory.h"
#include "output.h"
#include "hip_names.h"
#include "entry.h"
