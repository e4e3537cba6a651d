"""Runs of the program: on threads, and on Dask with a worker that is killed while it works."""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter, sleep
from typing import Any

from accel.demo.stores.atlas import Atlas
from accel.demo.stores.findings import Findings, differences
from accel.demo.stores.program import Program
from accel.engines import Engine, Future, Launch, engine
from accel.support.system import kill

__all__ = ["Run", "run_on_dask", "run_on_threads"]

_KILLED_IN = "locate"
_PATIENCE = 10.0

_Submitted = Callable[[Launch, Future], object]


@dataclass(frozen=True, slots=True)
class Run:
    """The program on one engine.

    Attributes
    ----------
    where : str
        The engine, in words.
    tasks : int
        How many tasks there were.
    seconds : float
        From the first launch to the last result on the host.
    findings : Findings
        The results.
    complaints : sequence of str
        In what they differ from the reference.
    event : str
        What happened to a worker.
    """

    where: str
    tasks: int
    seconds: float
    findings: Findings
    complaints: Sequence[str]
    event: str = ""


def run_on_threads(atlas: Atlas, reference: Findings, done: Callable[[int], object]) -> Run:
    """Run the program on threads; ``done`` is called with the number of tasks of each launch."""
    return _run("threads", engine("threads"), atlas, reference, lambda launch, _: done(len(launch)))


def run_on_dask(atlas: Atlas, reference: Findings, done: Callable[[int], object], workers: int = 2) -> Run:
    """Run the program on worker processes of this machine, and kill one of them in the middle.

    Raises
    ------
    ImportError
        If Dask is not installed.
    """
    events: list[str] = []

    def submitted(launch: Launch, future: Future) -> None:
        if launch.task.name == _KILLED_IN:
            events.append(_kill_a_worker(client, future))
        done(len(launch))

    with _cluster(workers) as client:
        run = _run(f"dask, {workers} workers", engine("dask", client=client), atlas, reference, submitted)
    return Run(run.where, run.tasks, run.seconds, run.findings, run.complaints, *events)


def _run(where: str, chosen: Engine, atlas: Atlas, reference: Findings, submitted: _Submitted) -> Run:
    program = Program(atlas)
    start = perf_counter()
    for launch in program.launches:
        submitted(launch, chosen.submit(launch))
    findings = program.findings(chosen)
    seconds = perf_counter() - start
    return Run(where, sum(map(len, program.launches)), seconds, findings, differences(findings, reference))


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    distributed: Any = import_module("distributed")
    options: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": logging.CRITICAL}
    with (
        distributed.LocalCluster(n_workers=workers, **options) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def _kill_a_worker(client: Any, future: Future) -> str:
    """Kill a worker that runs a task, and return what happened."""
    processes = client.run(os.getpid)
    until = perf_counter() + _PATIENCE
    while perf_counter() < until and not future.done():
        busy = [address for address, keys in client.processing().items() if keys]
        if busy:
            victim = processes[busy[0]]
            kill(victim)
            return f"worker process {victim} was killed while it ran tasks of {_KILLED_IN}; its tasks ran again"
        sleep(0.001)
    return "no worker was killed: none was seen at work"
