"""Digests: names for files by what they are made from."""

from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

__all__ = ["digest", "digest_of_file", "digest_of_files"]


def digest(*parts: object) -> str:
    """Return 32 hexadecimal digits for what has a `repr`."""
    return sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:32]


def digest_of_file(path: str | Path) -> str:
    """Return the digest of a file's content; empty if it cannot be read."""
    with suppress(OSError):
        return sha256(Path(path).read_bytes()).hexdigest()
    return ""


def digest_of_files(paths: Iterable[str]) -> str:
    """Return the digest of the names and contents of files; all of them can be read."""
    state = sha256()
    for path in sorted(paths):
        with open(path, "rb") as file:  # noqa: PTH123 - a path costs as much as reading the file
            content = file.read()
        state.update(f"{path}\0{len(content)}\0".encode(errors="surrogateescape"))
        state.update(content)
    return state.hexdigest()
