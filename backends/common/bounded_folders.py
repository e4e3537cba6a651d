"""Folders of caches: what was used least recently makes room."""

import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["drop_oldest", "is_time_to_look", "used"]

_PAUSE = 60.0  # seconds between two looks at all files, which take longer than a compilation where they are thousands


def used(file: Path) -> None:
    """Note that a file was used now."""
    with suppress(OSError):
        os.utime(file)


def is_time_to_look(folder: Path) -> bool:
    """Whether no process has looked at all files of a folder for a minute; the caller then looks."""
    last_look = folder / "last_look"
    with suppress(OSError):
        if last_look.exists() and 0 <= time.time() - last_look.stat().st_mtime < _PAUSE:
            return False
        last_look.touch()
    return True


def drop_oldest(files: Iterable[Path], limit: int) -> None:
    """Remove those of some files that were used least recently, until the rest takes no more than ``limit`` bytes."""
    found = []
    for path in files:
        with suppress(OSError):  # another process removed it
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= limit:
            break
        with suppress(OSError):
            path.unlink()
        total -= size
