"""`Picture`: a layout as terminal text, SVG or HTML."""

from typing import Any, SupportsIndex

from accel.layout.pictures.drawings import drawing_of_offsets, drawing_of_threads
from accel.layout.pictures.html import drawn_html
from accel.layout.pictures.paint import by_bank, by_offset, by_vector
from accel.layout.pictures.svg import drawn_svg
from accel.layout.pictures.text import drawn_text

__all__ = ["Picture"]


class Picture:
    """A layout drawn as a table of its offsets: mode 0 goes down, mode 1 across, and further modes are slices.

    Borders stand where the leaves of a nested mode end, heavier where more of them do. A swizzled layout is drawn
    before and after its swizzle.

    Parameters
    ----------
    layout : Layout or ComposedLayout
        Ours, or of another library that has ``shape`` and ``stride``.
    color : {"offset", "bank", "vector", "thread"}
        What cells of one colour have in common. Threads are those of a layout (thread, value) -> index, as of
        `make_layout_tv`; what is drawn then is the tile, and which thread has which element.
    itemsize : int
        Bytes of an element, for banks.
    vector : int
        Elements of a vector.
    tile : int or nested tuple of int, optional
        Shape of the tile that threads share; by default a row of all they reach.
    limit : int
        How many cells are drawn at most; of larger layouts only the corners and the leaves are told.

    Raises
    ------
    LayoutError
        If the layout leaves the tile.
    TypeError
        If there is no layout.
    ValueError
        If the colour is none of these, or an amount is not positive.

    Examples
    --------
    >>> from accel.layout import Layout, Picture
    >>> print(Picture(Layout(((2, 2), (2, 2)), ((1, 4), (2, 8)))))
    ((2,2),(2,2)):((1,4),(2,8))
    16 elements, cosize 16; colour is offset, from 0 (light) to 15 (dark)
    <BLANKLINE>
            (0,0)  (1,0)   (0,1)  (1,1)
          ┏━━━━━━━━━━━━━━┯━━━━━━━━━━━━━━┓
    (0,0) ┃    0      2  │    8     10  ┃
    (1,0) ┃    1      3  │    9     11  ┃
          ┠──────────────┼──────────────┨
    (0,1) ┃    4      6  │   12     14  ┃
    (1,1) ┃    5      7  │   13     15  ┃
          ┗━━━━━━━━━━━━━━┷━━━━━━━━━━━━━━┛
    """

    def __init__(
        self,
        layout: Any,
        color: str = "offset",
        *,
        itemsize: SupportsIndex = 4,
        vector: SupportsIndex = 4,
        tile: Any = None,
        limit: SupportsIndex = 4096,
    ) -> None:
        bytes_each, width = _positive("itemsize", itemsize), _positive("vector", vector)
        paintings = {"offset": by_offset, "bank": by_bank(bytes_each), "vector": by_vector(width)}
        if color == "thread":
            self._drawing = drawing_of_threads(layout, tile, limit.__index__())
        elif color in paintings:
            self._drawing = drawing_of_offsets(layout, paintings[color], limit.__index__())
        else:
            raise ValueError(f"cells are coloured by offset, bank, vector or thread; found {color!r}")

    def text(self, width: int = 80, colors: int = 0) -> str:
        """Return lines for a terminal of some width, with 0, 256 or 2**24 colours."""
        return drawn_text(self._drawing, width, colors)

    def svg(self) -> str:
        """Return an SVG document that needs nothing but itself."""
        return drawn_svg(self._drawing)

    def html(self) -> str:
        """Return an HTML element with tables, for a notebook or a page."""
        return drawn_html(self._drawing)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_svg_(self) -> str:
        return self.svg()


def _positive(name: str, value: SupportsIndex) -> int:
    found = value.__index__()
    if found < 1:
        raise ValueError(f"{name} is at least 1; found {found}")
    return found
