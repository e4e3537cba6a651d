"""Kernels: Python functions compiled for a device's memory, and kernels in CUDA or HIP."""

from accel.kernels.functions import Func, func
from accel.kernels.kernel import Kernel, kernel
from accel.kernels.raw import RawKernel

__all__ = ["Func", "Kernel", "RawKernel", "func", "kernel"]
