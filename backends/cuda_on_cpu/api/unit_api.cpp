// The CUDA runtime of whole programs, as one unit for the compiler.
#include "memory.cpp"
#include "allocations.cpp"
#include "copies.cpp"
#include "device.cpp"
#include "errors.cpp"
#include "launch.cpp"
#include "streams.cpp"
