"""HTML elements that need no script."""

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["table"]


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    kind: str = "",
    caption: str = "",
    otherwise: str = "",
) -> str:
    """Return a table of texts; ``otherwise`` is its only row if there are none."""
    name = f' class="{escape(kind)}"' if kind else ""
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    names = "".join([f'<th scope="col">{escape(each)}</th>' for each in head])
    lines = "".join([f"<tr>{''.join([f'<td>{escape(str(cell))}</td>' for cell in row])}</tr>\n" for row in rows])
    if otherwise and not lines:
        lines = f'<tr><td colspan="{len(head)}">{escape(otherwise)}</td></tr>\n'
    return f"<table{name}>{above}<tr>{names}</tr>\n{lines}</table>\n"
