"""What the cells of a picture say, and how they are coloured: by offset, bank, vector or thread."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from accel.errors import LayoutError
from accel.layout.int_tuple import product
from accel.layout.pictures.colors import WHITE, Color, hue, ramp
from accel.layout.pictures.source import DrawnLayout

__all__ = ["Paint", "Painter", "Painting", "by_bank", "by_offset", "by_thread", "by_vector"]

BANKS, BANK_BYTES = 32, 4


class Paint(NamedTuple):
    """How a cell looks.

    Attributes
    ----------
    lines : tuple of str
        What it says where there is room: one line, or a second, smaller one.
    text : str
        What it says in a terminal.
    said : str
        The same in words.
    color : Color
        Its background.
    """

    lines: tuple[str, ...]
    text: str
    said: str
    color: Color


Painter: TypeAlias = "Callable[[int], Paint]"
"""From an offset to how its cell looks."""

Painting: TypeAlias = "Callable[[Sequence[int]], tuple[str, Painter]]"
"""From all offsets of a picture to what the legend says, and what paints it."""


def by_offset(offsets: Sequence[int]) -> tuple[str, Painter]:
    """Light for the lowest offset, dark for the highest."""
    low, span = min(offsets), max(max(offsets) - min(offsets), 1)

    def paint(offset: int) -> Paint:
        return Paint((f"{offset}",), f"{offset}", f"offset {offset}", ramp((offset - low) / span))

    return f"offset, from {low} (light) to {max(offsets)} (dark)", paint


def by_bank(itemsize: int) -> Painting:
    """One colour for each bank of shared memory; an element has the bank of its first byte."""
    legend = f"bank; b3 is bank 3 of {BANKS}, each {BANK_BYTES} bytes wide"

    def paint(offset: int) -> Paint:
        return _grouped(offset, "bank", offset * itemsize // BANK_BYTES % BANKS, BANKS)

    return lambda _: (f"{legend}; an element has {itemsize} byte{'s' * (itemsize > 1)}", paint)


def by_vector(width: int) -> Painting:
    """One colour for each aligned vector of ``width`` elements."""

    def painting(offsets: Sequence[int]) -> tuple[str, Painter]:
        count = max(offsets) // width - min(offsets) // width + 1
        legend = f"vector; v3 has the offsets from {3 * width} up to {4 * width - 1}"
        return legend, lambda offset: _grouped(offset, "vector", offset // width, count)

    return painting


def _grouped(offset: int, kind: str, group: int, count: int) -> Paint:
    short = f"{kind[0]}{group}"
    return Paint((f"{offset}", short), short, f"offset {offset}, {kind} {group}", hue(group, count))


def by_thread(layout: DrawnLayout, tile_size: int) -> tuple[str, Painter]:
    """One colour for each thread of a layout (thread, value) -> index in a tile.

    Raises
    ------
    LayoutError
        If the layout has other modes than these two, or leaves the tile.
    """
    owners = _owners(layout, tile_size)
    count = product(layout.modes[0][0])

    def paint(index: int) -> Paint:
        found = owners.get(index)
        if not found:
            return Paint(("·", "\N{NO-BREAK SPACE}"), "·", "no thread", WHITE)
        (thread, value), more = found[0], f"+{len(found) - 1}" if found[1:] else ""
        said = "; ".join(f"thread {thread}, value {value}" for thread, value in found)
        return Paint((f"T{thread}{more}", f"V{value}"), f"T{thread}V{value}{more}", said, hue(thread, count))

    return "thread; T3 V1 is value 1 of thread 3", paint


def _owners(layout: DrawnLayout, tile_size: int) -> dict[int, list[tuple[int, int]]]:
    if len(layout.modes) != 2:
        raise LayoutError(f"a thread-value layout has 2 modes, (thread, value); {layout.name} has {len(layout.modes)}")
    owners: dict[int, list[tuple[int, int]]] = {}
    threads, values = layout.tables
    for value, there in enumerate(values):
        for thread, here in enumerate(threads):
            owners.setdefault(layout.finish(here + there), []).append((thread, value))
    outside = [index for index in owners if not 0 <= index < tile_size]
    if outside:
        raise LayoutError(
            f"{layout.name} goes to index {outside[0]}, outside its tile of {tile_size} elements; give the tile's shape"
        )
    return owners
