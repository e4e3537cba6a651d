"""Functions that compiled loops compute: `accel.xp` without them, and with them in one thread and in all; NumPy beside.

python benchmarks/array_loops.py [--rounds N] [--sizes N...] [--only NAME...] [--dtype DTYPE]

The least time of all rounds counts, and a ratio says how many times faster than NumPy that is. The last lines are about
the calls of a new process: how many there are before the loops take part, and how long the longest takes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from time import perf_counter
from typing import Any

import numpy as np
from timing import report

import accel
from accel import xp
from accel.support.background import BACKGROUND
from accel.xp import compiled_functions

PROGRAMS = {
    "var": "xp.var(a)",
    "var of rows": "xp.var(a.reshape(-1, 100), axis=1)",
    "var of columns": "xp.var(a.reshape(-1, 100), axis=0)",
    "var of 3 columns": "xp.var(a[: a.size // 3 * 3].reshape(-1, 3), axis=0)",
    "std": "a.std()",
    "vector_norm": "xp.linalg.vector_norm(a)",
    "vector_norm, ord=1": "xp.linalg.vector_norm(a, ord=1)",
    "vector_norm, ord=inf": "xp.linalg.vector_norm(a, ord=xp.inf)",
    "norm of rows": "xp.linalg.norm(a.reshape(-1, 100), axis=1)",
    "count_nonzero": "xp.count_nonzero(a)",
    "nansum": "xp.nansum(a)",
    "nanmean": "xp.nanmean(a)",
    "nanvar": "xp.nanvar(a)",
    "nan_to_num": "xp.nan_to_num(a)",
    "logsumexp": "logsumexp(a)",
    "sum of bool": "xp.sum(m)",
    "mean of bool": "xp.mean(m)",
    "sum of rows of int32": "xp.sum(i.reshape(-1, 100), axis=1)",
}

NEW_PROCESS = """
import sys
from time import perf_counter
from accel import xp
from accel.support.background import BACKGROUND

x, times = xp.ones(int(sys.argv[1])), []
begin = perf_counter()
while not BACKGROUND.results and perf_counter() < begin + 60:
    start = perf_counter()
    xp.var(x)
    times.append(perf_counter() - start)
print(len(times), perf_counter() - begin, times[0], sorted(times)[len(times) // 2], max(times))
"""


def least(text: str, size: int, dtype: str, rounds: int) -> dict[str, float]:
    """Return the least microseconds of NumPy, and of ours without loops, and with them in one thread and in all."""
    from scipy.special import logsumexp

    array = np.random.default_rng(0).random(size).astype(dtype)
    program = eval(f"lambda xp, logsumexp, a, m, i: {text}")
    arrays = array, array > 0.5, (array * 100).astype("int32")
    ours, theirs = (xp, xp.special.logsumexp, *map(xp.asarray, arrays)), (np, logsumexp, *arrays)
    program(*ours)
    BACKGROUND.wait(60)
    settings: dict[str, dict[str, object]] = {"numpy": {}, "before": {"fuse": "off"}, "one": {"threads": 1}, "all": {}}
    times: dict[str, list[float]] = {name: [] for name in settings}
    number = max(1, 10**5 // size)
    for _ in range(rounds):
        for name, chosen in settings.items():
            operands = theirs if name == "numpy" else ours
            with accel.using(**chosen):
                start = perf_counter()
                for _ in range(number):
                    program(*operands)
                times[name].append((perf_counter() - start) / number * 1e6)
    return {name: min(each) for name, each in times.items()}


def new_process(size: int, folder: str) -> dict[str, float]:
    """Return the calls of a new process until the loops take part, in milliseconds."""
    command = [sys.executable, "-c", NEW_PROCESS, str(size)]
    environment = {**os.environ, "ACCEL_CACHE_DIR": folder}
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    calls, *seconds = map(float, text.split())
    names = "until_loops", "first", "median", "longest"
    return {"calls": calls} | {name: round(each * 1e3, 2) for name, each in zip(names, seconds, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--sizes", nargs="*", type=int, default=[10**4, 10**5, 10**6, 10**7])
    parser.add_argument("--only", nargs="*", default=[*PROGRAMS])
    parser.add_argument("--dtype", default="float64")
    options = parser.parse_args()
    compiled_functions._WORTH = 0
    results: dict[str, Any] = {"threads": accel.config.current().threads}
    for name in options.only:
        for size in options.sizes:
            times = least(PROGRAMS[name], size, options.dtype, options.rounds)
            result = {key: round(value, 1) for key, value in times.items()}
            result |= {f"ratio_{key}": round(times["numpy"] / times[key], 2) for key in ("before", "one", "all")}
            results.setdefault(name, {})[str(size)] = result
            print(f"{name:22s}{size:10d}", result, file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a new process", "a later one"):
            results[name] = new_process(10**6, folder)
            print(f"{name:22s}", results[name], file=sys.stderr)
    report("array_loops", results)


if __name__ == "__main__":
    main()
