"""Structures that are exported, and the capsules on them.

All structures of one export, and the memory that they point to, are kept alive by one list. Each structure has a
reference to it, which its release callback gives back. So a child that a consumer has moved outlives its parent.
"""

import ctypes
from collections.abc import Sequence

from accel.errors import OutOfMemoryError
from accel.interchange.arrow.abi import ArrowArray, ArrowSchema, allocate, count_reference, new_capsule

__all__ = ["capsule_of", "children_of"]

_NAMES = (b"arrow_schema", b"arrow_array", b"arrow_device_array")
for _name in _NAMES:
    # A capsule keeps only the address of its name, and may outlive this module.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_name))


def children_of(
    children: Sequence[ctypes.Structure], references: list[object]
) -> "ctypes._Pointer[ctypes.c_void_p] | None":
    """Return a pointer to the addresses of structures, which the list keeps alive; None if there are none."""
    if not children:
        return None
    addresses = (ctypes.c_void_p * len(children))(*map(ctypes.addressof, children))
    references.append(addresses)
    return ctypes.cast(addresses, ctypes.POINTER(ctypes.c_void_p))


def capsule_of(structure: ctypes.Structure, references: list[object], name: bytes, destructor: int) -> object:
    """Return a capsule on a structure, which is copied into memory that the destructor frees.

    From now on the list belongs to its structures: each has a reference.
    """
    size = ctypes.sizeof(structure)
    address = allocate(size)
    if not address:
        raise OutOfMemoryError(f"{size} bytes for a capsule could not be allocated")
    ctypes.memmove(address, ctypes.addressof(structure), size)
    for each in references:
        if isinstance(each, ArrowArray | ArrowSchema):
            count_reference(references)
    capsule: object = new_capsule(address, _NAMES[_NAMES.index(name)], destructor)
    return capsule
