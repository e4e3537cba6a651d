"""A simulated accelerator: everything that is hard about one, on a machine without."""

from .backend import SimBackend

__all__ = ["BACKEND", "SimBackend"]

BACKEND = SimBackend()
"""What the entry point offers."""
