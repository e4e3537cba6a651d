"""Replace files atomically."""

import os
import tempfile
from pathlib import Path

__all__ = ["prepare", "replace"]


def prepare(folder: Path) -> None:
    """Create a folder if necessary, and check that it is writable.

    Raises
    ------
    OSError
        If the folder cannot be created or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def replace(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see either the old content or the new, never a part.

    Raises
    ------
    OSError
        If the file cannot be written; the old content is kept.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
