"""HTML elements that need no script."""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from inspect import getsource
from textwrap import dedent

__all__ = ["card", "counted", "folded", "page", "preformatted", "source", "table"]

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


def card(name: str, about: str, *parts: str) -> str:
    """Return an object for notebooks: a line about it, and elements below, which a reader can fold away.

    It has the colours of the page around it, light or dark.
    """
    return (
        '<details open="open" style="border-left: 2px solid currentColor; padding-left: 8px">'
        f'<summary style="cursor: pointer"><b>{escape(name)}</b> {escape(about)}</summary>{"".join(parts)}</details>'
    )


def preformatted(text: str) -> str:
    """Return text in which spaces and lines are kept."""
    return f'<pre style="margin: 4px 0 0; overflow-x: auto; color: inherit; background: none">{escape(text)}</pre>'


def source(program: str | Callable[..., object]) -> str:
    """Return a text, or that of a function, folded until a reader wants it; "" for a function without a text."""
    try:
        text = program if isinstance(program, str) else dedent(getsource(program))
    except (OSError, TypeError):  # it was made by exec, or wraps no function
        return ""
    return folded("source", preformatted(text))


def folded(name: str, part: str) -> str:
    """Return an element of which a reader sees only the name until it is opened."""
    return f'<details><summary style="cursor: pointer">{escape(name)}</summary>{part}</details>'


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
