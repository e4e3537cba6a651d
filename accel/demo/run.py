"""Run the demo: load the pictures, detect, compare, and write the report; with a progress bar and a table."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import accel
from accel.demo import files, pipeline
from accel.demo.annotate import annotated, png
from accel.demo.compare import compare_findings
from accel.demo.console import DemoConsole, announce
from accel.demo.debugging import show_planted_error
from accel.demo.outcome import Outcome
from accel.demo.pictures import SOURCES, Picture
from accel.demo.races import race_reports
from accel.demo.reference import compute_reference
from accel.demo.report import report_page
from accel.demo.tiles import cover
from accel.demo.timeline import Timeline, in_seconds
from accel.errors import RaceError

__all__ = ["run_demo"]

_LEADING = 12


def run_demo(
    device: accel.Device,
    folder: Path,
    sources: Iterable[Callable[[], Picture]] = SOURCES,
    console: Console | None = None,
    *,
    debug: bool = False,
) -> int:
    """Run the demo on a device and write its files.

    Parameters
    ----------
    device : Device
        Where to compute.
    folder : Path
        Folder of the files.
    sources : iterable of callables
        Functions that load the pictures.
    console : rich.console.Console, optional
        Where to print.
    debug : bool
        Whether to show first what debug mode reports, and to check every access of kernels.

    Returns
    -------
    int
        0 if pipeline and reference agree on every picture and no race was reported, else 1.
    """
    console = console or DemoConsole()
    files.prepare(folder)
    if debug:
        show_planted_error(device, console)
        with accel.debug():
            return _run(device, folder, sources, console)
    return _run(device, folder, sources, console)


def _run(device: accel.Device, folder: Path, sources: Iterable[Callable[[], Picture]], console: Console) -> int:
    reports = race_reports(device)
    reports.clear()
    outcomes: list[Outcome] = []
    try:
        with _progress(console) as progress:
            outcomes.extend(_examine(source, device, progress) for source in sources)
    except RaceError as race:  # ends the run; the results so far are reported
        races = list(reports) or [str(race)]
    else:
        races = list(reports)
    paths = _write(outcomes, device, races, folder)
    _print_results(console, outcomes, device, races, paths)
    return 0 if not races and all(outcome.comparison.agrees for outcome in outcomes) else 1


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("tiles"))
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def _examine(source: Callable[[], Picture], device: accel.Device, progress: Progress) -> Outcome:
    timeline = Timeline()
    with timeline.span("load", "picture"):
        picture = source()
    tiles = len(list(cover(*picture.shape, pipeline.SIDE)))
    announce(progress.console, f"{picture.title}, {tiles} tiles")
    task = progress.add_task(picture.title, total=tiles * pipeline.SWEEPS)
    announce(progress.console, "its kernels, unless the cache has them", "Compiling")
    progress.update(task, description="Compiling, unless the cache has it")
    with timeline.span("prepare", "kernels"):
        pipeline.prepare(picture, device)
    progress.update(task, description=picture.title)
    findings = pipeline.detect(picture, device, timeline, done=lambda: progress.advance(task))
    with timeline.span("reference", "whole picture"):
        reference = compute_reference(picture)
    comparison = compare_findings(findings, reference)
    apart = max(picture.shape) // 16
    return Outcome(picture, findings, comparison, timeline, tiles, apart, findings.leading(_LEADING, apart))


def _write(outcomes: Sequence[Outcome], device: accel.Device, races: Sequence[str], folder: Path) -> list[Path]:
    contents = {
        f"{outcome.picture.name}.png": png(annotated(outcome.picture, outcome.findings, outcome.leading))
        for outcome in outcomes
    }
    contents["report.html"] = report_page(outcomes, device, races).encode()
    for name, content in contents.items():
        files.replace(folder / name, content)
    return [folder / name for name in contents]


def _print_results(
    console: Console, outcomes: Sequence[Outcome], device: accel.Device, races: Sequence[str], paths: Iterable[Path]
) -> None:
    if outcomes:
        console.print(_table(outcomes))
        prepared = in_seconds(sum(outcome.timeline.total("prepare") for outcome in outcomes))
        console.print(f"kernels: {prepared} before, to compile them or to read them from the cache", highlight=False)
    if device.type == "sim":
        seen = "a race was seen:" if races else "no race was seen"
        console.print(
            f"{device} is simulated, with sim_seed={accel.config.current().sim_seed}: {seen}", highlight=False
        )
    complaints = [
        f"{outcome.picture.name}: {complaint}" for outcome in outcomes for complaint in outcome.comparison.complaints()
    ]
    for line in (*races, *complaints, *map(str, paths)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _table(outcomes: Iterable[Outcome]) -> Table:
    table = Table("picture", "size", "tiles", "detections", "pipeline", "reference", "results")
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
    return table
