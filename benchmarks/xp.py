"""Arrays: the overhead of `accel.xp` over NumPy, in nanoseconds per call.

python benchmarks/xp.py [--quick]
"""

import argparse
import os
from collections.abc import Callable, Mapping

import numpy as np
from timing import medians, report

from accel import xp

os.environ.setdefault("ARRAY_API_STRICT_API_VERSION", "2025.12")
import array_api_strict

SIZE = 100


def operations() -> dict[str, Callable[[], object]]:
    """Return the timed functions, on arrays of 100 elements."""
    n, m = np.linspace(0, 1, SIZE), np.linspace(1, 2, SIZE)
    x, y, r, s = (xp.asarray(values, copy=True) for values in (n, m, n, m))
    assert r.storage is not s.storage, "this makes the shared storage of r and s"
    square, matrix = n.reshape(10, 10), xp.reshape(x, (10, 10))
    p, q = array_api_strict.asarray(n), array_api_strict.asarray(m)
    return {
        "nothing": lambda: None,
        "numpy n + m": lambda: n + m,
        "x + y": lambda: x + y,
        "x + y with shared storage": lambda: r + s,
        "rival array_api_strict x + y": lambda: p + q,
        "numpy n + 1.0": lambda: n + 1.0,
        "x + 1.0": lambda: x + 1.0,
        "x[0]": lambda: x[0],
        "x.shape": lambda: x.shape,
        "numpy sum": lambda: np.sum(n),
        "sum": lambda: xp.sum(x),
        "numpy sin": lambda: np.sin(n),
        "sin": lambda: xp.sin(x),
        "numpy add": lambda: np.add(n, m),
        "add": lambda: xp.add(x, y),
        "numpy concat": lambda: np.concat([n, m]),
        "concat": lambda: xp.concat([x, y]),
        "numpy qr": lambda: np.linalg.qr(square),
        "qr": lambda: xp.linalg.qr(matrix),
    }


def results(times: Mapping[str, float]) -> Mapping[str, float]:
    """Return the times without that of an empty call, and the overhead over NumPy."""
    net = {name: time - times["nothing"] for name, time in times.items()}

    def over(name: str, rival: str) -> float:
        return round(net[name] - net[rival])

    return {
        **{name: round(time) for name, time in net.items() if name != "nothing"},
        "x + y over numpy (limit 350, aim 250)": over("x + y", "numpy n + m"),
        "x + y with shared storage over numpy (limit 350)": over("x + y with shared storage", "numpy n + m"),
        "x + 1.0 over numpy (limit 350)": over("x + 1.0", "numpy n + 1.0"),
        "array_api_strict x + y over numpy": over("rival array_api_strict x + y", "numpy n + m"),
        "x[0] (limit 500)": round(net["x[0]"]),
        "x.shape (limit 90)": round(net["x.shape"]),
        "sum over numpy (limit 0)": over("sum", "numpy sum"),
        **{f"{name} over numpy (limit 2000)": over(name, f"numpy {name}") for name in ("sin", "add", "concat", "qr")},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few rounds only")
    quick = parser.parse_args().quick
    report("xp", results(medians(operations(), number=500 if quick else 5000, rounds=10 if quick else 51)))
