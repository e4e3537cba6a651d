"""The C structures of Arrow, and Python's C functions for capsules.

https://arrow.apache.org/docs/format/CDataInterface.html, CDeviceDataInterface.html and CStreamInterface.html there.
"""

import ctypes
from ctypes import c_char_p, c_int, c_int32, c_int64, c_size_t, c_void_p, py_object
from typing import Any

__all__ = [
    "ArrowArray",
    "ArrowArrayStream",
    "ArrowDeviceArray",
    "ArrowSchema",
    "allocate",
    "count_reference",
    "is_valid",
    "new_capsule",
    "pointer",
    "release_at",
]


class ArrowSchema(ctypes.Structure):
    """The type of a column, and those of its children."""

    _fields_ = (
        ("format", c_char_p),
        ("name", c_char_p),
        ("metadata", c_void_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", ctypes.POINTER(c_void_p)),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    )


class ArrowArray(ctypes.Structure):
    """The elements of a column, and its children."""

    _fields_ = (
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", ctypes.POINTER(c_void_p)),
        ("children", ctypes.POINTER(c_void_p)),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    )


class ArrowDeviceArray(ctypes.Structure):
    """A column, and the device that its memory is on; the numbers of devices are those of DLPack."""

    _fields_ = (
        ("array", ArrowArray),
        ("device_id", c_int64),
        ("device_type", c_int32),
        ("sync_event", c_void_p),
        ("reserved", c_int64 * 3),
    )


class ArrowArrayStream(ctypes.Structure):
    """Columns of one type, one after the other."""

    _fields_ = (
        ("get_schema", c_void_p),
        ("get_next", c_void_p),
        ("get_last_error", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    )


def _function(name: str, result: Any, *arguments: Any) -> Any:
    """Return a C function of Python that is called with the GIL."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


is_valid: Any = _function("PyCapsule_IsValid", c_int, py_object, c_char_p)
pointer: Any = _function("PyCapsule_GetPointer", c_void_p, py_object, c_char_p)
new_capsule: Any = _function("PyCapsule_New", py_object, c_void_p, c_char_p, c_void_p)
allocate: Any = _function("PyMem_RawMalloc", c_void_p, c_size_t)
count_reference: Any = _function("Py_IncRef", None, py_object)
release_at: Any = ctypes.CFUNCTYPE(None, c_void_p)
"""A release callback; it is called without the GIL."""
