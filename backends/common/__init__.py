"""Copies, fills and functions in host memory, shared by the backends whose bytes NumPy can access.

`host_copies` is imported at its first use: programs that only compute need no copies.
"""

from collections.abc import Callable
from typing import Any

from accel.lazy import LazyNames

__all__ = ["host_copies"]

_LAZY = {"host_copies": f"{__name__}.host_copies"}

_names = LazyNames(__name__, _LAZY, __all__)
__getattr__: Callable[[str], Any] = _names.fetch
__dir__ = _names.listed
