"""Digests: names for files by what they are made from."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

__all__ = ["digest", "digest_of_file"]


def digest(*parts: object) -> str:
    """Return 32 hexadecimal digits for what has a `repr`."""
    return sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:32]


def digest_of_file(path: str | Path) -> str:
    """Return the digest of a file's content; empty if it cannot be read."""
    with suppress(OSError):
        return sha256(Path(path).read_bytes()).hexdigest()
    return ""
