// In kernels nothing more than they get without an include; in programs, also the API of the host.
#pragma once
#include "accel_sim/kernel.h"
#if ACCEL_SIM_PROGRAM
#include "accel_sim/host.h"
#endif
