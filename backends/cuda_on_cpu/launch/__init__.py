"""Compiled kernels in this process: their modules, the memory that they may use, and launches."""
