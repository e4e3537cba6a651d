"""Copies, fills and functions in host memory, shared by the backends whose bytes NumPy can access.

`host_copies` is imported at its first use: programs that only compute need no copies.
"""

from importlib import import_module
from typing import Any

__all__ = ["host_copies"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")  # which makes it an attribute of this package
