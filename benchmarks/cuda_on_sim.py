"""CUDA kernels on the simulated device: a map, a reduction with barriers, the checks, and the first launch.

python benchmarks/cuda_on_sim.py [--quick]

The rivals are the same map by NumPy, and a copy of as many bytes, which no kernel can beat. The first launch is timed
in fresh processes: with an empty cache of compiled kernels, and with a full one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from timing import medians, report

import accel
from accel import RawKernel

SOURCE = """
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void block_sums(const float* x, float* sums, int n) {
    __shared__ float part[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    for (int by = 128; by > 0; by /= 2) {
        __syncthreads();
        if (threadIdx.x < by) part[threadIdx.x] += part[threadIdx.x + by];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
"""
FIRST = """
import time, sys
import accel
kernel = accel.RawKernel.from_source('extern "C" __global__ void twice(float* x, int n) {'
    ' int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }')
x = accel.zeros(1000, "float32", device="sim")
start = time.perf_counter()
kernel(x, 1000, over=1000).wait()
print(time.perf_counter() - start)
"""
CHECKS = ("none", "memory", "race", "init", "sync", "all")
N = 1 << 20


def maps(rounds: int) -> Mapping[str, object]:
    """Milliseconds of a map with a million threads, by the checks; and of its rivals."""
    kernel = RawKernel.from_source(SOURCE, "saxpy")
    values = np.ones(N, "float32")
    x, y = accel.container(values, device="sim"), accel.container(values, device="sim")
    target, other, third = np.ones(N, "f4"), np.ones(N, "f4"), np.empty(N, "f4")
    words, copied = np.ones(3 * N // 2, "f4"), np.empty(3 * N // 2, "f4")

    def numpy() -> None:
        np.multiply(other, 2.0, out=third)
        np.add(third, target, out=target)

    runs: dict[str, Callable[[], object]] = {
        f"checks: {checks}": checked(lambda: kernel(x, y, 2.0, N, over=N).wait(), checks) for checks in CHECKS
    }
    rivals = {"rival: NumPy": numpy, "limit: a copy of as many bytes": lambda: np.copyto(copied, words)}
    return ratios(medians({**runs, **rivals}, number=1, rounds=rounds))


def sums(rounds: int) -> Mapping[str, object]:
    """Milliseconds of a reduction in blocks, eight barriers each, by the checks."""
    kernel = RawKernel.from_source(SOURCE, "block_sums")
    x, out = accel.container(np.ones(N // 4, "float32"), device="sim"), accel.zeros(N // 1024, "float32", device="sim")
    runs = {
        f"checks: {checks}": checked(lambda: kernel(x, out, N // 4, over=N // 4).wait(), checks) for checks in CHECKS
    }
    return ratios(medians(runs, number=1, rounds=rounds))


def checked(launch: Callable[[], object], checks: str) -> Callable[[], object]:
    """Return a function that launches with some checks."""

    def run() -> None:
        with accel.using(kernel_checks=checks):
            launch()

    return run


def ratios(result: Mapping[str, float]) -> Mapping[str, object]:
    """Return milliseconds, and the ratio of all checks to none."""
    times = {f"{name}, ms": value / 1e6 for name, value in result.items()}
    return {**times, "all checks over none (aim 18)": result["checks: all"] / result["checks: none"]}


def on_one_core(quick: bool) -> object:
    """Return what this program finds if the system gives it one core."""
    command = [sys.executable, __file__, "--maps", *(["--quick"] if quick else [])]
    core = min(os.sched_getaffinity(0))
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, [core])
    )
    return json.loads(done.stdout)


def first_launches(rounds: int) -> Mapping[str, float]:
    """Milliseconds of the first launch of a small kernel in a process."""
    empty, full = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            empty.append(first_launch(folder))
            full.append(first_launch(folder))
    with tempfile.TemporaryDirectory() as folder:
        first_launch(folder)
        for path in Path(folder).rglob("*"):  # the runtime was compiled before, the kernel was not
            if path.is_file() and not path.name.startswith("accel_sim"):
                path.unlink()
        again = first_launch(folder)
    return {
        "empty cache, with the runtime, ms (aim 2000)": 1e3 * median(empty),
        "runtime in the cache, ms": 1e3 * again,
        "kernel in the cache, ms (aim 50)": 1e3 * median(full),
    }


def first_launch(folder: str) -> float:
    """Return the seconds of the first launch in a process of its own, with a cache in a folder."""
    environment = {**os.environ, "ACCEL_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, "-c", FIRST], check=True, capture_output=True, text=True, env=environment)
    return float(done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few rounds only")
    parser.add_argument("--maps", action="store_true", help="only the map, as JSON")
    options = parser.parse_args()
    rounds = 3 if options.quick else 11
    if options.maps:
        print(json.dumps(maps(rounds)))
    else:
        start = perf_counter()
        results: dict[str, object] = {
            f"map of {N} threads, one core (aim 250 ms unchecked)": on_one_core(options.quick)
        }
        with accel.using(threads=len(os.sched_getaffinity(0))):
            results[f"map of {N} threads, all cores"] = maps(rounds)
            results["reduction with barriers, all cores"] = sums(rounds)
        results["first launch"] = first_launches(1 if options.quick else 5)
        report("cuda_on_sim", {**results, "seconds": perf_counter() - start})
