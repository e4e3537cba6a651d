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

    Borders mark where the leaves of a nested mode end; the more leaves end, the heavier the border. A swizzled layout
    is drawn before and after its swizzle.

    Parameters
    ----------
    layout : Layout or ComposedLayout
        The layout to draw, or a layout of another library with ``shape`` and ``stride``.
    color : {"offset", "bank", "vector", "thread"}
        What cells of the same colour have in common. ``thread`` needs a layout (thread, value) -> index, as
        `make_layout_tv` returns it; it draws the tile, with the thread and the value of each element.
    itemsize : int
        Bytes of an element, for ``bank``.
    vector : int
        Elements of a vector, for ``vector``.
    tile : int or nested tuple of int, optional
        Shape of the tile, for ``thread``; by default a row as long as the cosize of the layout.
    limit : int
        The most cells to draw. For a larger layout, its leaves and the offsets at its corners are listed instead.

    Raises
    ------
    LayoutError
        If the layout has an index outside the tile.
    TypeError
        If ``layout`` is not a layout.
    ValueError
        If ``color`` is none of these, or ``itemsize`` or ``vector`` is less than 1.

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
        item_bytes, width = _positive("itemsize", itemsize), _positive("vector", vector)
        paintings = {"offset": by_offset, "bank": by_bank(item_bytes), "vector": by_vector(width)}
        if color == "thread":
            self._drawing = drawing_of_threads(layout, tile, limit.__index__())
        elif color in paintings:
            self._drawing = drawing_of_offsets(layout, paintings[color], limit.__index__())
        else:
            raise ValueError(f"color is offset, bank, vector or thread; found {color!r}")

    def text(self, width: int = 80, colors: int = 0) -> str:
        """Return the picture as lines of text, for a terminal with ``width`` columns and 0, 256 or 2**24 ``colors``.

        Parameters
        ----------
        width : int, default 80
            The columns of the terminal.
        colors : int, default 0
            The number of colours that it shows.
        """
        return drawn_text(self._drawing, width, colors)

    def svg(self) -> str:
        """Return a self-contained SVG document."""
        return drawn_svg(self._drawing)

    def html(self) -> str:
        """Return an HTML element with tables, for a notebook or a web page."""
        return drawn_html(self._drawing)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_svg_(self) -> str:
        return self.svg()


def _positive(name: str, value: SupportsIndex) -> int:
    number = value.__index__()
    if number < 1:
        raise ValueError(f"{name} is at least 1; found {number}")
    return number
