"""Kernels of numba.cuda on the simulated device, and on numba's simulator: the same work, by turns.

python benchmarks/numba_on_sim.py [--quick]

Kernels run without checks and with all four, on arrays that are on the device. The host's calls are a launch of one
small block that is waited for, and copies of 32 numbers; without checks, and with the default ones. numba's simulator
is chosen when numba.cuda is imported, so it is a process of its own, which does what it is asked. Compilation is timed
in fresh processes without a cache: all of the first call of a kernel, and what accel does of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numba import cuda, float32

_SIMULATOR = "NUMBA_ENABLE_CUDASIM"
_TILE, _PADDED = 16, 17
_CALLS = 50


def saxpy(a: Any, x: Any, y: Any) -> None:
    """Add a multiple of one array to another one."""
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def matmul(a: Any, b: Any, c: Any) -> None:
    """Multiply matrices by tiles."""
    tile_a = cuda.shared.array((_TILE, _TILE), float32)
    tile_b = cuda.shared.array((_TILE, _TILE), float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for first in range(0, a.shape[1], _TILE):
        tile_a[y, x] = a[row, first + x]
        tile_b[y, x] = b[first + y, column]
        cuda.syncthreads()
        for k in range(_TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[row, column] = total


def transpose(x: Any, y: Any) -> None:
    """Transpose a matrix by tiles."""
    tile = cuda.shared.array((_TILE, _PADDED), float32)
    column, row = cuda.grid(2)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = x[row, column]
    cuda.syncthreads()
    column = cuda.blockIdx.y * _TILE + cuda.threadIdx.x
    row = cuda.blockIdx.x * _TILE + cuda.threadIdx.y
    y[row, column] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


def reduction(x: Any, total: Any) -> None:
    """Add the elements of each block, and these sums."""
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(total, 0, part[0])


def launches(side: int) -> dict[str, Callable[[], None]]:
    """Return what launches each kernel with ``side * side`` threads, and waits for it."""
    generator = np.random.default_rng(0)
    square = [cuda.to_device(generator.random((side, side), np.float32)) for _ in range(3)]
    flat = [cuda.to_device(generator.random(side * side, np.float32)) for _ in range(2)]
    total = cuda.to_device(np.zeros(1, np.float32))
    lines, tiles = ((side * side // 256, 1, 1), (256, 1, 1)), ((side // _TILE,) * 2, (_TILE, _TILE))
    arguments = {
        "saxpy": (*lines, (np.float32(2), *flat)),
        "matmul": (*tiles, square),
        "transpose": (*tiles, square[:2]),
        "reduction": (*lines, (flat[0], total)),
    }

    def launch(kernel: Any, grid: Any, block: Any, values: Any) -> None:
        kernel[grid, block](*values)
        cuda.synchronize()

    return {
        kernel.__name__: partial(launch, cuda.jit(kernel), *arguments[kernel.__name__])
        for kernel in (saxpy, matmul, transpose, reduction)
    }


def host_calls() -> dict[str, Callable[[], None]]:
    """Return what makes each of the host's calls `_CALLS` times."""
    numbers = np.arange(32, dtype=np.float32)
    x, y = cuda.to_device(numbers), cuda.to_device(numbers)
    kernel = cuda.jit(saxpy)

    def launch() -> None:
        kernel[1, 32](np.float32(2), x, y)
        cuda.synchronize()

    def repeated(call: Callable[[], object]) -> None:
        for _ in range(_CALLS):
            call()

    calls = {"launch": launch, "to_device": lambda: cuda.to_device(numbers), "copy_to_host": x.copy_to_host}
    return {name: partial(repeated, call) for name, call in calls.items()}


def seconds(function: Callable[[], None]) -> float:
    """Return how long a call takes."""
    start = perf_counter()
    function()
    return perf_counter() - start


def simulate(side: int) -> None:
    """Do a launch on numba's simulator for each name that is read, and write its seconds."""
    functions = {**launches(side), **host_calls()}
    for line in sys.stdin:
        print(seconds(functions[line.strip()]), flush=True)


@contextmanager
def simulator(side: int) -> Iterator[Callable[[str], float]]:
    """Start numba's simulator; yield what times a launch there."""
    command = [sys.executable, __file__, "--simulator", "--side", str(side)]
    environment = {**os.environ, _SIMULATOR: "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def timed(name: str) -> float:
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
            return float(process.stdout.readline())

        yield timed
        process.stdin.close()


def compared(side: int, rounds: int) -> dict[str, dict[str, float]]:
    """Return milliseconds of each kernel, and how many times as long numba's simulator takes."""
    import accel
    from accel.testing import numba_cuda_on_sim

    times: dict[str, dict[str, list[float]]] = {}
    with numba_cuda_on_sim(), simulator(side) as timed:
        functions = launches(side)
        for turn in range(rounds + 1):
            for name, function in functions.items():
                for checks in ("none", "all"):
                    with accel.using(kernel_checks=checks):
                        _keep(times, name, checks, turn, seconds(function))
                if turn < 2:  # one launch takes seconds
                    _keep(times, name, "simulator", turn + 1, timed(name))
    return {name: _summary(each) for name, each in times.items()}


def host_times(rounds: int) -> dict[str, dict[str, float]]:
    """Return microseconds of each of the host's calls: the least of the rounds, as other work only adds to it."""
    import accel
    from accel.testing import numba_cuda_on_sim

    times: dict[str, dict[str, list[float]]] = {}
    with numba_cuda_on_sim(), simulator(_TILE) as timed:
        functions = host_calls()
        for turn in range(rounds + 1):
            for name, function in functions.items():
                for checks in ("none", "memory,sync"):
                    with accel.using(kernel_checks=checks):
                        _keep(times, name, checks, turn, seconds(function))
                if turn < 2:  # a launch takes long
                    _keep(times, name, "simulator", turn + 1, timed(name))
    return {
        name: {f"{what}, us": min(values) / _CALLS * 1e6 for what, values in each.items()}
        for name, each in times.items()
    }


def _keep(times: dict[str, dict[str, list[float]]], name: str, what: str, turn: int, value: float) -> None:
    """Keep a time; those of the first turn have the compilation in them."""
    values = times.setdefault(name, {}).setdefault(what, [])
    if turn:
        values.append(value)


def _summary(times: dict[str, list[float]]) -> dict[str, float]:
    ours = {checks: median(times[checks]) for checks in ("none", "all")}
    rival = min(times["simulator"])
    return {
        "unchecked, ms": ours["none"] * 1e3,
        "all checks, ms": ours["all"] * 1e3,
        "numba's simulator, ms": rival * 1e3,
        "times faster, unchecked": rival / ours["none"],
        "times faster, all checks": rival / ours["all"],
    }


def compilation() -> dict[str, float]:
    """Return seconds of the first calls of kernels in a process that has compiled another one before."""
    import accel
    from accel.testing import numba_cuda_on_sim

    with numba_cuda_on_sim(), accel.using(kernel_checks="all"):
        functions = launches(64)
        functions.pop("saxpy")()  # compiles the runtime
        first = {name: seconds(function) for name, function in functions.items()}
    return {f"first call of {name}, s": value for name, value in first.items()}


def main() -> None:
    """Print the results as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few threads, few rounds")
    parser.add_argument("--side", type=int, default=64, help="the square root of the number of threads")
    parser.add_argument("--simulator", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    side = 32 if options.quick else options.side
    if options.simulator:
        simulate(side)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ACCEL_CACHE_DIR"] = str(Path(folder))
        results = {
            "compilation": compilation(),
            "kernels": compared(side, 3 if options.quick else 9),
            "host": host_times(10 if options.quick else 50),
        }
    print(json.dumps({"threads": side * side, **results}, indent=2))


if __name__ == "__main__":
    main()
