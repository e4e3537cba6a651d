"""CUDA and HIP kernels of users, compiled for the processor and run thread by thread, with checks."""
