"""Fused functions: how many times faster than NumPy, beside unfused ones, JAX, numba, numexpr and PyTorch.

python benchmarks/fuse.py [PATH...] [--parts NAME...] [--only NAME...] [--size N] [--preset S] [--threads 1 2]

Each PATH is a checkout of pyhpc-benchmarks or of NPBench; nothing of them is copied here. The parts:

- expressions: five of one line, with results in new memory and in memory that is there;
- pyhpc: three programs, the version for CuPy fused (or that for NumPy), and those for JAX, numba and PyTorch;
- npbench: the versions for CuPy, and those for JAX and numba, at the sizes that NPBench calls ``--preset``;
- short: the sixteen programs of `array_programs.py`;
- starts: the seconds of first calls of pyhpc's programs, and of those in a later process, which finds compiled code;
- calls: nanoseconds of calls of fused functions on a thousand elements, and of a plain kernel.

Each program runs in a process of its own, which uses so many processors and is ended after ``--limit`` seconds. Its
versions are called by turns, and the least time counts. A version is left out if its library is not installed, or not
one of ``--libraries``, whose compilers may take most of the limit. If it raises or is wrong, the text is printed, and
it has no ratio. Where a function is refused because it needs elements, ``in_parts`` says why, and it runs in parts.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from array_programs import PROGRAMS
from fuse_one import EXPRESSIONS, LIBRARIES
from timing import report

PARTS = ("expressions", "pyhpc", "npbench", "short", "starts", "calls")


def names_of(part: str, paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Yield the names of the programs of a part, each with the path of its checkout."""
    if part in ("expressions", "short", "calls"):
        yield from ((name, "") for name in {"expressions": EXPRESSIONS, "short": PROGRAMS}.get(part, ["small arrays"]))
    for path in paths:
        folders = path / "bench_info", path / "benchmarks"
        if part == "npbench" and folders[0].is_dir():
            yield from ((file.stem, str(path)) for file in sorted(folders[0].glob("*.json")))
        if part in ("pyhpc", "starts") and not folders[0].is_dir():
            yield from ((file.parent.name, str(path)) for file in sorted(folders[1].glob("*/__init__.py")))


def child(task: Mapping[str, Any], threads: int, limit: float, cache: str) -> dict[str, Any]:
    """Return the last line of a process that measures a task, with what happened to the process if it failed.

    Compiled code is kept in a folder, ``cache``.
    """
    numbers = dict.fromkeys(("NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS"), str(threads))
    environment = {**os.environ, **numbers, "JAX_ENABLE_X64": "1"}
    environment |= {"XDG_CACHE_HOME": cache, "NUMBA_CACHE_DIR": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process would compile the library's modules anew
    command = [sys.executable, str(Path(__file__).with_name("fuse_one.py")), json.dumps(task)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    )
    problem = ""
    try:
        lines, errors = process.communicate(timeout=limit)
        if process.returncode:
            problem = (errors.strip().splitlines() or [f"it ended with {process.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        process.kill()
        lines, _ = process.communicate()
        problem = f"it was ended after {limit:g} s"
    found: dict[str, Any] = json.loads(lines.splitlines()[-1]) if lines else {}
    if problem:
        found.setdefault("wrong", {})["process"] = problem
    return found


def line_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is printed of a program: ratios to NumPy, the seconds of the first calls, and what is wrong."""
    least = found.get("least_s", {})
    in_parts = {"in_parts": found["in_parts"][0][:200]} if found.get("in_parts") else {}
    return {
        "over_numpy": {way: _short(least["numpy"] / seconds) for way, seconds in least.items() if way != "numpy"},
        "first_s": {way: _short(seconds) for way, seconds in found.get("first_s", {}).items()},
        "numpy_ms": _short(least["numpy"] * 1e3) if "numpy" in least else None,
        "wrong": found.get("wrong", {}),
        **in_parts,
    }


def measured(task: Mapping[str, Any], threads: int, limit: float) -> dict[str, Any]:
    """Return what is printed of the program of a task."""
    with tempfile.TemporaryDirectory() as cache:
        found = child(task, threads, limit, cache)
    return found if task["part"] == "calls" else line_of(found)


def started(task: Mapping[str, Any], threads: int, limit: float) -> dict[str, Any]:
    """Return the seconds of the first calls in a process that finds no compiled code, and in one after it."""
    with tempfile.TemporaryDirectory() as cache:
        first, later = [line_of(child(task, threads, limit, cache)) for _ in range(2)]
    return {"first_s": first["first_s"], "later_process_s": later["first_s"], "wrong": first["wrong"] | later["wrong"]}


def summary(lines: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each way how many programs have a ratio, and the geometric mean of these."""
    ratios: defaultdict[str, list[float]] = defaultdict(list)
    for line in lines.values():
        for way, ratio in line.get("over_numpy", {}).items():
            ratios[way].append(ratio)
    means = {way: _short(math.exp(sum(map(math.log, each)) / len(each))) for way, each in ratios.items()}
    return {way: {"programs": len(ratios[way]), "of": len(lines), "geometric_mean": means[way]} for way in ratios}


def _short(number: float) -> float:
    return float(f"{number:.3g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS)
    parser.add_argument("--only", nargs="*", default=(), help="names of programs")
    parser.add_argument("--size", type=int, default=10**6, help="elements, except of NPBench")
    parser.add_argument("--preset", default="S", help="the size for NPBench: S, M, L or paper")
    parser.add_argument("--threads", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--libraries", nargs="*", default=LIBRARIES, choices=LIBRARIES, help="that are compared")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a program")
    options = parser.parse_args()
    results: dict[str, Any] = {}
    processors = sorted(os.sched_getaffinity(0))
    for threads in options.threads:
        os.sched_setaffinity(0, processors[:threads])  # that of the processes too
        for part in options.parts:
            lines: dict[str, Any] = {}
            for name, path in names_of(part, [each.resolve() for each in options.paths]):
                if options.only and name not in options.only:
                    continue
                rounds, kind = (0, "pyhpc") if part == "starts" else (options.rounds, part)
                task = {"part": kind, "name": name, "size": options.size, "preset": options.preset}
                task |= {"rounds": rounds, "path": path, "libraries": options.libraries}
                lines[name] = (started if part == "starts" else measured)(task, threads, options.limit)
                print(threads, part, name, json.dumps(lines[name]), file=sys.stderr, flush=True)
            results[f"{part}, {threads} threads"] = {"summary": summary(lines), "programs": lines}
    report("fuse", results)


if __name__ == "__main__":
    main()
