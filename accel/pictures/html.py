"""HTML elements that need no script."""

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["counted", "page", "table"]

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(title: str, body: str, style: str, kind: str = "") -> str:
    """Return a self-contained page that loads nothing and runs no script; its body has a class."""
    name = f' class="{escape(kind)}"' if kind else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body{name}>\n{body}</body>\n</html>\n"
    )


def counted(number: int, noun: str) -> str:
    """Return a number of things, as in ``2 findings``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


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
