"""Writers: what the text of storages, containers and tensors is written to."""

from os import PathLike
from typing import Protocol

__all__ = ["Writer", "write_text"]


class Writer(Protocol):
    """Anything with a method ``write`` for text, such as a file."""

    def write(self, text: str, /) -> object:
        """Write some text."""
        ...


def write_text(file: Writer, text: str) -> None:
    """Write text to a writer.

    Raises
    ------
    TypeError
        If this is the path of a file.
    """
    if isinstance(file, str | PathLike):
        raise TypeError(f"write_to takes an open file; found the path {file!r}: open it, and write x.write_to(file)")
    file.write(text)
