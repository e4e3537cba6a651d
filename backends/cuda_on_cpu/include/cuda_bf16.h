// __nv_bfloat16 and __nv_bfloat162: the upper half of a float, as in CUDA's header of this name.
#pragma once
#include "accel_sim/formats.h"
#include "cuda_fp16.h"  // before the names below

#define F __nv_bfloat16
#define F2 __nv_bfloat162
#define F_RAW __nv_bfloat16_raw
#define F2_RAW __nv_bfloat162_raw
#define F_FORMAT accel_sim::BFloat16
#define F_WORD bfloat16
#define F_OTHER __half
#include "accel_sim/float16_type.h"
#include "accel_sim/float16_functions.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
