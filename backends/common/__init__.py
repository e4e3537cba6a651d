"""Copies and fills in host memory, shared by the backends whose bytes NumPy can access."""

from .host_copies import copy, fill

__all__ = ["copy", "fill"]
