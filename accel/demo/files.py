"""Replace files atomically."""

import errno
import os
import tempfile
from pathlib import Path

__all__ = ["prepare", "replace", "require_folder", "save"]


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


def require_folder(path: Path) -> None:
    """Check that the folder of a file is there.

    Raises
    ------
    FileNotFoundError
        If it is not.
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}; make it first", str(path))


def replace(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see either the old content or the new, never a part.

    Raises
    ------
    OSError
        If the file cannot be written; the old content is kept.
    """
    require_folder(path)
    partial = path.with_name(f".accel.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None  # not the name of the other file
    finally:
        partial.unlink(missing_ok=True)


def save(path: Path, text: str) -> None:
    """Write text to a file atomically, or to what cannot be replaced, such as ``/dev/stdout``.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
    else:
        replace(path, text.encode())
