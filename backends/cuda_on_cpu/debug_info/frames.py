"""`Frames`: the calls at an instruction, with the lines of the source."""

import linecache
from functools import cached_property
from pathlib import Path

from accel.support.kernel_reports import Frame

from ..build.machine_files import HEADERS
from ..text.tokens import numbered
from .lines import Lines, Place

__all__ = ["Frames"]


class Frames:
    """What the debug information of a shared object says of its instructions.

    Parameters
    ----------
    content : bytes
        The shared object.
    source : Path
        The file with the source that it was compiled from.
    """

    def __init__(self, content: bytes, source: Path) -> None:
        self._lines = Lines(content)
        self._file = source

    def at(self, address: int) -> tuple[Frame, ...]:
        """Return the calls at an instruction, innermost first; those of functions of the headers here are left out."""
        return tuple(
            Frame(place.function, place.file, place.line, self._text(place.file, place.line))
            for place in self._places(address)
        )

    def columns(self, address: int) -> tuple[tuple[str, int, int], ...]:
        """Return file, line and column of the calls at an instruction, innermost first, as `at` has them."""
        return tuple((place.path, place.line, place.column) for place in self._places(address))

    def _places(self, address: int) -> list[Place]:
        return [
            place
            for place in self._lines.places(address)
            if place.file != "<kernels>" and not place.path.startswith(f"{HEADERS}/")
        ]

    def _text(self, file: str, line: int) -> str:
        # A line of Python may have become several in CUDA.
        there = linecache.getline(file, line).strip() if file.endswith(".py") else ""
        return there or self._source.get((file, line)) or linecache.getline(file, line).strip()

    @cached_property
    def _source(self) -> dict[tuple[str, int], str]:
        try:
            source = self._file.read_text(encoding="utf-8", errors="replace")
        except OSError:  # another process made room in the cache
            return {}
        return dict(numbered(source))
