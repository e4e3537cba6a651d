"""Tables of memory, as text and as HTML elements that need no script."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from accel.memory.sizes import in_words

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


STYLE = """
.accel-memory { --page: #fff; --ink: #16181d; --soft: #5c606b; --line: #d9dbe0; background: var(--page);
  color: var(--ink); padding: 16px 20px; border-radius: 10px; font: 13px/1.45 ui-monospace, "SF Mono",
  "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  .accel-memory { --page: #15171c; --ink: #eceae5; --soft: #a3a6b0; --line: #33363f; }
}
.accel-memory p { margin: 0; font-size: 17px; }
.accel-memory table { border-collapse: collapse; margin: 14px 0 0; color: inherit; background: none; }
.accel-memory caption { caption-side: top; text-align: left; color: var(--ink); padding: 0 0 4px; }
.accel-memory tr, .accel-memory tr:hover { background: none; }
.accel-memory th, .accel-memory td { text-align: left; padding: 3px 24px 3px 0; border: 0; vertical-align: top; }
.accel-memory th { color: var(--soft); font-weight: 400; font-size: 11px; }
.accel-memory td { border-top: 1px solid var(--line); white-space: nowrap; }
"""


def as_html(title: str, tables: Iterable[TextTable]) -> str:
    """Return tables as one HTML element, which follows the colour scheme of the page."""
    shown = "".join(map(_element, tables))
    return f'<div class="accel-memory"><style>{STYLE}</style>\n<p>{escape(title)}</p>\n{shown}</div>\n'


def _element(table: TextTable) -> str:
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in table.rows)
    none = "" if table.rows else f'<tr><td colspan="{len(table.head)}">{escape(table.otherwise)}</td></tr>\n'
    return f"<table>{caption}<tr>{head}</tr>\n{rows}{none}</table>\n"
