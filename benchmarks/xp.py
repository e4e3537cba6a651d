"""What `accel.xp` costs over NumPy, in nanoseconds, printed as JSON.

Every operation is timed in turn, many times over, so that a busy moment of the machine meets them all; what is printed
are medians. ``--quick`` makes a short run. The exit status is 1 if a gate does not hold.
"""

import argparse
import json
import os
import sys
import timeit
from collections.abc import Callable
from statistics import median

import numpy as np

from accel import xp

os.environ.setdefault("ARRAY_API_STRICT_API_VERSION", "2025.12")
import array_api_strict  # noqa: E402 - reads its version when it is imported

SIZE = 100


def operations() -> dict[str, Callable[[], object]]:
    """Return what is timed, by name."""
    n, m = np.linspace(0, 1, SIZE), np.linspace(1, 2, SIZE)
    x, y = xp.asarray(n, copy=True), xp.asarray(m, copy=True)
    r, s = xp.asarray(n, copy=True), xp.asarray(m, copy=True)
    assert r.storage is not s.storage, "these two have a record of their memory"
    p, q = array_api_strict.asarray(n), array_api_strict.asarray(m)
    return {
        "nothing": lambda: None,
        "numpy n + m": lambda: n + m,
        "x + y": lambda: x + y,
        "x + y with records": lambda: r + s,
        "array_api_strict x + y": lambda: p + q,
        "numpy n + 1.0": lambda: n + 1.0,
        "x + 1.0": lambda: x + 1.0,
        "numpy n[0]": lambda: n[0],
        "x[0]": lambda: x[0],
        "x[1:]": lambda: x[1:],
        "x.shape": lambda: x.shape,
        "numpy sum": lambda: np.sum(n),
        "xp.sum": lambda: xp.sum(x),
        "numpy sin": lambda: np.sin(n),
        "xp.sin": lambda: xp.sin(x),
        "numpy add": lambda: np.add(n, m),
        "xp.add": lambda: xp.add(x, y),
        "numpy where": lambda: np.where(n > 1, n, m),
        "xp.where": lambda: xp.where(x > 1, x, y),
        "numpy svd": lambda: np.linalg.svd(n.reshape(10, 10)),
        "xp.linalg.svd": lambda: xp.linalg.svd(xp.reshape(x, (10, 10))),
    }


OVER_NUMPY = {
    "x + y": ("numpy n + m", 350),
    "x + y with records": ("numpy n + m", 350),
    "x + 1.0": ("numpy n + 1.0", 350),
    "x[0]": ("nothing", 500),
    "x.shape": ("nothing", 90),
    "xp.sum": ("numpy sum", 0),
    "xp.sin": ("numpy sin", 2000),
    "xp.add": ("numpy add", 2000),
    "xp.where": ("numpy where", 2000),
    "xp.linalg.svd": ("numpy svd", 4000),
    "array_api_strict x + y": ("numpy n + m", None),
}
"""What each is compared with, and by how many nanoseconds it may be dearer."""


def measured(rounds: int, calls: int) -> dict[str, float]:
    """Return the median time of each operation, less that of calling nothing."""
    timed = {name: (timeit.Timer(call), []) for name, call in operations().items()}
    for _ in range(rounds):
        for timer, times in timed.values():
            times.append(timer.timeit(calls) / calls * 1e9)
    found = {name: median(times) for name, (_, times) in timed.items()}
    return {name: time - found["nothing"] for name, time in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run, less steady")
    rounds, calls = (15, 500) if parser.parse_args().quick else (100, 2000)
    times = measured(rounds, calls)
    gates = {
        name: {"over": rival, "by": round(times[name] - times[rival]), "at most": most}
        for name, (rival, most) in OVER_NUMPY.items()
    }
    failed = [name for name, gate in gates.items() if gate["at most"] is not None and gate["by"] > gate["at most"]]
    report = {"unit": "ns", "elements": SIZE, "times": {k: round(v) for k, v in times.items()}, "overhead": gates}
    print(json.dumps(report | {"failed": failed}, indent=2))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
