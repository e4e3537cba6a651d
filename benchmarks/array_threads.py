"""Large arrays on the CPU: `accel.xp` with one thread and with all, beside NumPy, in one run.

python benchmarks/array_threads.py [--rounds N] [--sizes N...] [--only NAME...]

The least time of all rounds counts, and the ratio says how many times faster than NumPy that is.
"""

import argparse
import sys
from time import perf_counter
from typing import Any

import numpy as np
from timing import report

import accel
from accel import xp

PROGRAMS = {
    "a + b": "a + b",
    "a * b": "a * b",
    "a * b + a": "a * b + a",
    "exp": "xp.exp(a)",
    "sin": "xp.sin(a)",
    "sqrt": "xp.sqrt(a)",
    "a < b": "a < b",
    "where": "xp.where(a < b, a, b)",
    "astype": "a.astype('float32' if a.dtype == 'float64' else 'float64')",
    "copy": "a.copy()",
    "sum": "a.sum()",
    "mean": "a.mean()",
    "max": "a.max()",
    "sum of rows": "a.reshape((100, -1)).sum(1)",
    "sum of two axes": "a.reshape((100, 10, -1)).sum((0, 2))",
    "take": "xp.take(a, i)",
    "index": "a[i]",
    "mask": "a[b < 4]",
    "assign by a mask": "a.__setitem__(b < 4, 0)",
    "clip": "xp.clip(a, 2, 7)",
    "square": "a ** 2",
    "floor_divide": "a // (b + 1)",
    "a += b": "a.__iadd__(b)",
    "maximum, out=": "xp.maximum(a, b, out=a)",
}


def least(text: str, size: int, dtype: str, rounds: int) -> dict[str, float]:
    """Return the least microseconds of NumPy, of one thread, and of all."""
    random = np.random.default_rng(0)
    arrays = [(random.random(size) * 9).astype(dtype) for _ in range(2)]
    natives = (*arrays, random.integers(0, size, size))
    operands = {np: natives, xp: tuple(map(xp.asarray, natives))}
    program = eval(f"lambda xp, a, b, i: {text}")
    times: dict[str, list[float]] = {"numpy": [], "one": [], "all": []}
    for _ in range(rounds):
        for name, library in (("numpy", np), ("one", xp), ("all", xp)):
            with accel.using(**({"threads": 1} if name == "one" else {})):
                start = perf_counter()
                program(library, *operands[library])
                times[name].append((perf_counter() - start) * 1e6)
    return {name: min(each) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--sizes", nargs="*", type=int, default=[10**5, 10**6, 10**7])
    parser.add_argument("--only", nargs="*", default=[*PROGRAMS])
    options = parser.parse_args()
    results: dict[str, Any] = {"threads": accel.config.current().threads}
    for name in options.only:
        for dtype in ("float32", "float64", "int64"):
            for size in options.sizes:
                times = least(PROGRAMS[name], size, dtype, options.rounds)
                result = {key: round(value, 1) for key, value in times.items()}
                result |= {f"ratio_{key}": round(times["numpy"] / times[key], 2) for key in ("one", "all")}
                results.setdefault(name, {}).setdefault(dtype, {})[str(size)] = result
                print(f"{name:12s}{dtype:9s}{size:10d}", result, file=sys.stderr)
    report("array_threads", results)


if __name__ == "__main__":
    main()
