"""Exchange of memory with other libraries: DLPack, Python's buffers, and CUDA's array interface."""

from accel.interchange.export import Interchange

__all__ = ["Interchange"]
