"""Timing for the benchmarks: the competitors in turn, in one run; medians."""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable, Mapping
from time import perf_counter, sleep


def medians(
    rivals: Mapping[str, Callable[[], object]], *, number: int, rounds: int = 25, pause: float = 0
) -> dict[str, float]:
    """Time each function ``number`` times a round, the functions in turn; return median nanoseconds a call.

    The first round is not counted: the first access to memory is slow. A pause of so many seconds before each lets the
    threads of the one before go to sleep: those of OpenMP keep a processor busy for some milliseconds.
    """
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds + 1):
        for name, function in rivals.items():
            sleep(pause)
            times[name].append(timeit.timeit(function, number=number) / number * 1e9)
    return {name: statistics.median(result[1:]) for name, result in times.items()}


def leasts(
    rivals: Mapping[str, Callable[[], object]],
    *,
    number: int,
    rounds: int,
    between: Callable[[], object] = lambda: None,
) -> dict[str, float]:
    """Time each function ``number`` times a batch, the functions in turn; return the least nanoseconds a call.

    For the host's time of short calls: whatever else the machine does only adds to it. Before each batch ``between`` is
    called.
    """
    result = dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, function in rivals.items():
            between()
            result[name] = min(result[name], timeit.timeit(function, number=number) / number * 1e9)
    return result


def process_medians(statements: Mapping[str, str], *, rounds: int = 25) -> dict[str, float]:
    """Run each statement in fresh processes, in turn; return median milliseconds of the whole process.

    The first round, which compiles the modules of Python, is not counted.
    """
    times: dict[str, list[float]] = {name: [] for name in statements}
    with tempfile.TemporaryDirectory() as compiled:
        # An environment may forbid the files of bytecode, and an editable installation has none.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for _ in range(rounds + 1):
            for name, statement in statements.items():
                start = perf_counter()
                subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
                times[name].append((perf_counter() - start) * 1e3)
    return {name: statistics.median(result[1:]) for name, result in times.items()}


def report(name: str, results: Mapping[str, object]) -> None:
    """Print the results, and the machine."""
    machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    print(json.dumps({"benchmark": name, **machine, "results": results}, indent=2))
