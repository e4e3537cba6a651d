"""Sixteen short array programs: `accel.xp` beside NumPy, in one run.

python benchmarks/array_programs.py [--sizes N...] [--rounds N] [--only NAME...] [--threads N]

Each program is one function, which is called with NumPy and with `accel.xp` by turns, on the same values. Its results
are compared before it is timed. The least time of all rounds counts, and the ratio says how many times faster than
NumPy that is. A short program has more rounds. NumPy's times depend on what the process freed before: the page faults
say whether the system cleared memory in each call. Sizes are elements of its largest input.
"""

# ruff: noqa: ARG001 -- all programs have the same parameters

import argparse
import math
import resource
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from timing import report

import accel
from accel import xp

PROGRAMS: dict[str, Callable[..., Any]] = {}

MOST_SECONDS = 1.0
"""Seconds for the rounds of a program that is longer than the least number of rounds allows."""


def _program(function: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS[function.__name__] = function
    return function


@_program
def multiply_add(xp: Any, a: Any, b: Any) -> Any:
    return a * b + a


@_program
def jacobi(xp: Any, a: Any, b: Any) -> Any:
    x = a.reshape(_rows(a), -1)
    return 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])


@_program
def softmax(xp: Any, a: Any, b: Any) -> Any:
    x = a.reshape(_rows(a), -1)
    powers = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return powers / xp.sum(powers, axis=1, keepdims=True)


@_program
def k_means(xp: Any, a: Any, b: Any) -> Any:
    points = a.reshape(-1, 5)
    centres = points[:4]
    distances = xp.stack([xp.sum((points - centres[i]) ** 2, axis=1) for i in range(4)])
    nearest = xp.argmin(distances, axis=0)
    return xp.stack([xp.mean(points[nearest == i], axis=0) for i in range(4)])


@_program
def black_scholes(xp: Any, a: Any, b: Any) -> Any:
    spot, strike, years, rate, volatility = a + 1.0, b + 1.0, 1.5, 0.03, 0.2
    spread = volatility * math.sqrt(years)
    d1 = (xp.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    first = 1.0 / (1.0 + xp.exp(-1.702 * d1))
    second = 1.0 / (1.0 + xp.exp(-1.702 * d2))
    return spot * first - strike * math.exp(-rate * years) * second


@_program
def n_body(xp: Any, a: Any, b: Any) -> Any:
    bodies = math.isqrt(a.size)
    position = a[: 2 * bodies].reshape(bodies, 2)
    offset = position[None, :, :] - position[:, None, :]
    distance = xp.sqrt(xp.sum(offset * offset, axis=2) + 0.01)
    return xp.sum(offset / (distance**3)[:, :, None], axis=1)


@_program
def mandelbrot(xp: Any, a: Any, b: Any) -> Any:
    c = (3.0 * a - 2.0) + 1j * (2.0 * b - 1.0)
    z = xp.zeros_like(c)
    steps = xp.zeros(c.shape, dtype=xp.int64)
    for _ in range(6):
        inside = xp.abs(z) < 2.0
        z = xp.where(inside, z * z + c, z)
        steps += inside
    return steps


@_program
def moving_average(xp: Any, a: Any, b: Any) -> Any:
    sums = xp.cumulative_sum(a)
    return (sums[10:] - sums[:-10]) / 10.0


@_program
def equalisation(xp: Any, a: Any, b: Any) -> Any:
    levels = xp.astype(a * 255.0, xp.int64)
    counts = xp.bincount(levels, minlength=256)
    shares = xp.cumulative_sum(counts) / levels.size
    return xp.take(shares, levels)


@_program
def normalisation(xp: Any, a: Any, b: Any) -> Any:
    x = a.reshape(-1, 10)
    return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)


@_program
def solution(xp: Any, a: Any, b: Any) -> Any:
    n = math.isqrt(a.size)
    return xp.linalg.solve(a[: n * n].reshape(n, n) + n * xp.eye(n), b[:n])


@_program
def filtered(xp: Any, a: Any, b: Any) -> Any:
    spectrum = xp.fft.rfft(a)
    spectrum[spectrum.size // 4 :] = 0.0
    return xp.fft.irfft(spectrum, n=a.size)


@_program
def regression(xp: Any, a: Any, b: Any) -> Any:
    x = a.reshape(-1, 10)
    y = b[: x.shape[0]] > 0.5
    weights = xp.zeros(10)
    for _ in range(3):
        odds = 1.0 / (1.0 + xp.exp(-(x @ weights)))
        weights = weights - 0.1 * (x.T @ (odds - y)) / x.shape[0]
    return weights


@_program
def life(xp: Any, a: Any, b: Any) -> Any:
    cells = xp.astype(a.reshape(_rows(a), -1) > 0.6, xp.int8)
    near = xp.zeros_like(cells)
    for rows, columns in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        near += xp.roll(cells, (rows, columns), axis=(0, 1))
    return (near == 3) | ((cells == 1) & (near == 2))


@_program
def ranks(xp: Any, a: Any, b: Any) -> Any:
    ordered = xp.sort(a)
    return xp.searchsorted(ordered, b[: a.size // 10]) / a.size


@_program
def distances(xp: Any, a: Any, b: Any) -> Any:
    n = math.isqrt(a.size)
    x, y = a[: 3 * n].reshape(n, 3), b[: 3 * n].reshape(n, 3)
    squares = xp.sum(x * x, axis=1)[:, None] + xp.sum(y * y, axis=1)[None, :]
    return xp.sqrt(xp.maximum(squares - 2.0 * (x @ y.T), 0.0))


def _rows(a: Any) -> int:
    """Return the extent of a power of ten of elements as a matrix: 10 for 1000, and 100 for 10^5."""
    return int(10 ** (int(math.log10(a.size) + 0.5) // 2))


def least(program: Callable[..., Any], size: int, rounds: int, threads: int) -> dict[str, Any]:
    """Return the least microseconds of NumPy and of accel, and the page faults of the last call of each."""
    random = np.random.default_rng(0)
    natives = random.random(size), random.random(size)
    operands = tuple(xp.asarray(each, copy=True) for each in natives)
    with accel.using(threads=threads):
        start = perf_counter()
        expected = program(np, *natives)
        seconds = perf_counter() - start
        np.testing.assert_allclose(program(xp, *operands).to_numpy(), expected, rtol=1e-7, atol=1e-12)
        del expected
        times: dict[str, list[float]] = {"numpy": [], "accel": []}
        faults: dict[str, int] = {}
        for _ in range(max(rounds, min(200, int(MOST_SECONDS / 2 / seconds)))):
            for name, library, arguments in (("numpy", np, natives), ("accel", xp, operands)):
                before = _faults()
                start = perf_counter()
                program(library, *arguments)
                times[name].append((perf_counter() - start) * 1e6)
                faults[name] = _faults() - before
    return {name: round(min(each), 1) for name, each in times.items()} | {"faults": faults}


def _faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="*", type=int, default=[10**3, 10**5, 10**6, 10**7])
    parser.add_argument("--rounds", type=int, default=5, help="the least number")
    parser.add_argument("--only", nargs="*", default=[*PROGRAMS])
    parser.add_argument("--threads", type=int, default=accel.config.current().threads)
    options = parser.parse_args()
    results: dict[str, Any] = {"threads": options.threads}
    for size in options.sizes:
        lines: dict[str, Any] = {}
        for name in options.only:
            times = least(PROGRAMS[name], size, options.rounds, options.threads)
            lines[name] = times | {"ratio": round(times["numpy"] / times["accel"], 3)}
            print(f"{size:10d} {name:16s}", lines[name], file=sys.stderr, flush=True)
        logarithms = [math.log(each["ratio"]) for each in lines.values()]
        mean = math.exp(sum(logarithms) / len(logarithms))
        below = [name for name, each in lines.items() if each["ratio"] < 0.95]
        results[str(size)] = {"geometric_mean": round(mean, 3), "below_0.95": below, "programs": lines}
    report("array_programs", results)


if __name__ == "__main__":
    main()
