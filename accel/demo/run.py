"""One run of the demo, from the pictures to the files, with a progress bar and a table."""

from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import accel
from accel.demo import files, pipeline
from accel.demo.annotate import annotated, png
from accel.demo.compare import compare_findings
from accel.demo.outcome import Outcome
from accel.demo.pictures import SOURCES, Picture
from accel.demo.reference import refer
from accel.demo.report import report_page
from accel.demo.tiles import cover
from accel.demo.timeline import Timeline, in_seconds

__all__ = ["run_demo"]

_LEADING = 12


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Go on: the files are wanted still, and rich would exit with 1, which here means that results differ."""


def run_demo(
    device: accel.Device,
    folder: Path,
    sources: Iterable[Callable[[], Picture]] = SOURCES,
    console: Console | None = None,
) -> int:
    """Find, compare, draw and report; return 0 if pipeline and reference agree on every picture, else 1.

    Parameters
    ----------
    device : Device
        Where to compute.
    folder : Path
        Where to write.
    sources : iterable of callables
        Each loads a picture.
    console : rich.console.Console, optional
        Where to print.
    """
    console = console or _Console()
    files.prepare(folder)
    with _progress(console) as progress:
        outcomes = [_examine(source, device, progress) for source in sources]
    paths = _write(outcomes, device, folder)
    _tell(console, outcomes, paths)
    return 0 if all(outcome.comparison.agrees for outcome in outcomes) else 1


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("tiles"))
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def _examine(source: Callable[[], Picture], device: accel.Device, progress: Progress) -> Outcome:
    timeline = Timeline()
    with timeline.span("load", "picture"):
        picture = source()
    tiles = len(list(cover(*picture.shape, pipeline.SIDE)))
    task = progress.add_task(picture.title, total=tiles * pipeline.SWEEPS)
    findings = pipeline.detect(picture, device, timeline, done=lambda: progress.advance(task))
    with timeline.span("reference", "whole picture"):
        reference = refer(picture)
    comparison = compare_findings(findings, reference)
    apart = max(picture.shape) // 16
    return Outcome(picture, findings, comparison, timeline, tiles, apart, findings.leading(_LEADING, apart))


def _write(outcomes: Iterable[Outcome], device: accel.Device, folder: Path) -> list[Path]:
    outcomes = list(outcomes)
    contents = {
        f"{outcome.picture.name}.png": png(annotated(outcome.picture, outcome.findings, outcome.leading))
        for outcome in outcomes
    }
    contents["report.html"] = report_page(outcomes, device).encode()
    for name, content in contents.items():
        files.replace(folder / name, content)
    return [folder / name for name in contents]


def _tell(console: Console, outcomes: Iterable[Outcome], paths: Iterable[Path]) -> None:
    table = Table("picture", "size", "tiles", "detections", "device", "reference", "results")
    for outcome in outcomes:
        table.add_row(
            outcome.picture.name,
            outcome.size,
            str(outcome.tiles),
            f"{outcome.findings.count:,}",
            in_seconds(outcome.seconds),
            in_seconds(outcome.timeline.total("reference")),
            outcome.verdict,
        )
    console.print(table)
    for outcome in outcomes:
        for complaint in outcome.comparison.complaints():
            console.print(f"{outcome.picture.name}: {complaint}", markup=False)
    for path in paths:
        console.print(str(path), markup=False, highlight=False, soft_wrap=True)
