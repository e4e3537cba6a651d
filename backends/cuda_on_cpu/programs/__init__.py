"""Whole CUDA and HIP programs, with host code and `main`, on the simulated device."""
