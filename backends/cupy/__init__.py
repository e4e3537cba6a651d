"""CUDA and ROCm devices, through CuPy, which is imported when they are first asked for."""

from .backend import CupyBackend

__all__ = ["BACKEND", "CupyBackend"]

BACKEND = CupyBackend()
"""What the entry points offer."""
