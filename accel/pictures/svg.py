"""SVG documents and their elements, as text: positions and sizes are in pixels, and what users wrote is escaped."""

from collections.abc import Callable, Iterable
from html import escape

__all__ = [
    "Swatch",
    "arrow",
    "document",
    "element",
    "figure",
    "group",
    "legend",
    "moved",
    "path",
    "rect",
    "text",
    "text_width",
]

Swatch = Callable[[float, float], str]
"""Draws the sample of a legend's row, at the left end of the text's baseline."""

_LETTER = 0.61
"""Width of a letter of a font with fixed widths, relative to its height."""


def text_width(said: str, size: float) -> float:
    """Return the width of a text in a font with fixed widths."""
    return _LETTER * size * len(said)


def element(name: str, body: str = "", /, **attributes: float | str | None) -> str:
    """Return an element.

    Parameters
    ----------
    name : str
        Name of the element.
    body : str, optional
        Its content, which is SVG already.
    **attributes : float, str or None
        Attributes; `kind` stands for ``class``, `stroke_width` for ``stroke-width``. None and an empty text are left
        out.
    """
    words = "".join([_attribute(key, value) for key, value in attributes.items() if value not in {None, ""}])
    return f"<{name}{words}>{body}</{name}>" if body else f"<{name}{words}/>"


def _attribute(key: str, value: float | str | None) -> str:
    name = "class" if key == "kind" else key.replace("_", "-")
    return f' {name}="{escape(value) if isinstance(value, str) else f"{value:g}"}"'


def document(name: str, width: float, height: float, body: str, *, title: str, style: str, about: str = "") -> str:
    """Return a document of a class with its style, on a page with round corners."""
    words = _words("title", title) + _words("desc", about) + element("style", style)
    page = rect(0, 0, width, height, "page", radius=10)
    return _svg(name, width, height, f"{words}{page}{body}", xmlns="http://www.w3.org/2000/svg")


def figure(name: str, width: float, height: float, body: str, *, label: str) -> str:
    """Return a picture for an HTML page, whose style sheet says how its class looks."""
    return _svg(name, width, height, body, aria_label=label)


def _svg(name: str, width: float, height: float, body: str, **attributes: str) -> str:
    box = f"0 0 {width:g} {height:g}"
    return f"{element('svg', body, kind=name, viewBox=box, width=width, height=height, role='img', **attributes)}\n"


def _words(name: str, said: str) -> str:
    return element(name, escape(said)) if said else ""


def group(body: str, kind: str = "", *, title: str = "") -> str:
    """Return elements as one; a title is shown under the mouse."""
    return element("g", _words("title", title) + body, kind=kind)


def moved(body: str, x: float, y: float) -> str:
    """Return elements moved by a distance."""
    return element("g", body, transform=f"translate({x:g} {y:g})")


def text(x: float, y: float, said: str, kind: str = "ink", *, size: float | None = None, fill: str = "") -> str:
    """Return a text whose baseline begins at a point, or is centred there with the class ``middle``; "" if empty."""
    return element("text", escape(said), kind=kind, x=x, y=y, font_size=size, fill=fill) if said else ""


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    kind: str = "",
    *,
    fill: str = "",
    radius: float | None = None,
    title: str = "",
) -> str:
    """Return a rectangle; a title is shown under the mouse."""
    return element(
        "rect", _words("title", title), kind=kind, x=x, y=y, width=width, height=height, rx=radius, fill=fill
    )


def path(d: str, kind: str = "", *, stroke_width: float | None = None, title: str = "") -> str:
    """Return a path; a title is shown under the mouse."""
    return element("path", _words("title", title), kind=kind, d=d, stroke_width=stroke_width)


def arrow(x: float, y: float, *, right: float = 0, down: float = 0, kind: str, head: float = 4) -> str:
    """Return an arrow from a point to the right or left, or up or down; its head is twice as wide as it is long."""
    back = -head if right + down > 0 else head
    if right:
        return path(f"M{x:g} {y:g}h{right:g}m{back:g} {-head:g}l{-back:g} {head:g}l{back:g} {head:g}", kind)
    return path(f"M{x:g} {y:g}v{down:g}m{-head:g} {back:g}l{head:g} {-back:g}l{head:g} {back:g}", kind)


def legend(rows: Iterable[tuple[Swatch | None, str, str]], x: float, y: float, *, line: float, indent: float) -> str:
    """Return rows below each other: a swatch, and a text with its class; without a swatch it begins at the left."""
    return "".join(
        [
            (swatch(x, y + line * k) if swatch else "") + text(x + indent * bool(swatch), y + line * k, said, kind)
            for k, (swatch, said, kind) in enumerate(rows)
        ]
    )
