"""Calls of arrays of a hundred elements: `accel.xp` beside NumPy, in one run, in nanoseconds.

python benchmarks/array_calls.py [--only TEXT...] [--rounds N]

Each line is one expression or statement of programs: indices, assignments, new arrays, conversions, numbers and
functions. It is timed with the arrays of both libraries by turns; the least time of all rounds counts. A goal is what
a line may cost over NumPy on a machine whose NumPy adds two arrays of a hundred elements in 320 ns, and is scaled by
the time of that addition here. The goal of a line of several calls is the sum of the goals of these.
"""

import argparse
import math
import operator
import sys
import timeit
from typing import Any, NamedTuple

import numpy as np
from timing import report

import accel.xp

USUAL_ADDITION = 320.0
"""Nanoseconds of NumPy's addition on the machine of the goals."""


INDEX, ASSIGNMENT, OPERATOR, FUNCTION = 350, 450, 300, 300
NUMBER = 700
"""The goal of a line that gets an element and computes with it."""


class Line(NamedTuple):
    """An expression or a statement, and what it may cost over NumPy; None if there is no goal."""

    text: str
    goal: int | None = None
    count: int = 1


def _lines(texts: str, goal: int | None = None, count: int = 1) -> tuple[Line, ...]:
    return tuple(Line(text.strip(), goal, count) for text in texts.strip().split(";"))


FAMILIES: dict[str, tuple[Line, ...]] = {
    "indices": (
        *_lines(
            "X[3, 4]; X[3, :50]; X[:, 3]; X[-1]; X[3]; x[5]; x[-1]; x[2:9]; X[1:-1, 2:]; X[..., 0]; T[1, 2, 3]", INDEX
        ),
        *_lines("x[None]; X[None, 3]; x[indices]; x[mask]; X[indices, 0]; x[[1, 2, 3]]"),
    ),
    "assignments": (
        *_lines("X[3, :] = v; X[3, 4] = s; x[5] = s; x[:] = s; X[:, 3] = 0.0", ASSIGNMENT),
        *_lines("x[2:9] = y[2:9]; X[1:, 1:] = X2[1:, 1:]", INDEX + ASSIGNMENT),
        *_lines("X[3, 4] += s", NUMBER + ASSIGNMENT),
        *_lines("X[3, :] += v", INDEX + OPERATOR + ASSIGNMENT),
        *_lines("X[3, :50] -= v[:50]", 2 * INDEX + OPERATOR + ASSIGNMENT),
        *_lines("x[indices] = 1.0; x[mask] = 0.0"),
    ),
    "numbers": (
        *_lines("float(x[5]); int(k[5]); bool(x[5])", 500),
        *_lines("x[5] * 2.0; x[5] > 0; -x[5]; x[5] * s; abs(x[5]); a0 * b0; a0 + 1.0; a0 < b0", NUMBER),
        *_lines("x[5] + x[6]", NUMBER + INDEX),
        *_lines("x * x[5]", INDEX + OPERATOR),
        *_lines("xp.sqrt(x[5])", INDEX + FUNCTION),
        *_lines("x * a0; np.sqrt(x[5]); math.sqrt(x[5])"),
    ),
    "new arrays": (
        *_lines(
            "xp.zeros(100); xp.empty(100); xp.ones(100); xp.full(100, 2.0); xp.empty_like(x); xp.zeros_like(x)", 400
        ),
        *_lines(
            "xp.zeros((10, 10)); xp.empty((10, 10), dtype=xp.float64); xp.arange(100); xp.linspace(0.0, 1.0, 100)", 400
        ),
        *_lines("xp.ones_like(x); xp.eye(10); x.copy(); xp.copy(x)", 400),
        *_lines(
            "xp.asarray(n); xp.array(n); xp.asarray([1.0, 2.0]); xp.array([1.0, 2.0]); xp.asarray(1.0); xp.asarray(x)",
            900,
        ),
    ),
    "operators": (
        *_lines("x + y; x * 2.0; x - 1; -x; x < y; x == y; abs(x); x ** 2; x / y; x @ y; X @ X2", OPERATOR),
        *_lines("iadd(x, y); imul(x, 1.0); k & k; x // y"),
    ),
    "functions": (
        *_lines(
            "xp.dot(x, y); xp.minimum(x, y); xp.maximum(x, 0.0); xp.sqrt(x); xp.exp(y); xp.abs(x); xp.log(y)",
            FUNCTION,
        ),
        *_lines(
            "xp.add(x, y); xp.multiply(x, y); xp.where(mask, x, y); xp.power(x, 2.0); xp.clip(x, 0.2, 0.8)",
            FUNCTION,
        ),
        *_lines(
            "xp.sum(x); xp.mean(x); xp.max(x); xp.min(x); xp.prod(x); xp.any(mask); xp.all(mask); xp.argmax(x)",
            FUNCTION,
        ),
        *_lines(
            "xp.sum(X, axis=0); xp.max(X, axis=1); x.sum(); x.mean(); x.max(); X.sum(axis=0); xp.std(x); xp.cumsum(x)",
            FUNCTION,
        ),
        *_lines(
            "xp.reshape(x, (10, 10)); x.reshape(10, 10); X.T; xp.transpose(X); x.astype(xp.float32); xp.flip(x)",
            FUNCTION,
        ),
        *_lines("xp.roll(x, 1); xp.concatenate((x, y)); xp.stack((x, y)); xp.expand_dims(x, 0)", FUNCTION),
        *_lines(
            "xp.outer(v, v); xp.matmul(X, X2); xp.tile(x, 2); xp.repeat(x, 2); xp.sort(x); xp.argsort(x); xp.diag(X)",
            FUNCTION,
        ),
        *_lines(
            "xp.triu(X); xp.broadcast_to(x, (3, 100)); xp.linalg.norm(x); xp.tensordot(X, X2); xp.nonzero(mask)",
            FUNCTION,
        ),
        *_lines("xp.sin(x); xp.floor(x); xp.isnan(x); xp.swapaxes(X, 0, 1); xp.take(x, indices)", FUNCTION),
        *_lines("x.flatten(); x.ravel(); X.transpose(); x.take(indices); x.repeat(2); x.argsort()", FUNCTION),
        *_lines("x.clip(0.2, 0.8); x.item(3); x.argmax(); x.dot(y)", FUNCTION),
        *_lines("xp.squeeze(X[:1])", INDEX + FUNCTION),
        *_lines("xp.histogram(x); xp.linalg.solve(A, b); xp.pad(X, 1); xp.meshgrid(v, v); xp.fft.fft(x)"),
    ),
    "attributes": (*_lines("x.shape; x.dtype; x.ndim; x.size; len(x); x.device; x.nbytes", 100),),
    "iteration": (
        Line("for _ in x: pass", 200, 100),
        Line("for _ in X: pass", INDEX, 100),
        Line("list(x)", 200, 100),
        Line("x.tolist()", FUNCTION),
        Line("for i in range(100): x[i] = s", ASSIGNMENT, 100),
    ),
}


def names(library: Any) -> dict[str, object]:
    """Return the arrays of the expressions, of a library."""
    values = np.linspace(0.01, 0.99, 100)
    square = np.linspace(0, 1, 10_000).reshape(100, 100)
    number = float(np.sqrt(0.25))

    def array(values: object) -> Any:
        return library.asarray(values, copy=True)

    return {
        "np": np,
        "xp": library,
        "math": math,
        "iadd": operator.iadd,
        "imul": operator.imul,
        "n": values,
        "x": array(values),
        "y": array(values + 1),
        "v": array(square[0]),
        "X": array(square),
        "X2": array(square + 1),
        "A": array(np.eye(10) + 1),
        "b": array(np.ones(10)),
        "T": array(square.reshape(10, 10, 100)),
        "k": array(np.arange(100)),
        "s": number,
        "mask": array(values > 0.5),
        "indices": array(np.array([3, 1, 4, 1, 5])),
        "a0": array(square)[3, 4],
        "b0": array(square)[3, 5],
    }


def least(line: Line, libraries: dict[str, dict[str, object]], rounds: int) -> dict[str, float]:
    """Return the least nanoseconds of a call, for each library."""
    timers = {name: timeit.Timer(line.text, globals=dict(found)) for name, found in libraries.items()}
    seconds = min(timers["numpy"].repeat(3, 20)) / 20
    number = max(1, min(2000, int(1e-3 / seconds)))
    times: dict[str, list[float]] = {name: [] for name in timers}
    for _ in range(rounds):
        for name, timer in timers.items():
            times[name].append(timer.timeit(number) / number * 1e9 / line.count)
    return {name: min(each) for name, each in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=(), help="families, or texts")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    libraries = {"numpy": names(np), "accel": names(accel.xp)}
    scale = least(Line("x + y"), libraries, 200)["numpy"] / USUAL_ADDITION
    results: dict[str, Any] = {"numpy_addition_ns": round(scale * USUAL_ADDITION)}
    missed = 0
    for family, lines in FAMILIES.items():
        for line in lines:
            if options.only and family not in options.only and line.text not in options.only:
                continue
            times = least(line, libraries, options.rounds)
            over = times["accel"] - times["numpy"]
            result: dict[str, object] = {name: round(each) for name, each in times.items()} | {"over": round(over)}
            if line.goal is not None:
                result["goal"] = round(line.goal * scale)
                missed += over > line.goal * scale
            results.setdefault(family, {})[line.text] = result
            shown = (
                "" if line.goal is None else f"{line.goal * scale:8.0f}{' missed' if over > line.goal * scale else ''}"
            )
            print(f"{line.text:42s}{times['numpy']:8.0f}{times['accel']:8.0f}{over:8.0f}{shown}", file=sys.stderr)
    report("array_calls", results | {"goals_missed": missed})


if __name__ == "__main__":
    main()
