"""Kernels that are written in Python, as text for CUDA and HIP: printed from the typed form of `accel.ir`."""

from .packing import FormPacking, Packing
from .parameters import kernel_parameters
from .programs import PARTIAL, THREADS, device_source, kernel_name, reductions, shared_bytes, totals_name
from .steps import is_joined, kept, launched
from .trips import NARROW, counting_numbers, reach, trips

__all__ = [
    "NARROW",
    "PARTIAL",
    "THREADS",
    "FormPacking",
    "Packing",
    "counting_numbers",
    "device_source",
    "is_joined",
    "kept",
    "kernel_name",
    "kernel_parameters",
    "launched",
    "reach",
    "reductions",
    "shared_bytes",
    "totals_name",
    "trips",
]
