"""Pictures as HTML elements: tables without scripts."""

from collections.abc import Iterator
from html import escape

from accel.layout.pictures.grids import Axis, Cell, Drawing, Grid, Listing
from accel.pictures.html import table
from accel.pictures.style import MONO, page_style

__all__ = ["drawn_html"]

STYLE = page_style(
    "accel-layout-page",
    f"13px/1.45 {MONO}",
    """
& p { margin: 0 0 .2em; overflow-wrap: anywhere; }
& .name { font-size: 17px; }
& .soft { color: var(--soft); }
& .grids { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 8px 32px; }
& table { margin: 12px 0; }
& th { padding: 2px 8px; font-size: 11px; text-align: center; background: none; }
& td { padding: 1px; border: 0 solid var(--ink); white-space: nowrap; }
& td div { padding: 5px 7px; text-align: center; }
& small { display: block; font-size: 10px; line-height: 1.1; }
& .rows td, & .rows th { text-align: left; font-size: 13px; padding: 1px 20px 1px 0; }
""",
)


def drawn_html(drawing: Drawing) -> str:
    """Return a drawing as an HTML element."""
    shown = [*map(_grid, drawing.grids), *map(_listing, drawing.listings)]
    return (
        f'<div class="accel-layout-page"><style>{STYLE}</style>\n'
        f'<p class="name">{escape(drawing.title)}</p>\n<p class="soft">{escape(drawing.about)}</p>\n'
        f'<div class="grids">\n{"".join(shown)}</div></div>\n'
    )


def _grid(grid: Grid) -> str:
    caption = f"<caption>{escape(grid.caption)}</caption>" if grid.caption else ""
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.columns.names)
    head = f"<tr><th></th>{names}</tr>\n" if any(grid.columns.names) else ""
    return f"<table>{caption}{head}{''.join(_rows(grid))}</table>\n"


def _rows(grid: Grid) -> Iterator[str]:
    last = len(grid.cells) - 1
    for k, (name, row) in enumerate(zip(grid.rows.names, grid.cells, strict=True)):
        sides = {"top": grid.rows.borders[k], "bottom": grid.rows.borders[k + 1] if k == last else 0}
        cells = "".join(_cell(cell, sides | _sides(grid.columns, j)) for j, cell in enumerate(row))
        yield f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>\n'


def _sides(axis: Axis, k: int) -> dict[str, int]:
    return {"left": axis.borders[k], "right": axis.borders[k + 1] if k == len(axis.names) - 1 else 0}


def _cell(cell: Cell, sides: dict[str, int]) -> str:
    color = cell.paint.color
    borders = ";".join(f"border-{side}-width:{min(1 + border, 5)}px" for side, border in sides.items() if border)
    first, *second = cell.paint.lines
    text = escape(first) + "".join(f"<small>{escape(line)}</small>" for line in second)
    title = escape(f"{cell.where}: {cell.paint.said}")
    return (
        f'<td title="{title}" style="{borders}"><div style="background:{color.hex};color:{color.ink.hex}">{text}</div>'
        f"</td>"
    )


def _listing(listing: Listing) -> str:
    return table(listing.head, listing.rows, kind="rows")
