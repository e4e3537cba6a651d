"""The Python of pages in Markdown: its blocks run in order in one namespace, with the lines of the page."""

import doctest
import linecache
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield each block with the number of lines above its first."""
    for block in BLOCK.finditer(text):
        yield text.count("\n", 0, block.start(1)), block[1]


def run_page(page: Path) -> dict[str, Any]:
    """Run the blocks of a page; return what they defined."""
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": page.stem}
    for above, code in blocks(text):
        run = run_session if code.startswith(">>>") else run_program
        run(code, namespace, page, above)
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
