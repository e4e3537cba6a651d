"""Kernels that are written in Python, as text for CUDA and HIP: printed from the typed form of `accel.ir`."""

from .programs import THREADS, device_source, kernel_name, reduces, shared_bytes, totals_name

__all__ = ["THREADS", "device_source", "kernel_name", "reduces", "shared_bytes", "totals_name"]
