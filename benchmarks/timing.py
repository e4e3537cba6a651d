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
from functools import partial
from time import perf_counter, sleep

_BATCH = 1e-3
"""Seconds of a batch of calls."""
_DEPTHS, _APART = 5, 30
"""How many depths of the stack a call is measured at, and how many frames they are apart."""


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
    """Time each function up to ``number`` times a batch, the functions in turn; return the least nanoseconds a call.

    For the host's time of short calls: whatever else the machine does only adds to it. Before each batch ``between`` is
    called. A batch takes a millisecond at most: from longer ones, a machine in use takes the processor away each time.

    Each round has another depth of the stack. CPython allocates the frames of calls in chunks of 16 KiB. A call that
    begins a chunk maps its memory and unmaps it again, which takes ten microseconds; where in a function that happens,
    if it does, is decided by the depth alone.
    """
    seconds = dict.fromkeys(rivals, float("inf"))
    for turn in range(rounds):
        for name, function in rivals.items():
            between()
            calls = min(number, round(_BATCH / seconds[name]) or 1)
            batch = partial(timeit.timeit, function, number=calls)
            seconds[name] = min(seconds[name], _below(_APART * (turn % _DEPTHS), batch) / calls)
    return {name: least * 1e9 for name, least in seconds.items()}


def _below(frames: int, measure: Callable[[], float]) -> float:
    """Measure with more frames on the stack."""
    return _below(frames - 1, measure) if frames else measure()


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
