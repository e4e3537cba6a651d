// __half and __half2: binary16, as in CUDA's header of this name.
#pragma once
#include "accel_sim/formats.h"

#define F __half
#define F2 __half2
#define F_RAW __half_raw
#define F2_RAW __half2_raw
#define F_FORMAT accel_sim::Half
#define F_WORD half
#include "accel_sim/float16_type.h"
#include "accel_sim/float16_functions.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
