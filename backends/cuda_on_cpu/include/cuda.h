// The driver API, for programs; kernels get nothing more than they have without an include.
#pragma once
#include "cuda_runtime.h"
#if ACCEL_SIM_PROGRAM
#include "accel_sim/host_driver.h"
#endif
