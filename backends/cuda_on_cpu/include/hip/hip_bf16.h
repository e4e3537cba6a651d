// As in HIP, whose names are those of CUDA with another prefix. See cuda_bf16.h.
#pragma once
#include "../cuda_bf16.h"

typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
typedef __nv_bfloat16_raw __hip_bfloat16_raw;
typedef __nv_bfloat162_raw __hip_bfloat162_raw;
