"""Exchange of memory with other libraries through DLPack and CUDA's array interface."""

from accel.interchange.export import Interchange
from accel.support.lazy import listing

__all__ = ["Interchange"]

__dir__ = listing(__name__, __all__)
