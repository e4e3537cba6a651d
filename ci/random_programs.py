"""Compares random array programs fused and unfused, bit for bit; prints a line for each that differs, and exits with 1.

The programs are those of tests/fuse. They run in processes of some hundred each, so one that ends its process is a
line too. After each process a line says how far all are done: a later run can begin there. LLVM compiles without
optimisation, ten times as fast, but for one process in `--optimised`; the results are the same.
"""

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

__all__: list[str] = []

_AT_ONCE = 400
"""Programs of a process, which keeps the code of all of them."""


def main() -> int:
    """Run processes with programs, and return the exit status."""
    options = _options()
    if options.one_process:
        _run(options)
        return 0
    starts = range(options.seed, options.seed + options.count, _AT_ONCE)
    failures, began = 0, time.monotonic()
    with ThreadPoolExecutor(options.processes) as pool:
        for first, found in zip(starts, pool.map(lambda first: [*_lines(options, first)], starts), strict=True):
            failures += len(found)
            for line in found:
                print(line, flush=True)
            last = min(first + _AT_ONCE, options.seed + options.count)
            seconds = time.monotonic() - began
            print(
                f"# up to seed {last}: {failures} differ; {(last - options.seed) / seconds:.1f} programs a second",
                file=sys.stderr,
                flush=True,
            )
    return int(failures > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="of programs")
    parser.add_argument("--seed", type=int, default=0, help="of the first one; the others follow")
    parser.add_argument("--device", default="cpu", help="cpu or sim")
    parser.add_argument(
        "--inexact",
        action="store_true",
        help="with functions such as exp and sums of floats, on the cpu: compared with the graph, run operation by "
        "operation, and each function and sum with one in higher precision",
    )
    parser.add_argument("--optimised", type=int, default=8, help="the code of one process in so many is optimised")
    parser.add_argument("--processes", type=int, default=1, help="at a time")
    parser.add_argument("--one-process", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _lines(options: argparse.Namespace, first: int) -> Iterator[str]:
    """Run a process with the programs from a seed on, and yield its lines."""
    count = min(_AT_ONCE, options.seed + options.count - first)
    command = [sys.executable, "-B", __file__, "--one-process", f"--count={count}", f"--seed={first}"]
    command += [f"--device={options.device}", f"--optimised={options.optimised}"]
    command += ["--inexact"] if options.inexact else []
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = process.stdout.splitlines()
    yield from (line for line in lines if not line.startswith("#"))
    if process.returncode:
        reached = next((line.removeprefix("# ") for line in reversed(lines) if line.startswith("#")), first)
        said = (process.stderr.strip().splitlines() or [""])[-1]
        yield f"seed {reached}: the process ended with {process.returncode}: {said}"


def _run(options: argparse.Namespace) -> None:
    """Compare programs in this process."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    warnings.simplefilter("ignore")
    from accel.backends.common.host_code import machine_code

    import accel
    from tests.fuse.by_operation import compared_by_operation
    from tests.fuse.comparison import compared
    from tests.fuse.programs import written

    if options.seed // _AT_ONCE % options.optimised:
        machine_code.level = 0
    accel.configure(cache_dir=os.devnull)  # programs are different ones
    with np.errstate(all="ignore"):
        for seed in range(options.seed, options.seed + options.count):
            print(f"# {seed}", flush=True)
            program: Any = written(Random(seed), inexact=options.inexact)
            try:
                if options.inexact:
                    compared_by_operation(program, accel.fuse(program.function))
                else:
                    compared(program, options.device)
            except Exception as error:
                said = " ".join(f"{type(error).__name__}: {error}".split())
                print(f"seed {seed}: {said[:300]}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
