"""Symbols of a shared object in ELF: its variables, its code, and where its segments are."""

import struct
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

__all__ = ["Elf", "Symbol"]

_PT_LOAD = 1
_SHT_SYMTAB = 2
_SEGMENT, _SECTION, _SYMBOL = struct.Struct("<IIQQQQQQ"), struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")


class Symbol(NamedTuple):
    """A symbol that is defined.

    Attributes
    ----------
    name : str
        As in the file.
    kind : str
        ``object``, ``function``, ``tls`` or ``other``.
    value, size : int
        Address in the file's own numbers, or the offset in the thread-local segment; bytes.
    """

    name: str
    kind: str
    value: int
    size: int


class Elf:
    """A shared object for a 64-bit little-endian machine.

    Attributes
    ----------
    content : bytes
        The whole file.
    """

    def __init__(self, path: Path) -> None:
        self.content = path.read_bytes()
        if self.content[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path} is no 64-bit little-endian ELF file")
        self._header = struct.unpack_from("<HHIQQQIHHHHHH", self.content, 16)

    @cached_property
    def _segments(self) -> list[tuple[int, ...]]:
        start, size, count = self._header[4], self._header[8], self._header[9]
        return [_SEGMENT.unpack_from(self.content, start + i * size) for i in range(count)]

    @property
    def code(self) -> tuple[int, int]:
        """Begin and end of instructions and constants."""
        ranges = [(s[3], s[3] + s[6]) for s in self._segments if s[0] == _PT_LOAD]
        return min(begin for begin, _ in ranges), max(end for _, end in ranges)

    @cached_property
    def symbols(self) -> list[Symbol]:
        """All symbols that are defined, also local ones."""
        kinds = {1: "object", 2: "function", 6: "tls"}
        return [
            Symbol(name, kinds.get(info & 15, "other"), value, size)
            for name, info, where, value, size in self._table()
            if where
        ]

    def _table(self) -> Iterator[tuple[str, int, int, int, int]]:
        """Yield name, kind, section, value and size of all symbols."""
        start, size, count = self._header[5], self._header[10], self._header[11]
        sections = [_SECTION.unpack_from(self.content, start + i * size) for i in range(count)]
        for section in sections:
            if section[1] == _SHT_SYMTAB:
                names = sections[section[6]][4]
                for at in range(section[4], section[4] + section[5], _SYMBOL.size):
                    name, info, _, where, value, length = _SYMBOL.unpack_from(self.content, at)
                    yield self._text(names + name), info, where, value, length

    def _text(self, at: int) -> str:
        return self.content[at : self.content.index(0, at)].decode(errors="replace")

    def strings(self, symbol: Symbol) -> list[str]:
        """Return the strings, each with a zero after it, that a constant holds."""
        for kind, _, offset, address, _, size, _, _ in self._segments:
            if kind == _PT_LOAD and address <= symbol.value < address + size:
                at = offset + symbol.value - address
                parts = self.content[at : at + symbol.size].split(b"\0")
                return [part.decode() for part in takewhile(len, parts)]
        return []
