"""Files that are replaced whole or not at all."""

import os
import tempfile
from pathlib import Path

__all__ = ["prepare", "replace"]


def prepare(folder: Path) -> None:
    """Make a folder if there is none, and make sure that it can be written to.

    Raises
    ------
    OSError
        If it cannot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def replace(path: Path, content: bytes) -> None:
    """Write a file; whoever opens it meanwhile sees the old content or the new, never a part.

    Raises
    ------
    OSError
        If it cannot be written; the old content stays.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
