"""Arrays: `accel.xp` beside NumPy, array_api_strict and, where it is installed, PyTorch, in one run.

python benchmarks/array_api.py [--quick]

Each line is one expression, timed with the arrays of each library in turn; the time of an empty call is taken off. A
limit says how much `accel.xp` may take, in nanoseconds: in all, or more than NumPy. The simulated device is timed for
information.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace
from timing import medians, process_medians, report

os.environ.setdefault("ARRAY_API_STRICT_API_VERSION", "2025.12")

LARGE = 1_000_000
RATIO = 1.02
FIRST_ARRAY = 60


class Line(NamedTuple):
    """An expression, and its limit in nanoseconds: over NumPy, or in all if ``absolute``; None if there is none."""

    text: str
    limit: int | None = None
    absolute: bool = False


LINES = (
    Line("x + y", 200),
    Line("x + 1.0", 200),
    Line("-x", 200),
    Line("x == y", 200),
    Line("matrix @ matrix", 300),
    Line("x[0]", 350, absolute=True),
    Line("x[:]", 250, absolute=True),
    Line("x.shape", 50, absolute=True),
    Line("array_namespace(x)", 1000, absolute=True),
    Line("xp.add(x, y)", 400),
    Line("xp.sin(x)", 400),
    Line("xp.where(mask, x, y)", 400),
    Line("xp.matmul(matrix, matrix)", 300),
    Line("xp.sum(x)", 0),
    Line("xp.max(x)", 0),
    Line("xp.mean(x)", 0),
    Line("xp.argmax(x)", 400),
    Line("xp.std(x)", 1000),
    Line("xp.clip(x, 0.2, 0.8)", 1000),
    Line("xp.linalg.qr(matrix)", 1000),
    Line("xp.linalg.svd(matrix)", 1000),
    Line("xp.unique_values(x)", 1000),
    Line("xp.unique_counts(x)", 1000),
    Line("xp.unique_inverse(x)", 1000),
    Line("xp.unique_all(x)", 1000),
    Line("xp.concat([x, y])"),
    Line("xp.stack([x, y])"),
    Line("xp.sort(x)"),
    Line("xp.reshape(x, (10, 10))"),
    Line("xp.zeros(100)"),
    Line("xp.arange(100)"),
)
# The libraries share the memory of the large ones: where it is matters to the time.
_VALUES = {size: (np.linspace(0, 1, size), np.linspace(1, 2, size)) for size in (100, LARGE)}
LARGE_LINES = ("x + y", "xp.sin(x)", "xp.sum(x)", "xp.concat([x, y])")


def libraries() -> dict[str, Any]:
    """Return the namespaces to compare, by name."""
    named = {"accel": "accel.xp", "numpy": "numpy", "strict": "array_api_strict", "torch": "torch"}
    return {name: import_module(module) for name, module in named.items() if find_spec(module)}


def functions(xp: Any, texts: Iterable[str], size: int, **options: Any) -> dict[str, Callable[[], object]]:
    """Return a function for each expression that a library can evaluate."""
    # Small arrays are copies: on memory that has a storage, each call would also look for pending work.
    x, y = (xp.asarray(values, copy=None if size == LARGE else True, **options) for values in _VALUES[size])
    matrix = xp.reshape(x, (10, 10)) if size == 100 else None
    names = {"array_namespace": array_namespace, "mask": x < 0.5, "matrix": matrix, "x": x, "xp": xp, "y": y}
    result = {text: eval(f"lambda: {text}", names) for text in texts}
    return {text: function for text, function in result.items() if _works(function)}


def _works(function: Callable[[], object]) -> bool:
    try:
        function()
    except (AttributeError, TypeError):  # PyTorch lacks some functions of the standard
        return False
    return True


def small(*, number: int, rounds: int) -> dict[str, dict[str, object]]:
    """Time each line with 100 elements in each library."""
    rivals: dict[tuple[str, str], Callable[[], object]] = {("nothing", ""): lambda: None}
    for name, xp in libraries().items():
        result = functions(xp, (line.text for line in LINES), 100)
        rivals |= {(name, text): function for text, function in result.items()}
    simulated = functions(libraries()["accel"], ["x + y", "xp.sin(x)", "x[:]"], 100, device="sim")
    rivals |= {("sim", text): function for text, function in simulated.items()}
    # In the order of the lines, so that the libraries are timed right after each other.
    order = ["", *(line.text for line in LINES)]
    times = medians(
        dict(sorted(rivals.items(), key=lambda rival: order.index(rival[0][1]))), number=number, rounds=rounds
    )
    nothing = times.pop(("nothing", ""))
    return {line.text: _judged(line, times, nothing) for line in LINES}


def _judged(line: Line, times: Mapping[tuple[str, str], float], nothing: float) -> dict[str, object]:
    """Return the times of a line by library, and how they compare with the limit."""
    net = {name: round(time - nothing) for (name, text), time in times.items() if text == line.text}
    over = net["accel"] - (0 if line.absolute else net["numpy"])
    result: dict[str, object] = {**net, "absolute" if line.absolute else "over numpy": over}
    return result if line.limit is None else {**result, "limit": line.limit, "met": over <= line.limit}


def large(*, rounds: int) -> dict[str, dict[str, object]]:
    """Time lines with a million elements, where the computation is all that may be noticed."""
    rivals = {
        (name, text): function
        for text in LARGE_LINES
        for name, xp in libraries().items()
        if name in ("accel", "numpy")
        for function in functions(xp, [text], LARGE).values()
    }
    times = medians(rivals, number=5, rounds=rounds)
    ratios = {text: round(times["accel", text] / times["numpy", text], 3) for text in LARGE_LINES}
    return {text: {"ratio": ratio, "limit": RATIO, "met": ratio <= RATIO} for text, ratio in ratios.items()}


def first_array(*, rounds: int) -> dict[str, object]:
    """Time whole processes that make one array, in milliseconds."""
    modules = {"numpy": "numpy", "accel": "accel.xp", "strict": "array_api_strict", "torch": "torch"}
    statements = {
        name: f"import numpy, {module} as xp; xp.ones(3)" for name, module in modules.items() if find_spec(module)
    }
    times = {name: round(time, 1) for name, time in process_medians(statements, rounds=rounds).items()}
    over = round(times["accel"] - times["numpy"], 1)
    return {**times, "over numpy": over, "limit": FIRST_ARRAY, "met": over <= FIRST_ARRAY}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few rounds only")
    quick = parser.parse_args().quick
    results = {
        "ns, 100 elements": small(number=200 if quick else 1000, rounds=5 if quick else 21),
        f"ratio, {LARGE} elements": large(rounds=5 if quick else 21),
        "ms, a process with one array": first_array(rounds=3 if quick else 11),
    }
    report("array_api", {"numpy": np.__version__, **results})
