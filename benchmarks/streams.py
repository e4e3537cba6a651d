"""Streams of the host: the cost to submit work, and of a copy that overlaps with a computation.

python benchmarks/streams.py [--quick]
"""

import argparse
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
from timing import medians, report

import accel


def submitting(number: int) -> Mapping[str, float]:
    """Microseconds to submit an empty function, and for small copies."""
    stream = accel.new_stream("cpu")
    pool = ThreadPoolExecutor(1)
    small, other = accel.zeros(1000), accel.empty(1000)
    times = medians(
        {
            "stream": lambda: stream.submit(int).wait(),
            "inline": lambda: stream.submit(int, inline=True).wait(),
            "pool": lambda: pool.submit(int).result(),
            "small copy": lambda: other.copy_from_async(small, stream=stream),
            "small copy, synchronous": lambda: other.copy_from(small),
        },
        number=number,
    )
    pool.shutdown()
    stream.close()
    return {
        "submit and wait, us (aim 80)": times["stream"] / 1e3,
        "submit and wait on an idle stream, small work, us": times["inline"] / 1e3,
        "rival: concurrent.futures, one thread, us": times["pool"] / 1e3,
        "copy_from_async of 8 KB, us": times["small copy"] / 1e3,
        "copy_from of 8 KB, us": times["small copy, synchronous"] / 1e3,
    }


def overlapping(rounds: int) -> Mapping[str, float]:
    """The time of a copy and a computation at once, as a ratio to the longer of the two alone."""
    stream = accel.new_stream("cpu")
    source, target = accel.full(1 << 23, 1.0), accel.full(1 << 23, 0.0)
    values = np.linspace(0, 1, 1 << 16)

    def compute() -> None:
        for _ in range(60):
            np.tanh(values)

    def copy() -> None:
        target.copy_from_async(source, stream=stream).wait()

    def both() -> None:
        transfer = target.copy_from_async(source, stream=stream)
        compute()
        transfer.wait()

    times = medians({"copy": copy, "compute": compute, "both": both}, number=1, rounds=rounds)
    stream.close()
    return {
        "64 MiB copy alone, ms": times["copy"] / 1e6,
        "computing alone, ms": times["compute"] / 1e6,
        "both at once, ms": times["both"] / 1e6,
        "both over the longer alone (aim 1.25)": times["both"] / max(times["copy"], times["compute"]),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few rounds only")
    quick = parser.parse_args().quick
    start = perf_counter()
    results = {"submit": submitting(100 if quick else 3000), "overlap": overlapping(5 if quick else 31)}
    report("streams", {**results, "seconds": perf_counter() - start})
