"""Layouts: the cost of calls, construction and algebra, against tensor-layouts and the minimum possible in Python.

python benchmarks/layout.py [--quick]

The rival is tensor-layouts 0.3.2: ``pip install tensor-layouts==0.3.2``. Without it the report says that it is missing.

"uncached" means that no result is in a cache: all calls have different arguments, made before the clock starts, and the
caches of the library are cleared before each round.
"""

import argparse
import gc
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from time import perf_counter_ns
from types import ModuleType
from typing import Any

import numpy as np
from timing import medians, process_medians, report

from accel import layout as ours

try:
    import tensor_layouts as rival
except ImportError:
    rival = None

Arguments = Callable[[type, int], tuple[Any, ...]]

OPERATIONS: dict[str, Arguments] = {
    "composition": lambda of, k: (of((16, 8), (1, 16 * k)), of((4, 8), (2, 16))),
    "complement": lambda of, k: (of((4, 8), (1, 8)), 64 * k),
    "logical_divide": lambda of, k: (of((16, 8), (1, 16 * k)), of(4, 2)),
    "logical_divide by mode": lambda of, k: (of((16, 8), (1, 16 * k)), (of(4, 1), of(2, 1))),
    "max_common_vector": lambda of, k: (of((4, 8), (1, 4 * k)), of((4, 8), (1, 16))),
}
"""A function of a layout class and a number; each number from 1 on gives different layouts."""

RIVAL_NAMES = {"composition": "compose"}


def function(library: ModuleType, operation: str) -> Callable[..., object]:
    name = operation.split(maxsplit=1)[0]
    return getattr(library, name if library is ours else RIVAL_NAMES.get(name, name))


def caches() -> Iterator[Any]:
    """Yield the caches of the functions of `accel.layout`."""
    for name in [name for name in sys.modules if name.startswith("accel.layout.")]:
        yield from (value for value in vars(sys.modules[name]).values() if hasattr(value, "cache_clear"))


def uncached(operation: str, *, number: int, rounds: int) -> Mapping[str, float]:
    """Return median nanoseconds of a call with arguments that are in no cache, the libraries in turn."""
    libraries = {"uncached": ours} | ({"rival": rival} if rival else {})
    times: dict[str, list[float]] = {name: [] for name in libraries}
    for _ in range(rounds + 1):
        for name, library in libraries.items():
            times[name].append(first_calls(library, operation, number) / number)
    return {name: statistics.median(result[1:]) for name, result in times.items()}


def first_calls(library: ModuleType, operation: str, number: int) -> int:
    """Return the nanoseconds of ``number`` calls, each with new arguments."""
    called = function(library, operation)
    fresh = [OPERATIONS[operation](library.Layout, k) for k in range(1, number + 1)]
    for cache in caches():
        cache.cache_clear()
    gc.collect()
    gc.disable()
    start = perf_counter_ns()
    for arguments in fresh:
        called(*arguments)
    elapsed = perf_counter_ns() - start
    gc.enable()
    return elapsed


def algebra(number: int, rounds: int) -> Mapping[str, object]:
    """Microseconds of each operation, with filled and with empty caches."""
    result = {}
    for operation, arguments in OPERATIONS.items():
        prepared, called = arguments(ours.Layout, 3), function(ours, operation)
        again = {
            "cached": lambda prepared=prepared, called=called: called(*prepared),
            "limit of a cache": lambda prepared=prepared: remembered(*prepared),
        }
        row = {**uncached(operation, number=number, rounds=rounds), **medians(again, number=number, rounds=rounds)}
        result[operation] = {name: time / 1e3 for name, time in row.items()} | over(row, "uncached", "cached")
    return result


@lru_cache
def remembered(*arguments: object) -> object:
    """Cache the result: the minimum cost of a cache in Python with these arguments."""
    return arguments


def over(row: Mapping[str, float], *names: str) -> Mapping[str, float]:
    """Return how many times as long the rival takes."""
    return {f"rival over {name}": row["rival"] / row[name] for name in names if "rival" in row}


def calls(number: int) -> Mapping[str, object]:
    """Nanoseconds of a call; the overhead of the call is not subtracted."""
    flat, nested = ((4, 8), (8, 1)), (((2, 2), 8), ((1, 16), 2))

    def of(library: ModuleType) -> Mapping[str, Callable[[], object]]:
        result, deep, line = library.Layout(*flat), library.Layout(*nested), library.Layout(*flat)
        return {
            "layout(i, j)": lambda: result(2, 3),
            "layout(i)": lambda: line(11),
            "nested layout(i, j)": lambda: deep(3, 5),
            "construction": lambda: library.Layout(*flat),
            "construction, nested": lambda: library.Layout(*nested),
            "construction, column-major": lambda: library.Layout(flat[0]),
        }

    def least(i: int, j: int) -> int:
        return 8 * i + j

    mine, theirs = of(ours), of(rival) if rival else {}
    result = {}
    for name, run in mine.items():
        rivals = {"ours": run, "limit": (lambda: least(2, 3)) if "layout(" in name else (lambda: (flat, nested))}
        row = medians(rivals | ({"rival": theirs[name]} if rival else {}), number=number)
        result[name] = row | over(row, "ours")
    return result


def tables(size: int, rounds: int) -> Mapping[str, object]:
    """Milliseconds for all offsets, against NumPy's outer sum, and against writing as many integers."""
    rows = 1000
    columns = size // rows
    matrix = ours.Layout((columns, rows), (1, columns * 2))
    deep = ours.Layout(((columns // 10, 10), (10, rows // 10)), ((1, columns), (columns // 10, columns * 20)))
    target = np.empty(size, np.int64)
    times = medians(
        {
            "offsets": lambda: ours.offsets(matrix),
            "offsets, four leaves": lambda: ours.offsets(deep),
            "outer": lambda: np.add.outer(np.arange(rows) * (columns * 2), np.arange(columns)),
            "limit": lambda: target.fill(1),
        },
        number=1,
        rounds=rounds,
    )
    return {
        "offsets, ms": times["offsets"] / 1e6,
        "offsets of four leaves, ms": times["offsets, four leaves"] / 1e6,
        "outer sum of aranges, ms": times["outer"] / 1e6,
        "limit: fill as much memory, ms": times["limit"] / 1e6,
        "offsets over the outer sum (aim 2)": times["offsets"] / times["outer"],
        "offsets of four leaves over the outer sum (aim 2)": times["offsets, four leaves"] / times["outer"],
    }


def importing(rounds: int) -> Mapping[str, float]:
    """Milliseconds of a process that imports the byte-compiled library, more than one that does nothing."""
    statements = {"nothing": "pass", "accel.layout": "import accel.layout"}
    if rival:
        statements["rival"] = "import tensor_layouts"
    times = process_medians(statements, rounds=rounds)
    return {
        f"import {name} over Python's start, ms": time - times["nothing"]
        for name, time in times.items()
        if name != "nothing"
    }


def met(results: Mapping[str, Any]) -> Mapping[str, bool]:
    """Return, for each promise, whether it holds."""
    call, table = results["calls, ns"]["layout(i, j)"], results["offsets of 1e7"]
    lines = {
        "layout(i, j) under 1 us": call["ours"] < 1000,
        "offsets within 2x of the outer sum": table["offsets over the outer sum (aim 2)"] < 2,
        "import under 15 ms": results["import"]["import accel.layout over Python's start, ms"] < 15,
    }
    if rival:
        rows = results["algebra, us"].values()
        lines |= {
            "layout(i, j) 5x faster": call["rival over ours"] >= 5,
            "construction 5x faster": results["calls, ns"]["construction"]["rival over ours"] >= 5,
            "algebra uncached 5x faster": all(row["rival over uncached"] >= 5 for row in rows),
            "algebra cached 50x faster": all(row["rival over cached"] >= 50 for row in rows),
        }
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few rounds only")
    quick = parser.parse_args().quick
    number, rounds = (200, 5) if quick else (2000, 25)
    results = {
        "rival": "tensor-layouts" if rival else "missing: pip install tensor-layouts==0.3.2",
        "calls, ns": calls(number * 5),
        "algebra, us": algebra(number, rounds),
        "offsets of 1e7": tables(10**7, 5 if quick else 15),
        "import": importing(rounds),
    }
    report("layout", results | {"promises": met(results)})
