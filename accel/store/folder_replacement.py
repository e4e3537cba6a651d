"""Put a finished folder in the place of another, so that a crash leaves one of the two."""

import shutil
from pathlib import Path
from uuid import uuid4

from accel.support.system import exchange

__all__ = ["put_in_place"]


def put_in_place(finished: Path, path: Path) -> None:
    """Rename a folder to a path, then remove the folder that was there.

    Linux exchanges the two folders in one step, so that one is at the path at any time. Elsewhere the old folder is
    renamed first, and a crash at that moment leaves both under other names.
    """
    if not path.exists():
        finished.rename(path)
        return
    old = finished
    if not exchange(finished, path):
        old = path.with_name(f"{path.name}.{uuid4().hex}.old")
        path.rename(old)
        finished.rename(path)
    shutil.rmtree(old)
