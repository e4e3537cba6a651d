"""Run the demo of stores: read the data, run the program on each engine, compare, and write the report."""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from accel.demo import files
from accel.demo.console import DemoConsole, announce
from accel.demo.stores.atlas import Atlas, load_atlas
from accel.demo.stores.findings import Findings
from accel.demo.stores.highlights import Highlights
from accel.demo.stores.page import report_page
from accel.demo.stores.program import Program
from accel.demo.stores.reference import compute_reference
from accel.demo.stores.runs import Run, run_on_dask, run_on_threads
from accel.demo.timeline import in_seconds
from accel.engines import engine

__all__ = ["run_stores"]

_REPORT = "stores.html"
_NO_DASK = "dask was left out, because it is not installed: pip install 'accel-container[dask]'"

Runner = Callable[[Atlas, Findings, Callable[[int], object]], Run]


def run_stores(
    folder: Path,
    load: Callable[[], Atlas] = load_atlas,
    console: Console | None = None,
    runners: Sequence[Runner] | None = None,
) -> int:
    """Run the demo and write its report.

    Parameters
    ----------
    folder : Path
        Folder of the report.
    load : callable
        Returns the data.
    console : rich.console.Console, optional
        Where to print.
    runners : sequence of callable, optional
        What runs the program; by default threads, and Dask if it is installed.

    Returns
    -------
    int
        0 if the results on all engines are those of the reference, else 1.
    """
    console = console or DemoConsole()
    files.prepare(folder)
    atlas = load()
    console.print(_data_line(atlas), highlight=False, soft_wrap=True)
    missing = [] if runners or find_spec("distributed") else [_NO_DASK]
    chosen = runners or ([run_on_threads] if missing else [run_on_threads, run_on_dask])
    with _progress(console) as progress:
        reference = _with_numpy(atlas, progress)
        runs = [_run(runner, atlas, reference, progress) for runner in chosen]
    previews = [engine("threads").preview(launch) for launch in Program(atlas).launches]
    page, path = report_page(atlas, runs, previews, missing), folder / _REPORT
    files.replace(path, page.encode())
    _print_results(console, atlas, runs, [*missing, str(path)])
    return 1 if any(run.complaints for run in runs) else 0


def _data_line(atlas: Atlas) -> str:
    return (
        f"{len(atlas.counties):,} counties of the United States, with {len(atlas.vertices):,} vertices in "
        f"{len(atlas.rings):,} rings, and {len(atlas.cities):,} cities of the world"
    )


def _progress(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("tasks"))
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def _with_numpy(atlas: Atlas, progress: Progress) -> Findings:
    announce(progress.console, "NumPy")
    shown = progress.add_task("NumPy", total=1)
    reference = compute_reference(atlas)
    progress.advance(shown)
    return reference


def _run(runner: Runner, atlas: Atlas, reference: Findings, progress: Progress) -> Run:
    name = runner.__name__.removeprefix("run_on_")
    total = sum(map(len, Program(atlas).launches))
    announce(progress.console, f"{name}, {total} tasks")
    shown = progress.add_task(name, total=total)
    return runner(atlas, reference, lambda tasks: progress.advance(shown, tasks))


def _print_results(console: Console, atlas: Atlas, runs: Sequence[Run], lines: Sequence[str]) -> None:
    console.print(_table(runs))
    events = [f"{run.where}: {run.event}" for run in runs if run.event]
    complaints = [f"{run.where}: {complaint}" for run in runs for complaint in run.complaints]
    for line in (*events, *complaints, *_highlights(Highlights(atlas, runs[0].findings)), *lines):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _highlights(best: Highlights) -> list[str]:
    [(state, area)], [(county, cities, _)] = best.states(1), best.counties(1)
    return [
        f"All counties have {best.area:,.0f} km²; the largest state is {state}, with {area:,.0f} km².",
        f"{best.cities:,} of the cities are in a county, {cities} of them in {county}.",
    ]


def _table(runs: Sequence[Run]) -> Table:
    table = Table("engine", "tasks", "time", "results")
    for run in runs:
        table.add_row(run.where, str(run.tasks), in_seconds(run.seconds), "DIFFER" if run.complaints else "as NumPy's")
    return table
