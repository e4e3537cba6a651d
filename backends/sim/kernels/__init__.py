"""Kernels on the simulated device: an interpreter of programs, which checks accesses, barriers and warps."""

from .interpreter import Interpreter, interpret
from .sim_kernel import SimKernel, kernel_source

__all__ = ["Interpreter", "SimKernel", "interpret", "kernel_source"]
