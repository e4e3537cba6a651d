"""Put a finished folder in the place of another, so that a crash leaves one of the two."""

import ctypes
import os
import shutil
import sys
from uuid import uuid4

__all__ = ["put_in_place"]

_HERE = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def put_in_place(finished: str, path: str) -> None:
    """Rename a folder to a path; what is there is removed after that.

    Where the system can exchange two folders, there is one at the path at any time. Elsewhere the old one is moved
    aside first, and a crash at that moment leaves both under other names.
    """
    if not os.path.lexists(path):
        os.rename(finished, path)
        return
    old = finished
    if not _exchanged(finished, path):
        old = f"{path.rstrip('/')}.{uuid4().hex}.old"
        os.rename(path, old)
        os.rename(finished, path)
    shutil.rmtree(old)


def _exchanged(one: str, other: str) -> bool:
    """Exchange two folders in one step; say whether this system can."""
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0
