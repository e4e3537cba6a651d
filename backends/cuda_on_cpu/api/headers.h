// CUDA's types and functions: those that programs get here; or NVIDIA's, for code that was compiled with NVIDIA's headers.
#pragma once
#if ACCEL_SIM_OF_NVIDIA
#pragma GCC visibility push(default)
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
#else
#include "../include/accel_sim/host_api.h"
#include "../include/accel_sim/host_driver.h"
#endif
