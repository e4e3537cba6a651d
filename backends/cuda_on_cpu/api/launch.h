// Launches of kernels in streams.
#pragma once
#include "schedule.h"

namespace accel_sim {

// A compiled kernel and how it is launched.
struct Kernel {
    const Image* image;
    void (*entry)(void**);
    Dim grid, block;
    uint64_t shared;
    uint32_t cooperative;
};

// Whether it can be launched; reports it otherwise.
cudaError_t check_launch(const Call& call, const Kernel& kernel);
// The arguments are copied; each has its size.
cudaError_t submit_launch(const Call& call, const Kernel& kernel, void* const* arguments, const uint32_t* sizes,
                          uint32_t count, const void* stream);

}  // namespace accel_sim
