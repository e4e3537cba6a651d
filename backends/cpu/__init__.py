"""The host: NumPy memory in the caller's thread."""

from .backend import CpuBackend

__all__ = ["BACKEND", "CpuBackend"]

BACKEND = CpuBackend()
"""What the entry point offers."""
