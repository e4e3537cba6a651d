"""Run the demo of stores: read the data, run the program on each engine, compare, and write the report."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from accel.demo import files
from accel.demo.stores.atlas import Atlas, load_atlas
from accel.demo.stores.findings import Findings
from accel.demo.stores.page import report_page
from accel.demo.stores.program import Program
from accel.demo.stores.reference import compute_reference
from accel.demo.stores.runs import Run, run_on_dask, run_on_threads
from accel.demo.timeline import in_seconds

__all__ = ["run_stores"]

REPORT = "stores.html"


def run_stores(
    folder: Path, load: Callable[[], Atlas] = load_atlas, console: Console | None = None, runners=(run_on_threads, run_on_dask)
) -> int:
    """Run the demo and write its report.

    Returns
    -------
    int
        0 if the results on all engines are those of the reference, else 1.
    """
