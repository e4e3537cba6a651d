"""Digests: names for files by what they are made from."""

from collections.abc import Iterable
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path

__all__ = ["digest", "digest_of_file", "digest_of_files"]


def digest(*parts: object) -> str:
    """Return 32 hexadecimal digits for what has a `repr`."""
    return sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:32]


def digest_of_file(path: str | Path) -> str:
    """Return the digest of a file's content; empty if it cannot be read, or may have no end, as a pipe."""
    with suppress(OSError):
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                return file_digest(file, "sha256").hexdigest()
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
