"""The texts behind ``accel layout``: parse a layout, draw it, and explain an operation on it."""

from collections.abc import Mapping
from typing import Any

from accel.layout import ComposedLayout, Explanation, Layout, Picture, Swizzle, explain, parse_tiler

__all__ = ["explained", "parsed", "picture_of", "terminal_colors", "writable"]

SHORT_NAMES = {
    "compose": "composition",
    "divide": "logical_divide",
    "product": "logical_product",
}
"""Short names of operations on the command line."""

ASCII = dict.fromkeys(range(0x2500, 0x2580), "+") | str.maketrans("─━│┃·…", "--||.~")
"""ASCII replacements of the characters in pictures."""


def parsed(text: str, swizzle: str | None = None) -> Layout | ComposedLayout:
    """Return the layout that is written in a text, under a swizzle if there is one: ``3,3,3`` or ``S<3,3,3>``.

    Raises
    ------
    LayoutError
        If either cannot be read; the message names the position.
    """
    layout = Layout.parse(text)
    if swizzle is None:
        return layout
    return Swizzle.parse(swizzle if "<" in swizzle else f"S<{swizzle}>") @ layout


def picture_of(layout: Layout | ComposedLayout, tile: str | None = None, **options: Any) -> Picture:
    """Return the picture of a layout; ``tile`` is the text of a shape."""
    return Picture(layout, tile=None if tile is None else Layout.parse(tile).shape, **options)


def explained(request: str, text: str) -> Explanation:
    """Explain an operation on a layout; ``request`` is its name and further operands, as in ``divide (2,4)``.

    Raises
    ------
    LayoutError
        If there is no such operation, or an operand cannot be read.
    TypeError
        If the number of operands is wrong.
    """
    name, *operands = request.replace(", ", ",").split() or [""]
    layout, others = Layout.parse(text), [_operand(each) for each in operands]
    try:
        return explain(SHORT_NAMES.get(name, name), layout, *others)
    except TypeError as error:
        raise TypeError(f"{error}; operands follow the name, as in --explain 'divide (2,4)'") from None


def _operand(text: str) -> Any:
    return parse_tiler(text) if ":" in text or "<" in text else Layout.parse(text).shape


def terminal_colors(environment: Mapping[str, str], *, terminal: bool) -> int:
    """Return the number of colours of an output; 0 if it is not a terminal or ``NO_COLOR`` is set."""
    if not terminal or environment.get("NO_COLOR") or environment.get("TERM", "dumb") == "dumb":
        return 0
    return 1 << 24 if environment.get("COLORTERM") in {"truecolor", "24bit"} else 256


def writable(text: str, encoding: str) -> str:
    """Return a text that an encoding can write; line-drawing characters become ASCII if necessary."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII)
    return text
