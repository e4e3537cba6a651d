"""`run_program`: builds a program with `main`, runs it in a process of its own, and collects what it did wrong."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from accel import config
from accel.errors import CapabilityError
from accel.support.kernel_reports import Frame, KernelReport, ThreadPlace, announce

from .building import build_program
from .files import device_variables, included

__all__ = ["Ended", "run_program"]


class Ended(NamedTuple):
    """How a program ended.

    Attributes
    ----------
    code : int
        Its exit code; negative if a signal ended it.
    reports : list of KernelReport
        The distinct findings.
    found : int
        How many findings there were in all.
    """

    code: int
    reports: list[KernelReport]
    found: int


def run_program(
    sources: Sequence[Path],
    arguments: Sequence[str] = (),
    *,
    options: Sequence[str] = (),
    folders: Sequence[Path] = (),
    host_options: Sequence[str] = (),
    late: bool = False,
    folder: Path | None = None,
    limit: float | None = None,
    output: int | None = None,
) -> Ended:
    """Build and run a program on the simulated device that the settings describe.

    What it prints goes where that of this process goes; each distinct finding is printed to the standard error stream.

    Parameters
    ----------
    sources : sequence of Path
        Its files.
    arguments : sequence of str
        Its arguments.
    options, folders, host_options
        As of `build_program`.
    late : bool, optional
        Its streams run when they are waited for, in an order that is drawn from ``sim_seed``, so that a missing wait
        shows in the results. Otherwise, work is done when it is submitted.
    folder : Path, optional
        The current folder of the program.
    limit : float, optional
        Seconds after which it is killed.
    output : int, optional
        A file descriptor for what it prints, instead.

    Raises
    ------
    KernelSyntaxError, CapabilityError
        As of `build_program`.
    subprocess.TimeoutExpired
        If it takes longer than the limit.
    """
    settings = config.current()
    if "order" in settings.kernel_checks.split(","):
        raise CapabilityError(
            "the check order runs one launch again from the same memory; a program has other memory too: launch its "
            "kernels by accel.RawKernel, or check it for memory,race,init,sync"
        )
    built = build_program(
        sources, options=options, folders=folders, host_options=host_options, warp=settings.sim_warp,
        checked=bool(settings.kernel_checks),
    )  # fmt: skip
    texts = included([path.resolve() for path in sources], [each.resolve() for each in folders])
    devices = [name for text in texts.values() for name in device_variables(text)]
    with TemporaryDirectory() as folder_of_reports:
        reports = Path(folder_of_reports, "reports")
        reports.touch()
        child = {
            "path": str(built.path), "runtime": str(built.runtime), "reports": str(reports), "devices": devices,
            "checks": settings.kernel_checks, "warp": settings.sim_warp, "seed": settings.sim_seed,
            "workers": settings.threads, "memory": settings.sim_memory, "heap": settings.sim_heap,
            "limit": settings.kernel_limit, "late": late,
        }  # fmt: skip
        command = [sys.executable, "-P", "-m", f"{__package__}.child", json.dumps(child), str(sources[0]), *arguments]
        process = subprocess.run(  # noqa: S603 - the user's program
            command, check=False, cwd=folder, timeout=limit, stdout=output, stderr=output
        )
        return _ended(process.returncode, reports)


def _ended(code: int, file: Path) -> Ended:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    reports = [_report(line) for line in lines if "check" in line]
    announce(reports)
    return Ended(code, reports, sum(line["count"] for line in lines if "number" in line))


def _report(values: dict[str, Any]) -> KernelReport:
    places = {name: _place(values[name]) for name in ("place", "other")}
    extents = {name: tuple(values[name]) for name in ("grid", "block")}
    return KernelReport(**{**values, **places, **extents, "threads": tuple(map(_place, values["threads"]))})


def _place(values: dict[str, Any] | None) -> Any:
    if values is None:
        return None
    frames = tuple(Frame(**frame) for frame in values["frames"])
    thread = values["thread"] and tuple(values["thread"])
    return ThreadPlace(**{**values, "block": tuple(values["block"]), "thread": thread, "frames": frames})
