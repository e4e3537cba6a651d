// What translation.py writes after declarations without a value, in checked code.
#pragma once
#include "abi.h"
#include "inside.h"

namespace accel_sim {

// An array of a size that is not constant, which kernels do not have.
inline void declared(...) {}

// A type with a constructor has written what it wants to.
template <typename T>
__attribute__((always_inline)) inline void declared(T& variable) {
    if constexpr (__is_trivially_constructible(T))
        accel_sim_declared(const_cast<void*>((const volatile void*)__builtin_addressof(variable)), sizeof variable);
}

}  // namespace accel_sim
