"""Kernels of numba-cuda, which makes text in LLVM's language for NVIDIA's GPUs of them, on the machine here."""
