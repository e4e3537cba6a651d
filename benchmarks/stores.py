"""Stores, tasks and engines: what each operation costs beside an addition of eight numbers by NumPy, and large tasks.

python benchmarks/stores.py [--quick] [--without dask]

Ratios are to ``np.add`` of two arrays of 8 float64 in the same run. Goals that are missed are listed under "missed".
Tiny tasks may run in the thread that submits them; "to a thread" forbids it.

The limit for saxpy is one addition by NumPy of arrays of the same size, which moves the same bytes. Dask and the engine
`dask` use the same cluster and the same chunks; their inputs are in the workers before the clock is started.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from timing import medians, report

from accel.engines import InOut, Input, Output, Reduce, Task, align, engine, task
from accel.kernels import f32, kernel
from accel.store import ADD, LogicalStore, Slice, create_store, from_array
from accel.views import LayoutTensor

GOALS = {
    "transform": 4,
    "create_store": 10,
    "submit": 60,
    "task with result": 300,
    "chain, us a task": 5,
    "saxpy over NumPy": 1,
    "dask over dask.array": 1.15,
}

CHAIN = 1000
WORK = ("x + y", "sum of sin(x)", "sum")
CHUNKS, CHUNK = 8, 4_000_000


@task
def add_one(x: InOut) -> None:
    x.span_read_write_accessor()[...] += 1


@task(constraints=[align("x", "y")])
def saxpy(a: float, x: Input, y: InOut) -> None:
    y.span_read_write_accessor()[...] += np.float32(a) * x.span_read_accessor()


@kernel
def saxpy_kernel(a: f32, x: LayoutTensor[f32, 1], y: LayoutTensor[f32, 1]) -> None:
    for i in range(x.size):
        y[i] += a * x[i]


saxpy_by_kernel = task(constraints=[align("x", "y")], parameters={"x": Input, "y": InOut})(saxpy_kernel)


@task
def start(seed: int, x: Output) -> None:
    np.random.default_rng(seed).random(out=x.span_write_accessor())


@task
def add(x: Input, y: Input, z: Output) -> None:
    np.add(x.span_read_accessor(), y.span_read_accessor(), out=z.span_write_accessor())


@task
def total_sine(x: Input, sum: Reduce[ADD]) -> None:
    sum.span_reduce_accessor().reduce(0, sum_of_sines(x.span_read_accessor()))


@task
def total(x: Input, sum: Reduce[ADD]) -> None:
    sum.span_reduce_accessor().reduce(0, x.span_read_accessor().sum())


def sum_of_sines(x: np.ndarray[Any, Any]) -> np.float64:
    """Sum by blocks: no large result is allocated, so this is bound by the processor."""
    return np.float64(sum(np.sin(x[at : at + 4096]).sum() for at in range(0, len(x), 4096)))


def small(number: int, rounds: int) -> dict[str, Any]:
    """Ratios of transforms, of `create_store`, and of tasks on stores of 8 elements."""
    x, y = np.zeros(8), np.ones(8)
    matrix, column = create_store("float64", (6, 4)), create_store("float64", (6, 1))
    store, attached = small_store(), from_array(np.zeros(8), read_only=False)
    bounds = Slice(1, 4)
    rivals = {
        "add": lambda: np.add(x, y),
        "promote": lambda: matrix.promote(1, 5),
        "project": lambda: matrix.project(0, 3),
        "broadcast": lambda: column.broadcast(1, 5),
        "slice": lambda: matrix.slice(0, bounds),
        "transpose": lambda: matrix.transpose((1, 0)),
        "delinearize": lambda: matrix.delinearize(0, (2, 3)),
        "create_store": lambda: create_store("float64", (6, 4)),
    }
    times = medians(rivals, number=number, rounds=rounds)
    with engine("threads").using():
        times |= medians({"submit": lambda: add_one(store)}, number=number, rounds=rounds)
        times |= medians({"task with result": lambda: result_of(store)}, number=number // 4, rounds=rounds)
        times |= medians({"submit, attached memory": lambda: add_one(attached)}, number=number // 4, rounds=rounds)
    with engine("threads").using(inline=False):
        times |= medians({"submit to a thread": lambda: add_one(store)}, number=number // 4, rounds=rounds)
        times |= medians(
            {"task with result from a thread": lambda: result_of(store)}, number=number // 4, rounds=rounds
        )
        add_one(store).wait()
    return {"ns": times, "over np.add": {name: time / times["add"] for name, time in times.items() if name != "add"}}


def sines_of_chunk(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.array([sum_of_sines(x)])


def small_store() -> LogicalStore:
    store = create_store("float64", (8,))
    store.fill(0)
    return store


def result_of(store: LogicalStore) -> float:
    """Run a task and read what it wrote."""
    add_one(store)
    return float(store.get_physical_store().read_accessor()[0])


def chain(rounds: int) -> dict[str, float]:
    """Microseconds a task of a chain in which each waits for the one before."""
    store = small_store()

    def run() -> None:
        for _ in range(CHAIN):
            future = add_one(store)
        future.wait()

    with engine("threads").using():
        times = medians({"chain": run}, number=1, rounds=rounds)
    with engine("threads").using(inline=False):
        times |= medians({"chain in threads": run}, number=1, rounds=rounds)
    return {f"{name}, us a task": time / CHAIN / 1e3 for name, time in times.items()}


def large(size: int, rounds: int) -> dict[str, float]:
    """Milliseconds of saxpy of float32, by NumPy and by tasks."""
    x, y = np.ones(size, np.float32), np.ones(size, np.float32)
    a, stores = np.float32(2), (from_array(x), from_array(y, read_only=False))

    def by_numpy() -> None:
        nonlocal y
        y += a * x

    rivals: dict[str, Callable[[], object]] = {
        "NumPy": by_numpy,
        "limit: NumPy's x + y in place": lambda: np.add(x, y, out=y),
        "task": lambda: saxpy(2.0, *stores).wait(),
        "task, a kernel": lambda: saxpy_by_kernel(2.0, *stores).wait(),
    }
    times = {f"{name}, ms": time / 1e6 for name, time in medians(rivals, number=1, rounds=rounds).items()}
    ratios = {f"{name} over NumPy": times[f"{name}, ms"] / times["NumPy, ms"] for name in ("task", "task, a kernel")}
    return times | ratios


def on_dask(workers: int, rounds: int) -> dict[str, float]:
    """Milliseconds of an addition and a sum, by dask.array and by the engine, in one cluster."""
    with cluster(workers) as client:
        rivals = {**plain_dask(), **tasks_on_dask(client)}
        return {f"{name}, ms": time / 1e6 for name, time in medians(rivals, number=1, rounds=rounds).items()}


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as result,
        Client(result) as client,
    ):
        yield client


def plain_dask() -> dict[str, Callable[[], object]]:
    import dask.array as da
    from distributed import wait

    # Not da.full: its chunks are one number, repeated by a stride of 0.
    x, y = (da.random.default_rng(seed).random(CHUNKS * CHUNK, chunks=CHUNK).persist() for seed in (1, 2))
    wait([x, y])
    return {
        "dask.array x + y": lambda: wait((x + y).persist()),
        "dask.array sum of sin(x)": lambda: float(x.map_blocks(sines_of_chunk, chunks=(1,)).sum().compute()),
        "dask.array sum": lambda: float(x.sum().compute()),
    }


def tasks_on_dask(client: Any) -> dict[str, Callable[[], object]]:
    chosen = engine("dask", client=client)
    x, y, z = (create_store("float64", (CHUNKS * CHUNK,)) for _ in range(3))
    tiles = [store.partition_by_tiling((CHUNK,)) for store in (x, y, z)]
    for seed, each in zip((1, 2), tiles, strict=False):
        chosen.submit(start.bind(seed, each)).wait()

    def reduced(by: Task) -> float:
        result = create_store("float64", (1,))
        result.fill(0)
        chosen.submit(by.bind(tiles[0], result))
        return float(chosen.gather(result)[0])

    return {
        "tasks x + y": lambda: chosen.submit(add.bind(*tiles)).wait(),
        "tasks sum of sin(x)": lambda: reduced(total_sine),
        "tasks sum": lambda: reduced(total),
    }


def dask_part(rounds: int) -> dict[str, Any]:
    result = {workers: on_dask(workers, rounds) for workers in (1, 2)}
    ratios = {
        f"{what}, {workers} workers": times[f"tasks {what}, ms"] / times[f"dask.array {what}, ms"]
        for workers, times in result.items()
        for what in WORK
    }
    scaling = {what: result[1][f"tasks {what}, ms"] / result[2][f"tasks {what}, ms"] for what in WORK}
    return {"times": result, "over dask.array": ratios, "1 worker over 2": scaling}


def missed(results: Mapping[str, Any]) -> dict[str, float]:
    """Return what is over its goal."""
    ratios = results["small"]["over np.add"]
    names = ("promote", "project", "broadcast", "slice", "transpose", "delinearize")
    measured = {
        **{name: (ratios[name], GOALS["transform"]) for name in names},
        **{name: (ratios[name], GOALS[name]) for name in ("create_store", "submit", "task with result")},
        "chain, us a task": (results["chain"]["chain, us a task"], GOALS["chain, us a task"]),
        "saxpy over NumPy": (results["saxpy"]["task over NumPy"], GOALS["saxpy over NumPy"]),
        **{
            f"dask: {name}": (ratio, GOALS["dask over dask.array"])
            for name, ratio in results.get("dask", {}).get("over dask.array", {}).items()
        },
    }
    return {name: value for name, (value, goal) in measured.items() if value > goal}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds, smaller arrays")
    parser.add_argument("--without", choices=("dask",), help="leave out a part")
    given = parser.parse_args()
    rounds, number, size = (5, 400, 3_000_000) if given.quick else (25, 2000, 30_000_000)
    results: dict[str, Any] = {
        "cores": os.cpu_count(),
        "small": small(number, rounds),
        "chain": chain(rounds),
        "saxpy": large(size, min(rounds, 11)),
    }
    if not given.without:
        results["dask"] = dask_part(min(rounds, 7))
    report("stores", results | {"goals": GOALS, "missed": missed(results)})


if __name__ == "__main__":
    main()
