"""Kernels: compiled functions that run on a device's memory."""

from accel.kernels.raw import RawKernel

__all__ = ["RawKernel"]
