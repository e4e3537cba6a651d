"""Exchange of memory with other libraries through DLPack and CUDA's array interface."""

from accel.interchange.export import Interchange

__all__ = ["Interchange"]
