"""The backend of CUDA and ROCm devices. It uses CuPy, and imports it when the devices are first asked for."""

from .backend import CupyBackend

__all__ = ["BACKEND", "CupyBackend"]

BACKEND = CupyBackend()
"""The object that the entry points name."""
