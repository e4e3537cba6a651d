"""Styles of SVG documents and HTML elements, for light and dark pages."""

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["MONO", "SANS", "Shade", "page_style", "svg_style"]

MONO = 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace'
SANS = 'system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif'


class Shade(NamedTuple):
    """What a class colours, ``fill`` or ``stroke``, and the colour on light and on dark pages."""

    paints: str
    light: str
    dark: str


_PAGE, _INK, _SOFT, _LINE = ("#fff", "#15171c"), ("#16181d", "#eceae5"), ("#5c606b", "#a3a6b0"), ("#d9dbe0", "#363a44")

_SHADES = {
    "page": Shade("fill", *_PAGE),
    "ink": Shade("fill", *_INK),
    "soft": Shade("fill", *_SOFT),
    "edge": Shade("stroke", *_PAGE),
    "line": Shade("stroke", *_INK),
    "rule": Shade("stroke", *_SOFT),
}
"""The classes of every picture: its background, text, less important text, what separates cells, and lines."""

_TABLES = """
& table { border-collapse: collapse; margin: 0; color: inherit; background: none; }
& caption { caption-side: top; text-align: left; color: var(--ink); padding: 0 0 4px; }
& tr, & tr:hover { background: none; }
& th { color: var(--soft); font-weight: 400; }
& th, & td { border: 0; text-align: left; }
"""


def svg_style(name: str, font: str, rules: str = "", shades: Mapping[str, Shade] | None = None) -> str:
    """Return the style sheet of documents of a class.

    Colours are written out, because many viewers do not support CSS variables. Sizes are in a media query, because some
    viewers take ``height: auto`` for no height.

    Parameters
    ----------
    name : str
        The class of the document, written ``&`` in rules.
    font : str
        `MONO` or `SANS`.
    rules : str, optional
        Rules that are the same on light and dark pages.
    shades : mapping of str to Shade, optional
        Further classes that have two colours.
    """
    classes = {**_SHADES, **(shades or {})}
    light = "".join(f"& .{each} {{ {shade.paints}: {shade.light}; }}\n" for each, shade in classes.items())
    dark = "".join(f"  & .{each} {{ {shade.paints}: {shade.dark}; }}\n" for each, shade in classes.items())
    sheet = (
        f"\n& {{ font-family: {font}; }}\n"
        "@media screen, print { & { max-width: 100%; height: auto; } }\n"
        "& .middle { text-anchor: middle; }\n& .end { text-anchor: end; }\n"
        f"{light}{rules.strip()}\n@media (prefers-color-scheme: dark) {{\n{dark}}}\n"
    )
    return sheet.replace("&", f".{name}")


def page_style(name: str, font: str, rules: str) -> str:
    """Return the style sheet of HTML elements of a class; its colours are --page, --ink, --soft and --line.

    Parameters
    ----------
    name : str
        The class of the element, written ``&`` in rules.
    font : str
        Size and family, as in ``13px/1.45 monospace``.
    rules : str
        The rules that follow those of tables.
    """
    light, dark = (
        f"--page: {_PAGE[k]}; --ink: {_INK[k]}; --soft: {_SOFT[k]}; --line: {_LINE[k]};" for k in (False, True)
    )
    sheet = (
        f"\n& {{ {light} background: var(--page); color: var(--ink); padding: 16px 20px; border-radius: 10px;\n"
        f"  font: {font}; overflow-x: auto; }}\n"
        f"@media (prefers-color-scheme: dark) {{ & {{ {dark} }} }}{_TABLES}{rules.strip()}\n"
    )
    return sheet.replace("&", f".{name}")
