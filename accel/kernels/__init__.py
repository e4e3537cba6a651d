"""Compiled functions on the memory of any device."""

from accel.kernels.raw import RawKernel

__all__ = ["RawKernel"]
