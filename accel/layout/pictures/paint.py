"""The text and the colour of the cells of a picture: by offset, bank, vector or thread."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from accel.errors import LayoutError
from accel.layout.int_tuple import product
from accel.layout.pictures.drawn_layout import DrawnLayout
from accel.pictures.colors import WHITE, Color, hue, ramp

__all__ = ["Paint", "Painter", "Painting", "by_bank", "by_offset", "by_thread", "by_vector"]

BANKS, BANK_BYTES = 32, 4


class Paint(NamedTuple):
    """The text and the colour of a cell.

    Attributes
    ----------
    lines : tuple of str
        The text in SVG and HTML: one line, or two, the second in smaller letters.
    text : str
        The text in a terminal.
    said : str
        The same in words, for the tooltip.
    color : Color
        The background.
    """

    lines: tuple[str, ...]
    text: str
    said: str
    color: Color


Painter: TypeAlias = "Callable[[int], Paint]"
"""Maps an offset to the text and the colour of its cell."""

Painting: TypeAlias = "Callable[[Sequence[int]], tuple[str, Painter]]"
"""Maps all offsets of a picture to the legend and the painter of its cells."""


def by_offset(offsets: Sequence[int]) -> tuple[str, Painter]:
    """Colour cells from light for the lowest offset to dark for the highest."""
    low, span = min(offsets), max(max(offsets) - min(offsets), 1)

    def paint(offset: int) -> Paint:
        return Paint((f"{offset}",), f"{offset}", f"offset {offset}", ramp((offset - low) / span))

    return f"offset, from {low} (light) to {max(offsets)} (dark)", paint


def by_bank(itemsize: int) -> Painting:
    """Colour cells by bank of shared memory; an element belongs to the bank of its first byte."""
    legend = f"bank; b3 is bank 3 of {BANKS}, each {BANK_BYTES} bytes wide"

    def paint(offset: int) -> Paint:
        return _grouped(offset, "bank", offset * itemsize // BANK_BYTES % BANKS, BANKS)

    return lambda _: (f"{legend}; an element has {itemsize} byte{'s' * (itemsize > 1)}", paint)


def by_vector(width: int) -> Painting:
    """Colour cells by aligned vector of ``width`` elements."""

    def painting(offsets: Sequence[int]) -> tuple[str, Painter]:
        count = max(offsets) // width - min(offsets) // width + 1
        legend = f"vector; v3 has the offsets from {3 * width} up to {4 * width - 1}"
        return legend, lambda offset: _grouped(offset, "vector", offset // width, count)

    return painting


def _grouped(offset: int, kind: str, group: int, count: int) -> Paint:
    short = f"{kind[0]}{group}"
    return Paint((f"{offset}", short), short, f"offset {offset}, {kind} {group}", hue(group, count))


def by_thread(layout: DrawnLayout, tile_size: int) -> tuple[str, Painter]:
    """Colour cells by thread of a layout (thread, value) -> index in a tile.

    Raises
    ------
    LayoutError
        If the layout does not have these two modes, or has an index outside the tile.
    """
    owners = _owners(layout, tile_size)
    count = product(layout.modes[0][0])

    def paint(index: int) -> Paint:
        pairs = owners.get(index)
        if not pairs:
            return Paint(("·", "\N{NO-BREAK SPACE}"), "·", "no thread", WHITE)
        (thread, value), more = pairs[0], f"+{len(pairs) - 1}" if pairs[1:] else ""
        said = "; ".join(f"thread {thread}, value {value}" for thread, value in pairs)
        return Paint((f"T{thread}{more}", f"V{value}"), f"T{thread}V{value}{more}", said, hue(thread, count))

    return "thread; T3 V1 is value 1 of thread 3", paint


def _owners(layout: DrawnLayout, tile_size: int) -> dict[int, list[tuple[int, int]]]:
    if len(layout.modes) != 2:
        raise LayoutError(f"a thread-value layout has 2 modes, (thread, value); {layout.name} has {len(layout.modes)}")
    owners: dict[int, list[tuple[int, int]]] = {}
    threads, values = layout.mode_offsets
    for value, there in enumerate(values):
        for thread, here in enumerate(threads):
            owners.setdefault(layout.finish(here + there), []).append((thread, value))
    outside = [index for index in owners if not 0 <= index < tile_size]
    if outside:
        raise LayoutError(
            f"{layout.name} has index {outside[0]}, outside its tile of {tile_size} elements; give the tile's shape"
        )
    return owners
