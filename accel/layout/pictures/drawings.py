"""Drawings of whole layouts, small enough to be drawn or told by their corners and leaves."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

from accel.layout.coordinates import located, natural
from accel.layout.int_tuple import as_int_tuple, column_strides
from accel.layout.int_tuple import product as size_of
from accel.layout.notation import written
from accel.layout.pictures.grids import Drawing, Listing, grids
from accel.layout.pictures.paint import Painting, by_thread
from accel.layout.pictures.source import DrawnLayout, sources

__all__ = ["drawing_of_offsets", "drawing_of_threads"]

CORNERS = 16


def drawing_of_offsets(layout: Any, painting: Painting, limit: int) -> Drawing:
    """Return the drawing of a layout, or of one before and after a swizzle."""
    found = sources(layout)
    swizzled = len(found) > 1
    title, about = _title(layout, found), _about(found)
    if not 0 < found[0].size <= limit:
        return _summary(title, about, found, limit)
    legend, paint = painting([offset for source in found for offset in _offsets(source)])
    pairs = zip(*[grids(source, source.name if swizzled else "", paint) for source in found], strict=True)
    return Drawing(title, f"{about}; colour is {legend}", [grid for pair in pairs for grid in pair], len(found))


def _offsets(source: DrawnLayout) -> list[int]:
    return [source.finish(sum(parts)) for parts in product(*source.tables)]


def drawing_of_threads(layout: Any, tile: Any, limit: int) -> Drawing:
    """Return the drawing of a tile, whose elements the threads of a layout have."""
    found = sources(layout)
    source = found[-1]
    shape = (source.cosize,) if tile is None else as_int_tuple(tile, "a tile")
    index = DrawnLayout(written(shape), shape, column_strides(shape), int)
    title, about = _title(layout, found), f"{_about(found)}; a tile of {index.name}"
    if not 0 < source.size <= limit or index.size > limit:
        return _summary(title, about, found, limit)
    legend, paint = by_thread(source, index.size)
    return Drawing(title, f"{about}; colour is {legend}", list(grids(index, "", paint)))


def _title(layout: Any, found: Sequence[DrawnLayout]) -> str:
    return str(layout) if len(found) > 1 else found[0].name


def _about(found: Sequence[DrawnLayout]) -> str:
    size = found[0].size
    elements = "1 element" if size == 1 else f"{size:,} elements"
    return elements if len(found) > 1 else f"{elements}, cosize {found[0].cosize:,}"


def _summary(title: str, about: str, found: Sequence[DrawnLayout], limit: int) -> Drawing:
    source = found[0]
    why = f"more than the {limit:,} that are drawn" if source.size else "so there is nothing to draw"
    leaves = Listing(("mode", "extent", "stride"), tuple(tuple(map(str, leaf)) for leaf in source.leaves))
    names = ("coordinate", "offset") if len(found) == 1 else ("coordinate", *[source.name for source in found])
    corners = Listing(names, tuple(_corners(found)) if source.size else ())
    return Drawing(title, f"{about}, {why}", tables=[table for table in (leaves, corners) if table.rows])


def _corners(found: Sequence[DrawnLayout]) -> Iterator[tuple[str, ...]]:
    """Yield the first and last coordinate of each mode with those of the others, and the offsets there."""
    modes = found[0].modes
    for places in islice(product(*[sorted({0, size_of(shape) - 1}) for shape, _ in modes]), CORNERS):
        where = tuple(natural(place, shape) for place, (shape, _) in zip(places, modes, strict=True))
        sums = sum(located(part, *mode) for part, mode in zip(where, modes, strict=True))
        name = written(where[0] if isinstance(found[0].shape, int) else where)
        yield name, *[str(source.finish(sums)) for source in found]
