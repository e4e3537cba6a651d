"""`Lines`: from addresses of instructions to files and lines, by the debug information (DWARF) of a shared object."""

import os
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from typing import Any, NamedTuple

__all__ = ["Lines", "Place"]

_END = (-1, -1, -1)  # the row after the last instruction of a section
_FUNCTION, _INLINED = "DW_TAG_subprogram", "DW_TAG_inlined_subroutine"


class Place(NamedTuple):
    """A line, in a function.

    Attributes
    ----------
    function, file : str
        Their names; empty if they are not known.
    line, column : int
        From 1; 0 if it is not known.
    path : str
        The file from the root of the file system.
    """

    function: str
    file: str
    line: int
    path: str
    column: int


class Lines:
    """The debug information in the content of a shared object; it is read when it is first asked for."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def places(self, address: int) -> list[Place]:
        """Return the calls that are inlined at an instruction, innermost first; empty if it has no information."""
        for unit, program in self._units:
            row = program.row(address)
            if row is not None:
                return list(_calls(unit, program, address, row))
        return []

    @cached_property
    def _units(self) -> list[tuple[Any, "_Program"]]:
        try:
            from elftools.elf.elffile import ELFFile
        except ModuleNotFoundError:  # kernels without checks run without it
            return []
        file = ELFFile(BytesIO(self._content))
        if not file.has_dwarf_info():
            return []
        info = file.get_dwarf_info()
        units = [(unit, info.line_program_for_CU(unit)) for unit in info.iter_CUs()]
        return [(unit, _Program(program)) for unit, program in units if program is not None]


class _Program:
    """The table of lines of a compiled unit."""

    def __init__(self, program: Any) -> None:
        self._header = program.header
        self._later = program.header["version"] >= 5
        states = [entry.state for entry in program.get_entries() if entry.state is not None]
        rows = {
            state.address: _END if state.end_sequence else (state.file, state.line, state.column) for state in states
        }
        self._starts = sorted(rows)
        self._rows = [rows[start] for start in self._starts]

    def row(self, address: int) -> tuple[int, int, int] | None:
        """Return the number of the file, the line and the column of an instruction."""
        index = bisect_right(self._starts, address) - 1
        if index < 0 or self._rows[index] == _END:
            return None
        # What the compiler has made of several lines is in line 0; the line before it is one of them.
        while index > 0 and not self._rows[index][1] and self._rows[index - 1] != _END:
            index -= 1
        return self._rows[index]

    def file(self, number: int) -> str:
        """Return the name of a file, as the source or the command line has it."""
        files, folders = self._header["file_entry"], self._header["include_directory"]
        index = number if self._later else number - 1
        if not 0 <= index < len(files):
            return ""
        entry = files[index]
        folder = entry["dir_index"] if self._later else entry["dir_index"] - 1
        # The first folder is where the compiler ran; before version 5 it is not in the table.
        inside = folder > 0 if self._later else folder >= 0
        name = _text(entry.name)
        return f"{_text(folders[folder])}/{name}" if inside and not name.startswith("/") else name


def _text(name: Any) -> str:
    name = getattr(name, "DW_LNCT_path", name)
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)


def _calls(unit: Any, program: _Program, address: int, row: tuple[int, int, int]) -> Iterator[Place]:
    """Yield the place of an instruction, and then that of each call that was inlined."""
    file, line, column = row
    folder = _string(unit.get_top_DIE(), "DW_AT_comp_dir")
    for entry in reversed(list(_around(unit.get_top_DIE(), address))):
        name = program.file(file)
        yield Place(_name(entry), name, line, os.path.normpath(os.path.join(folder, name)), column)  # noqa: PTH118
        file, line, column = (_number(entry, f"DW_AT_call_{what}") for what in ("file", "line", "column"))


def _around(entry: Any, address: int) -> Iterator[Any]:
    """Yield the function at an address, and the calls that are inlined there, outermost first."""
    for child in entry.iter_children():
        if child.tag in {"DW_TAG_namespace", "DW_TAG_structure_type", "DW_TAG_class_type"}:
            yield from _around(child, address)
        elif child.tag in {_FUNCTION, _INLINED, "DW_TAG_lexical_block"} and _has(child, address):
            if child.tag != "DW_TAG_lexical_block":
                yield child
            yield from _around(child, address)


def _has(entry: Any, address: int) -> bool:
    attributes = entry.attributes
    if "DW_AT_ranges" in attributes:
        return any(begin <= address < end for begin, end in _ranges(entry))
    if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
        return False
    low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
    return bool(low <= address < (high.value if high.form == "DW_FORM_addr" else low + high.value))


def _ranges(entry: Any) -> Iterator[tuple[int, int]]:
    unit = entry.cu
    lists = unit.dwarfinfo.range_lists()
    base = _number(unit.get_top_DIE(), "DW_AT_low_pc")
    for item in lists.get_range_list_at_offset(entry.attributes["DW_AT_ranges"].value, cu=unit):
        if hasattr(item, "base_address"):
            base = item.base_address
        else:
            from_base = 0 if getattr(item, "is_absolute", False) else base
            yield from_base + item.begin_offset, from_base + item.end_offset


def _number(entry: Any, name: str) -> int:
    attribute = entry.attributes.get(name)
    return attribute.value if attribute is not None and isinstance(attribute.value, int) else 0


def _name(entry: Any) -> str:
    for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
        if "DW_AT_name" not in entry.attributes and link in entry.attributes:
            return _name(entry.get_DIE_from_attribute(link))
    return _string(entry, "DW_AT_name")


def _string(entry: Any, name: str) -> str:
    attribute = entry.attributes.get(name)
    return attribute.value.decode(errors="replace") if attribute is not None else ""
