"""Tasks on a Dask cluster beside dask.array, on the same chunks in the same workers, with 1 worker and with 2.

python benchmarks/stores_dask.py [--quick]

Workers are processes of one thread. Inputs are made on the workers, by tasks or by dask.array, before the clock is
started; so no transfer of them is measured. Each result is computed anew and waited for. "heavy" has enough work for
each tile of 8 MB that two workers can share it; the others are limited by memory.
"""

import argparse
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from timing import medians, report

from accel.engines import Input, Output, Reduce, engine, task
from accel.engines.protocol import Engine
from accel.store import ADD, create_store

GOALS = {"over dask.array": 1.15}
TILE = 1_000_000


@task
def start(seed: int, x: Output) -> None:
    values = x.span_write_accessor()
    values[...] = np.random.default_rng(seed).random(values.shape)


@task
def add(x: Input, y: Input, z: Output) -> None:
    target = z.span_write_accessor()
    np.multiply(y.span_read_accessor(), 3, out=target)
    np.add(target, x.span_read_accessor(), out=target)


@task
def total(x: Input, sum: Reduce[ADD]) -> None:
    sum.span_reduce_accessor().reduce(0, x.span_read_accessor().sum())


@task
def heavy(x: Input, y: Output) -> None:
    target = y.span_write_accessor()
    np.sin(x.span_read_accessor(), out=target)
    np.exp(target, out=target)
    np.log(target, out=target)


def heavy_block(block: Any) -> Any:
    result = np.sin(block)
    np.exp(result, out=result)
    return np.log(result, out=result)


def plain_dask(tiles: int) -> dict[str, Callable[[], object]]:
    import dask.array as da
    from distributed import wait

    x, y = (da.random.default_rng(seed).random(tiles * TILE, chunks=TILE).persist() for seed in (1, 2))
    wait([x, y])
    return {
        "dask.array x + 3 y": lambda: wait((x + 3 * y).persist()),
        "dask.array sum": lambda: float(x.sum().compute()),
        "dask.array heavy": lambda: wait(x.map_blocks(heavy_block, dtype=float).persist()),
    }


def by_tasks(chosen: Engine, tiles: int) -> dict[str, Callable[[], object]]:
    def cut() -> Any:
        return create_store("float64", (tiles * TILE,)).partition_by_tiling((TILE,))

    def sum_of_x() -> float:
        result = create_store("float64", (1,))
        result.fill(0)
        chosen.submit(total.bind(x, result))
        return float(chosen.gather(result)[0])

    x, y = cut(), cut()
    for seed, each in ((1, x), (2, y)):
        chosen.submit(start.bind(seed, each)).wait()
    return {
        "tasks x + 3 y": lambda: chosen.submit(add.bind(x, y, cut())).wait(),
        "tasks sum": sum_of_x,
        "tasks heavy": lambda: chosen.submit(heavy.bind(x, cut())).wait(),
    }


def milliseconds(workers: int, tiles: int, rounds: int) -> dict[str, float]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        rivals = {**plain_dask(tiles), **by_tasks(engine("dask", client=client, inline=False), tiles)}
        return {name: time / 1e6 for name, time in medians(rivals, number=1, rounds=rounds, pause=0.05).items()}


def missed(over: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return what is over its goal."""
    goal = GOALS["over dask.array"]
    return {name: (ratio, goal) for name, ratio in over.items() if ratio > goal}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds, fewer tiles")
    tiles, rounds = (16, 5) if parser.parse_args().quick else (32, 15)
    figures = {workers: milliseconds(workers, tiles, rounds) for workers in (1, 2)}
    kinds = ("x + 3 y", "sum", "heavy")
    over = {
        f"{kind}, {workers} workers": times[f"tasks {kind}"] / times[f"dask.array {kind}"]
        for workers, times in figures.items()
        for kind in kinds
    }
    scaling = {kind: figures[1][f"tasks {kind}"] / figures[2][f"tasks {kind}"] for kind in kinds}
    results = {"cores": os.cpu_count(), "tiles": tiles, "milliseconds": figures, "over dask.array": over}
    report("stores_dask", results | {"1 worker over 2": scaling, "goals": GOALS, "missed": missed(over)})


if __name__ == "__main__":
    main()
