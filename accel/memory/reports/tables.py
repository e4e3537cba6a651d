"""Tables of memory, as text and as HTML elements that need no script."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from accel.memory.sizes import in_words
from accel.pictures.html import table
from accel.pictures.style import MONO, page_style

__all__ = ["TextTable", "as_html", "as_text", "counted"]


class TextTable(NamedTuple):
    """A table with a caption.

    Attributes
    ----------
    caption : str
        The caption; may be empty.
    head : sequence of str
        Names of the columns.
    rows : sequence of sequences of str
        The cells.
    otherwise : str
        The text if there are no rows.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    otherwise: str = "none"


def counted(blocks: int, nbytes: int) -> str:
    """Return a text with the number of blocks and of bytes."""
    return f"{blocks} block{'s' * (abs(blocks) != 1)}, {in_words(nbytes)}" if blocks or nbytes else "nothing"


def as_text(title: str, tables: Iterable[TextTable]) -> str:
    """Return tables as text in columns."""
    return "\n".join([title, *(f"  {line}" if line else line for table in tables for line in _lines(table))])


def _lines(table: TextTable) -> Iterator[str]:
    if table.caption:
        yield ""
        yield table.caption
    if not table.rows:
        yield table.otherwise
        return
    rows = [table.head, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


STYLE = page_style(
    "accel-memory",
    f"13px/1.45 {MONO}",
    """
& p { margin: 0; font-size: 17px; }
& table { margin: 14px 0 0; }
& th, & td { padding: 3px 24px 3px 0; vertical-align: top; }
& th { font-size: 11px; }
& td { border-top: 1px solid var(--line); white-space: nowrap; }
""",
)


def as_html(title: str, tables: Iterable[TextTable]) -> str:
    """Return tables as one HTML element, which follows the colour scheme of the page."""
    shown = "".join([table(each.head, each.rows, caption=each.caption, otherwise=each.otherwise) for each in tables])
    return f'<div class="accel-memory"><style>{STYLE}</style>\n<p>{escape(title)}</p>\n{shown}</div>\n'
