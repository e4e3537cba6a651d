"""The Python of pages in Markdown runs in order in one namespace, with the lines of the page.

It is in blocks, and in the last column of tables whose heading there is `accel.xp`: each code span is one statement.
"""

import doctest
import linecache
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = re.compile(r"^\|.*\| `accel.xp` \|\n\|[-|]+\|\n((?:\|.*\|\n)+)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield each block with the number of lines above its first."""
    for block in BLOCK.finditer(text):
        yield text.count("\n", 0, block.start(1)), block[1]


def rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row of the tables that run, with the number of lines above the row."""
    for table in TABLE.finditer(text):
        first = text.count("\n", 0, table.start(1))
        for number, line in enumerate(table[1].splitlines()):
            yield first + number, line.strip("| ").split(" | ")


def spans(cell: str) -> list[str]:
    """Return the code of a cell."""
    return CODE.findall(cell)


def run_row(cells: list[str], namespace: dict[str, Any], page: Path, above: int) -> None:
    """Run the code in the last cell of a row."""
    for code in spans(cells[-1]):
        run_program(code, namespace, page, above)


def run_page(page: Path, row: Callable[[list[str], dict[str, Any], Path, int], None] = run_row) -> dict[str, Any]:
    """Run the blocks and the rows of a page; return what they defined."""
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": page.stem}
    parts: list[tuple[int, Any]] = [*blocks(text), *rows(text)]
    for above, part in sorted(parts, key=lambda each: each[0]):
        run: Callable[..., None] = row
        if isinstance(part, str):
            run = run_session if part.startswith(">>>") else run_program
        run(part, namespace, page, above)
    return namespace


def run_session(code: str, namespace: dict[str, Any], page: Path, above: int) -> None:
    """Run a block of prompts and answers."""
    session = doctest.DocTestParser().get_doctest(code, namespace, page.name, str(page), above)
    report: list[str] = []
    # Pages break long lines, so spaces are not compared.
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    failed, _ = runner.run(session, out=report.append, clear_globs=False)
    namespace.update(session.globs)
    assert not failed, "".join(report)


def run_program(code: str, namespace: dict[str, Any], page: Path, above: int) -> None:
    """Run a block without prompts."""
    # The empty lines make a traceback show the line of the page. Kernels are compiled from the source of their file, by
    # `linecache`, which is to give Python alone.
    program = "\n" * above + code
    linecache.cache[str(page)] = len(program), None, program.splitlines(keepends=True), str(page)
    exec(compile(program, page, "exec"), namespace)
