"""`Output`: where findings are written to, as users say it: ``github,sarif:races.sarif``."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from accel.support.report_files.findings import Finding
from accel.support.report_files.junit import junit
from accel.support.report_files.page import page
from accel.support.report_files.sarif import sarif

__all__ = ["Output", "outputs", "write"]

_FILES = {"sarif": "accel.sarif", "html": "accel-reports.html", "junit": "", "github": ""}
_WRITTEN = ("sarif", "html", "junit")


class Output(NamedTuple):
    """A format and the file; None for what is no file of its own."""

    format: str
    path: Path | None


def outputs(text: str) -> list[Output]:
    """Return the formats that a text names, each with the file after its colon, or with its usual file.

    Raises
    ------
    ValueError
        If a format is not known.

    Examples
    --------
    >>> [str(each.path) for each in outputs("github,sarif,html:races.html")]
    ['None', 'accel.sarif', 'races.html']
    """
    return [_output(word.strip()) for word in text.split(",")]


def _output(word: str) -> Output:
    name, colon, path = word.partition(":")
    if name not in _FILES or (colon and not path) or (path and name not in _WRITTEN):
        raise ValueError(f"{word!r} is no kind of report; write github, sarif:FILE, junit:FILE or html:FILE")
    file = path or _FILES[name]
    return Output(name, Path(file) if file else None)


def write(output: Output, findings: Sequence[Finding], root: Path) -> None:
    """Write findings to the file of an output.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    if output.path is None:
        return
    text = {"sarif": lambda: sarif(findings, root), "html": lambda: page(findings), "junit": lambda: junit(findings)}
    output.path.parent.mkdir(parents=True, exist_ok=True)
    output.path.write_text(text[output.format](), encoding="utf-8", errors="backslashreplace")
