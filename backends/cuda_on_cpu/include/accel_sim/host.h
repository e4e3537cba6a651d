// What programs with host code get without an include, after `kernel.h`: CUDA's runtime API, launches, and HIP's names.
#pragma once
#include "kernel.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <new>

#if ACCEL_SIM_CHECKED
#include "declared.h"
#endif
#include "host_api.h"
#include "host_hip.h"
#include "host_launch.h"
#include "host_symbols.h"
