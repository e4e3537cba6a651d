"""`SourceLines`: the text of the lines of a compiled source, by its ``#line`` directives, or of a file."""

import linecache
import re
from functools import cached_property

__all__ = ["SourceLines"]

_DIRECTIVE = re.compile(r'\s*#\s*line\s+(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?')


class SourceLines:
    """The lines of a source.

    Parameters
    ----------
    source : str
        CUDA or HIP, as it was given to the compiler.
    """

    def __init__(self, source: str) -> None:
        self._source = source

    def text(self, file: str, line: int) -> str:
        """Return a line; empty if it is not known."""
        known = self._lines.get((file, line))
        return linecache.getline(file, line).rstrip("\n") if known is None else known

    @cached_property
    def _lines(self) -> dict[tuple[str, int], str]:
        file, number, found = "<source>", 1, {}
        for text in self._source.split("\n"):
            directive = _DIRECTIVE.match(text)
            if directive is None:
                found[file, number] = text
                number += 1
            else:
                number = int(directive[1])
                file = file if directive[2] is None else re.sub(r"\\(.)", r"\1", directive[2])
        return found
