// The functions of C for memory are those of the runtime. Clang ignores that after `using ::malloc`, which headers of
// libc++ have, so this header is the first.
#pragma once
#include <stddef.h>

#define ACCEL_SIM_STRING_OF(text) #text
#define ACCEL_SIM_STRING(text) ACCEL_SIM_STRING_OF(text)
#define ACCEL_SIM_IS(function) __asm__(ACCEL_SIM_STRING(__USER_LABEL_PREFIX__) #function)

extern "C" {
void* malloc(size_t size) noexcept ACCEL_SIM_IS(accel_sim_malloc);
void free(void* memory) noexcept ACCEL_SIM_IS(accel_sim_free);
}
