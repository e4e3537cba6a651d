"""`immortal`: keeps what native threads use until the process is gone, after Python has cleared its modules."""

import ctypes
from typing import TypeVar

__all__ = ["immortal"]

_T = TypeVar("_T")


def immortal(value: _T) -> _T:
    """Return an object, which is never freed from now on: Python's exit frees what only modules refer to."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))
    return value
