// The pipeline primitives of CUDA: copies are done when the call returns.
#pragma once
#include <stddef.h>

#include "accel_sim/keywords.h"

template <typename Word>
ACCEL_SIM_INLINE void accel_sim_copy_or_clear(void* to, const void* from, size_t size, size_t copied) {
    for (size_t i = 0; i < size / sizeof(Word); ++i)
        ((Word*)to)[i] = i < copied / sizeof(Word) ? ((const Word*)from)[i] : Word(0);
}
// Copies 4, 8 or 16 bytes; the last ones are set to zero instead.
ACCEL_SIM_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
    if (zeros % 4 == 0) accel_sim_copy_or_clear<unsigned>(to, from, size, size - zeros);
    else accel_sim_copy_or_clear<unsigned char>(to, from, size, size - zeros);
}
ACCEL_SIM_INLINE void __pipeline_commit() {}
ACCEL_SIM_INLINE void __pipeline_wait_prior(size_t) {}
