"""Put a finished folder in the place of another, so that a crash leaves one of the two."""

import ctypes
import os
import shutil
import sys
from pathlib import Path
from uuid import uuid4

__all__ = ["put_in_place"]

_HERE = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def put_in_place(finished: Path, path: Path) -> None:
    """Rename a folder to a path, then remove the folder that was there.

    Linux exchanges the two folders in one step, so that one is at the path at any time. Elsewhere the old folder is
    renamed first, and a crash at that moment leaves both under other names.
    """
    if not path.exists():
        finished.rename(path)
        return
    old = finished
    if not _exchanged(finished, path):
        old = path.with_name(f"{path.name}.{uuid4().hex}.old")
        path.rename(old)
        finished.rename(path)
    shutil.rmtree(old)


def _exchanged(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; say whether this system can."""
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0
