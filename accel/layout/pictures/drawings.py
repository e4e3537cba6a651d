"""Make the `Drawing` of a layout: its grids, or a listing of its leaves and corners if it is too large."""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

from accel.layout.coordinates import located, natural
from accel.layout.int_tuple import as_int_tuple, column_strides
from accel.layout.int_tuple import product as size_of
from accel.layout.notation import written
from accel.layout.pictures.drawn_layout import DrawnLayout, drawn_layouts
from accel.layout.pictures.grids import Drawing, Listing, grids
from accel.layout.pictures.paint import Painting, by_thread

__all__ = ["drawing_of_offsets", "drawing_of_threads"]

CORNERS = 16


def drawing_of_offsets(layout: Any, painting: Painting, limit: int) -> Drawing:
    """Return the drawing of a layout; of a swizzled layout before and after the swizzle."""
    layouts = drawn_layouts(layout)
    swizzled = len(layouts) > 1
    title, about = _title(layout, layouts), _about(layouts)
    if not 0 < layouts[0].size <= limit:
        return _summary(title, about, layouts, limit)
    legend, paint = painting([offset for drawn in layouts for offset in _offsets(drawn)])
    pairs = zip(*[grids(drawn, drawn.name if swizzled else "", paint) for drawn in layouts], strict=True)
    return Drawing(title, f"{about}; colour is {legend}", [grid for pair in pairs for grid in pair], len(layouts))


def _offsets(drawn: DrawnLayout) -> list[int]:
    return [drawn.finish(sum(parts)) for parts in product(*drawn.mode_offsets)]


def drawing_of_threads(layout: Any, tile: Any, limit: int) -> Drawing:
    """Return the drawing of a tile with the thread and value of each element, for a layout (thread, value) -> index."""
    layouts = drawn_layouts(layout)
    by_value = layouts[-1]
    shape = (by_value.cosize,) if tile is None else as_int_tuple(tile, "a tile")
    index = DrawnLayout(written(shape), shape, column_strides(shape), int)
    title, about = _title(layout, layouts), f"{_about(layouts)}; a tile of {index.name}"
    if not 0 < by_value.size <= limit or index.size > limit:
        return _summary(title, about, layouts, limit)
    legend, paint = by_thread(by_value, index.size)
    return Drawing(title, f"{about}; colour is {legend}", list(grids(index, "", paint)))


def _title(layout: Any, layouts: Sequence[DrawnLayout]) -> str:
    return str(layout) if len(layouts) > 1 else layouts[0].name


def _about(layouts: Sequence[DrawnLayout]) -> str:
    size = layouts[0].size
    elements = "1 element" if size == 1 else f"{size:,} elements"
    return elements if len(layouts) > 1 else f"{elements}, cosize {layouts[0].cosize:,}"


def _summary(title: str, about: str, layouts: Sequence[DrawnLayout], limit: int) -> Drawing:
    first = layouts[0]
    why = f"more than the {limit:,} that are drawn" if first.size else "so there is nothing to draw"
    leaves = Listing(("mode", "extent", "stride"), tuple(tuple(map(str, leaf)) for leaf in first.leaves))
    names = ("coordinate", "offset") if len(layouts) == 1 else ("coordinate", *[drawn.name for drawn in layouts])
    corners = Listing(names, tuple(_corners(layouts)) if first.size else ())
    return Drawing(title, f"{about}, {why}", listings=[listing for listing in (leaves, corners) if listing.rows])


def _corners(layouts: Sequence[DrawnLayout]) -> Iterator[tuple[str, ...]]:
    """Yield each combination of the first and last coordinates of the modes, and the offsets there."""
    modes = layouts[0].modes
    for places in islice(product(*[sorted({0, size_of(shape) - 1}) for shape, _ in modes]), CORNERS):
        where = tuple(natural(place, shape) for place, (shape, _) in zip(places, modes, strict=True))
        sums = sum(located(part, *mode) for part, mode in zip(where, modes, strict=True))
        name = written(where[0] if isinstance(layouts[0].shape, int) else where)
        yield name, *[str(drawn.finish(sums)) for drawn in layouts]
