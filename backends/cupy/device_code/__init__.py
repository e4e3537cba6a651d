"""Kernels that are written in Python, as text for CUDA and HIP: printed from the typed form of `accel.ir`."""

from .packing import Packing
from .programs import PARTIAL, THREADS, device_source, kernel_name, reductions, shared_bytes, totals_name
from .trips import NARROW, reach, trips

__all__ = [
    "NARROW",
    "PARTIAL",
    "THREADS",
    "Packing",
    "device_source",
    "kernel_name",
    "reach",
    "reductions",
    "shared_bytes",
    "totals_name",
    "trips",
]
