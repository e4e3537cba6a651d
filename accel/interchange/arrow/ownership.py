"""Structures that are taken over from their capsules, and released once."""

import ctypes
import threading
from typing import Any, TypeVar
from weakref import finalize

from accel.errors import InterchangeError
from accel.interchange.arrow.abi import is_valid, pointer, release_at
from accel.support.locks import open_after_fork

__all__ = ["Moved", "move"]

_Structure = TypeVar("_Structure", bound=ctypes.Structure)

# Reentrant: a garbage collection may run another library's code.
_lock = open_after_fork(threading.RLock())


class Moved:
    """A structure of another library, whose release callback is called once: after its last use, or at exit.

    Attributes
    ----------
    structure : ctypes.Structure
        The structure.
    """

    __slots__ = ("__weakref__", "_finalizer", "structure")

    def __init__(self, structure: ctypes.Structure, releases: ctypes.Structure) -> None:
        self.structure: Any = structure
        self._finalizer = finalize(self, _release, releases)

    def release(self) -> None:
        """Call the release callback, unless it was called before."""
        self._finalizer()


def move(capsule: object, name: bytes, kind: type[_Structure]) -> Moved:
    """Take a structure over from a capsule.

    Raises
    ------
    InterchangeError
        If it is no such capsule, or if another consumer took the structure over before.
    """
    if not is_valid(capsule, name):
        raise InterchangeError(f"a capsule named {name.decode()!r} is needed; found {capsule!r:.100}")
    address = pointer(capsule, name)
    with _lock:  # of two threads, one gets the structure
        structure = kind.from_buffer_copy((ctypes.c_char * ctypes.sizeof(kind)).from_address(address))
        releases = _released_part(structure)
        if not releases.release:
            raise InterchangeError(
                f"the structure of this {name.decode()!r} capsule was taken over or released before; export again for "
                f"a new capsule, for one consumer each"
            )
        _released_part(kind.from_address(address)).release = None
        return Moved(structure, releases)


def _released_part(structure: Any) -> Any:
    """Return what has the release callback: of a device array, its array."""
    return structure.array if hasattr(structure, "device_type") else structure


def _release(structure: Any) -> None:
    release_at(structure.release)(ctypes.addressof(structure))
