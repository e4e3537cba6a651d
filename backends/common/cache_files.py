"""Files of caches: they are written at once, each with a checksum at its end; what is damaged is not there.

Compilers, linkers and the loader of the system do not look past the end of what they read, so the files serve as they
are.
"""

import json
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["content_of", "is_whole", "move", "put", "record", "recorded", "store", "write"]

_SIZE = sha256().digest_size


def put(new: Path, file: Path) -> None:
    """Move a new file to its place, with a checksum; what is there goes, also a folder."""
    checksum = sha256(new.read_bytes()).digest()
    with new.open("ab") as end:
        end.write(checksum)
    move(new, file)


def store(content: bytes, file: Path) -> None:
    """Write a file with a checksum; do nothing if that fails."""
    write(content + sha256(content).digest(), file)


def record(file: Path, value: object) -> None:
    """Write what JSON has a form for, with a checksum; do nothing if that fails."""
    store(json.dumps(value).encode(), file)


def recorded(file: Path) -> object:
    """Return what was recorded; None if that is nothing, or damaged."""
    content = content_of(file)
    return None if content is None else json.loads(content)


def is_whole(file: Path) -> bool:
    """Return whether a file is there as it was put."""
    return content_of(file) is not None


def content_of(file: Path) -> bytes | None:
    """Return the bytes of a file before its checksum; None if it is not there as it was put."""
    try:
        content = file.read_bytes() if file.is_file() else b""  # others, such as pipes, may have no end
    except OSError:
        return None
    whole = len(content) > _SIZE and sha256(memoryview(content)[:-_SIZE]).digest() == content[-_SIZE:]
    return content[:-_SIZE] if whole else None


def write(content: bytes, file: Path) -> None:
    """Write a file at once, without a checksum; do nothing if that fails, because a cache can be without it."""
    with suppress(OSError), TemporaryDirectory(dir=file.parent) as scratch:
        new = Path(scratch, file.name)
        new.write_bytes(content)
        move(new, file)


def move(new: Path, file: Path) -> None:
    """Move a new file to its place; what is there goes, also a folder."""
    try:
        new.replace(file)
    except IsADirectoryError:
        shutil.rmtree(file)
        new.replace(file)
