"""Anomalies from a climatology, the workload of dask/distributed#6360: many chunks loaded, reduced, subtracted.

python benchmarks/climatology.py [--times 2000] [--width 250000] [--budget 40MiB] [--only NAME]

Each way runs in a process of its own, the same program of xarray in each:

    threads     accel's engine `threads` with a budget
    dask        dask.distributed on this machine, two workers of one thread, without queuing (worker-saturation: inf)
    queued      the same with queuing, distributed's default since 2022
    threaded    Dask's threaded scheduler, two threads

Measured are the seconds of the computation, and the most memory of its processes together, beyond what they held before
it. That includes the graph and modules that are imported late: about 27 MB with ``--width 1000``, where the data are
small. Workers are started before the clock is. The processes are asked every 20 ms; for a single process the kernel's
own record (VmHWM) is used.
"""

import argparse
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, Self

import numpy as np

WAYS = ("threads", "dask", "queued", "threaded")
DAYS = 100
GOAL = 15


class Peak:
    """The most memory of this process and its children together, beyond that at the start, in bytes."""

    def __init__(self) -> None:
        import psutil

        self._root = psutil.Process()
        self._start = self._now()
        self._most = self._start
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._reset_record()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def bytes(self) -> int:
        alone = not self._root.children(recursive=True)
        return max(self._most, self._record() if alone else 0) - self._start

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            self._most = max(self._most, self._now())

    def _now(self) -> int:
        import psutil

        total = 0
        for process in (self._root, *self._root.children(recursive=True)):
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return total

    @staticmethod
    def _reset_record() -> None:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")

    @staticmethod
    def _record() -> int:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def program(times: int, width: int) -> Any:
    """Return the mean anomaly, not computed yet."""
    import dask.array as da
    import xarray as xr

    values = da.random.default_rng(5).random((times, width), chunks=(1, width))
    data = xr.DataArray(values, dims=["time", "x"], coords={"day": ("time", np.arange(times) % DAYS)})
    anomaly = data.groupby("day") - data.groupby("day").mean(dim="time")
    return (anomaly**2).mean(dim="time")


@contextmanager
def computing(way: str, budget: str) -> Iterator[dict[str, Any]]:
    """Choose what computes; yields a dict to fill with what it can tell afterwards."""
    import dask

    facts: dict[str, Any] = {}
    if way == "threads":
        from accel.engines.graph import get

        def note(statistics: Any) -> None:
            facts["statistics, bytes"] = asdict(statistics)

        with dask.config.set(scheduler=partial(get, budget=budget, num_workers=2, remake=True, statistics=note)):
            yield facts
    elif way == "threaded":
        with dask.config.set(scheduler="threads", num_workers=2):
            yield facts
    else:
        from distributed import Client, LocalCluster

        saturation = "inf" if way == "dask" else 1.1
        options = {
            "distributed.scheduler.worker-saturation": saturation,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.spill": False,
            "distributed.worker.memory.pause": False,
            "distributed.worker.memory.terminate": False,
        }
        with (
            dask.config.set(options),
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster) as client,
        ):
            client.run(__import__, "xarray")
            yield facts


def measured(way: str, times: int, width: int, budget: str) -> dict[str, Any]:
    """Run the program one way, in this process."""
    mean = program(times, width)
    with computing(way, budget) as facts, Peak() as peak:
        start = perf_counter()
        result = mean.compute()
        seconds = perf_counter() - start
        sleep(0.05)
    return {"seconds": seconds, "peak, bytes": peak.bytes, "result": float(result.sum())} | facts


def in_a_process(way: str, given: argparse.Namespace) -> dict[str, Any]:
    arguments = ["--times", str(given.times), "--width", str(given.width), "--budget", given.budget, "--one", way]
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=2000)
    parser.add_argument("--width", type=int, default=250_000)
    parser.add_argument("--budget", default="40 MiB")
    parser.add_argument("--only", choices=WAYS, nargs="*", default=WAYS)
    parser.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(given.one, given.times, given.width, given.budget)))
        return
    print(json.dumps({way: in_a_process(way, given) for way in given.only}, indent=2))


if __name__ == "__main__":
    main()
