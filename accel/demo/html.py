"""Pieces of the reports: the page, lists of facts, tables, versions."""

import platform
from collections.abc import Iterable
from html import escape
from importlib.metadata import PackageNotFoundError, version

from accel.demo.style import STYLE
from accel.pictures import html
from accel.support.system import machine

__all__ = ["fact_list", "page", "table", "version_section"]


def page(title: str, sections: Iterable[str], style: str = "") -> str:
    """Return a self-contained page that loads nothing and runs no script."""
    return html.page(title, "".join(sections), f"{STYLE}{style}")


def fact_list(facts: dict[str, str]) -> str:
    """Return names with their values, side by side."""
    items = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(fact)}</dd></div>" for name, fact in facts.items())
    return f'<dl class="facts">{items}</dl>\n'


def table(titles: Iterable[str], rows: Iterable[Iterable[object]], kind: str = "numbers") -> str:
    """Return a table of ``numbers`` or ``words``."""
    return f'<div class="scroll">{html.table([*titles], map(tuple, rows), kind=kind)}</div>\n'


def version_section(packages: Iterable[str]) -> str:
    """Return a section with the versions of Python, the system and packages."""
    rows = [("Python", platform.python_version()), ("System", f"{platform.system()} {machine()}")]
    rows += [(name, _version(name)) for name in packages]
    return f"<section>\n<h2>Versions</h2>\n{table(('', ''), rows, 'words')}</section>\n"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed as a package"
