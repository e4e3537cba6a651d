"""A simulated accelerator: its own address space, late streams, limited memory, injected faults and race reports."""

from .backend import SimBackend

__all__ = ["BACKEND", "SimBackend"]

BACKEND = SimBackend()
"""The object that the entry point names."""
