"""The backend of the host: NumPy memory; all work is done in the caller's thread."""

from .backend import CpuBackend

__all__ = ["BACKEND", "CpuBackend"]

BACKEND = CpuBackend()
"""The object that the entry point names."""
