"""The C structures of DLPack, and Python's C functions for capsules."""

import ctypes
from typing import Any, NamedTuple

__all__ = [
    "LEGACY",
    "VERSIONED",
    "DLDataType",
    "DLDevice",
    "DLManagedTensor",
    "DLManagedTensorVersioned",
    "DLTensor",
    "Form",
    "deleter_at",
    "is_valid",
    "pointer",
    "rename",
]


class DLDevice(ctypes.Structure):
    """The device of a tensor."""

    _fields_ = (("type", ctypes.c_int32), ("index", ctypes.c_int32))


class DLDataType(ctypes.Structure):
    """The type of its elements."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class DLTensor(ctypes.Structure):
    """Elements in memory; strides are in elements."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class DLManagedTensor(ctypes.Structure):
    """The contents of a capsule before version 1."""

    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))
    flags = 0


class DLManagedTensorVersioned(ctypes.Structure):
    """The contents of a capsule since version 1."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


class Form(NamedTuple):
    """One of the two forms of capsules.

    Attributes
    ----------
    name, used : bytes
        The name of a capsule before and after a consumer takes it over.
    holds : type
        The structure whose address it has.
    """

    name: bytes
    used: bytes
    holds: type[DLManagedTensor | DLManagedTensorVersioned]


LEGACY = Form(b"dltensor", b"used_dltensor", DLManagedTensor)
"""The form of capsules before version 1."""

VERSIONED = Form(b"dltensor_versioned", b"used_dltensor_versioned", DLManagedTensorVersioned)
"""The form since version 1."""

# The first three hold the GIL; a deleter does not need it.
is_valid: Any = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
pointer: Any = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
rename: Any = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_SetName", ctypes.pythonapi)
)
deleter_at: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
for _form in (LEGACY, VERSIONED):
    # A capsule keeps only the address of its name, and may outlive this module.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_form.used))
