"""What ``accel layout`` says: a picture of a layout, and how an operation on it comes to its result."""

from collections.abc import Mapping
from typing import Any

from accel.layout import ComposedLayout, Explanation, Layout, Picture, Swizzle, explain, parse_tiler

__all__ = ["explained", "parsed", "picture_of", "terminal_colors", "writable"]

SHORT_NAMES = {
    "compose": "composition",
    "divide": "logical_divide",
    "product": "logical_product",
}
"""What operations are called where there is little room."""

ASCII = dict.fromkeys(range(0x2500, 0x2580), "+") | str.maketrans("─━│┃·…", "--||.~")
"""The lines of pictures, drawn with what every output has."""


def parsed(text: str, swizzle: str | None = None) -> Layout | ComposedLayout:
    """Return the layout that some text means, under a swizzle written ``3,3,3`` or ``S<3,3,3>``.

    Raises
    ------
    LayoutError
        If either cannot be read; says at which position.
    """
    layout = Layout.parse(text)
    if swizzle is None:
        return layout
    return Swizzle.parse(swizzle if "<" in swizzle else f"S<{swizzle}>") @ layout


def picture_of(layout: Layout | ComposedLayout, tile: str | None = None, **options: Any) -> Picture:
    """Return the picture of a layout; the tile that threads share is text."""
    return Picture(layout, tile=None if tile is None else Layout.parse(tile).shape, **options)


def explained(request: str, text: str) -> Explanation:
    """Tell how an operation on a layout comes to its result: its name and what it is given, as in ``divide (2,4)``.

    Raises
    ------
    LayoutError
        If there is no such operation, or what it is given cannot be read.
    TypeError
        If it needs more or less than it is given.
    """
    name, *operands = request.replace(", ", ",").split() or [""]
    return explain(SHORT_NAMES.get(name, name), Layout.parse(text), *map(_operand, operands))


def _operand(text: str) -> Any:
    return parse_tiler(text) if ":" in text or "<" in text else Layout.parse(text).shape


def terminal_colors(environment: Mapping[str, str], *, terminal: bool) -> int:
    """Return how many colours an output shows: none if it is no terminal, or if NO_COLOR asks for none."""
    if not terminal or environment.get("NO_COLOR") or environment.get("TERM", "dumb") == "dumb":
        return 0
    return 1 << 24 if environment.get("COLORTERM") in {"truecolor", "24bit"} else 256


def writable(text: str, encoding: str) -> str:
    """Return a text with its lines in ASCII if the encoding of an output has no better ones."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII)
    return text
