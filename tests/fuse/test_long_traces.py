"""Functions with loops of Python: the work of a trace grows as its number of steps, and results are as unfused."""

import sys
import tracemalloc
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp

DEVICES = ("cpu", "sim")
Function = Callable[..., Any]


def two_arrays(n: int) -> Function:
    def stepped(x: Any) -> Any:
        y = x + 0.0
        for _ in range(n):
            y[1:-1] = 0.25 * (x[:-2] + x[1:-1] + x[2:])
            x[1:-1] = 0.25 * (y[:-2] + y[1:-1] + y[2:])
        return y

    return stepped


def in_place(n: int) -> Function:
    def stepped(x: Any) -> Any:
        u = x * 2
        for _ in range(n):
            u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        return u

    return stepped


def swapped(n: int) -> Function:
    def stepped(x: Any) -> Any:
        y = xp.zeros_like(x)
        for _ in range(n):
            y[1:-1, 2:-2] = x[2:, 2:-2] - x[:-2, 2:-2] + 0.5 * x[1:-1, 4:]
            x, y = y, x
        return x

    return stepped


def of_rows(n: int) -> Function:
    def stepped(x: Any) -> Any:
        for k in range(n - 1):
            x[k + 1] -= x[k] * 0.5
        return x

    return stepped


def elimination(n: int) -> Function:
    def stepped(x: Any) -> Any:
        a = x + 1.0
        count = int((2 * n) ** 0.5)
        for k in range(count):
            for i in range(k + 1, count):
                a[i] -= a[k] * 0.25
        return a

    return stepped


def of_columns(n: int) -> Function:
    def stepped(x: Any) -> Any:
        p, q = xp.zeros_like(x), xp.zeros_like(x)
        for j in range(1, n):
            p[1:, j] = 1.0 / (3.0 - p[1:, j - 1])
            q[1:, j] = (x[:-1, j] - q[1:, j - 1]) * p[1:, j]
        for j in range(n - 2, -1, -1):
            x[1:-1, j] = p[1:-1, j] * x[1:-1, j + 1] + q[1:-1, j]
        return x

    return stepped


def of_columns_and_rows(n: int) -> Function:
    def stepped(x: Any) -> Any:
        p, q, v = xp.empty_like(x), xp.empty_like(x), xp.empty_like(x)
        for each in (p, q, v):
            each[...] = 1.0
        for j in range(1, n - 1):
            p[1 : n - 1, j] = 2.0 / (p[1 : n - 1, j - 1] + 3.0)
            q[1 : n - 1, j] = (x[j, : n - 2] - q[1 : n - 1, j - 1]) / (p[1 : n - 1, j - 1] + 2.0)
        for j in range(n - 2, 0, -1):
            v[j, 1 : n - 1] = p[1 : n - 1, j] * v[j + 1, 1 : n - 1] + q[1 : n - 1, j]
        return v

    return stepped


def growing(n: int) -> Function:
    def stepped(x: Any) -> Any:
        y = xp.empty_like(x[0])
        y[...] = 1.0
        for k in range(1, n):
            y[:k] += 0.25 * xp.flip(y[:k])
            y[k] = x[0, k] + y[k - 1]
        return y

    return stepped


def shortest_paths(n: int) -> Function:
    def stepped(x: Any) -> Any:
        y = x + 0.0
        for k in range(4):
            for i in range(n // 4):
                y[i, :] = xp.minimum(y[i, :], y[i, k] + y[k, :])
        return y

    return stepped


def relaxed(n: int) -> Function:
    def stepped(x: Any) -> Any:
        for i in range(1, n - 1):
            x[i, 1:-1] += x[i - 1, :-2] + x[i, 2:] + x[i + 1, 1:-1]
            x[i, 2] = x[i, 1] / 9.0
        return x

    return stepped


def of_elements(n: int) -> Function:
    def stepped(x: Any) -> Any:
        total = 0.0
        for k in range(n):
            total += xp.sqrt(xp.abs(x[k, k]))
        return x[0] + total

    return stepped


def elementwise(n: int) -> Function:
    def stepped(x: Any) -> Any:
        y = x
        for _ in range(n):
            y = y * 0.5 + x
        return y

    return stepped


def of_calls(n: int) -> Function:
    def stepped(x: Any) -> Any:
        y = xp.zeros_like(x)
        for k in range(n):
            y[k] = xp.sort(x[k] - 1.0) * 2
            y[:, k] += y[k, k]
        return y

    return stepped


LOOPS = [two_arrays, in_place, swapped, of_rows, elimination, of_columns, of_columns_and_rows, growing]
LOOPS += [shortest_paths, relaxed, of_elements, elementwise, of_calls]


def operand(n: int, device: str = "cpu") -> Any:
    return xp.asarray(np.random.default_rng(0).random((n, n)), device=device)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("loop", LOOPS)
def test_results_are_those_of_the_unfused_loop(loop: Callable[[int], Function], device: str) -> None:
    function = loop(40)
    fused = accel.fuse(function)
    for _ in range(2):
        one, other = operand(40, device), operand(40, device)
        results = fused(one), function(other)
        for found, expected in ((one, other), results):
            np.testing.assert_array_equal(*[np.asarray(each.to_device("cpu")) for each in (found, expected)])


def calls_of(function: Function, *operands: Any) -> int:
    """Return how many functions of Python are called while a function is traced, and its loops are written."""
    counter = count()
    fused = accel.fuse(function)
    sys.setprofile(lambda _, event, __: next(counter) if event == "call" else None)
    try:
        fused.explain(*operands)
    finally:
        sys.setprofile(None)
    return next(counter)


@pytest.mark.parametrize("loop", LOOPS)
def test_work_grows_with_the_number_of_steps(loop: Callable[[int], Function]) -> None:
    x = operand(500)
    few, many = (calls_of(loop(n), x) for n in (50, 500))
    assert many < 16 * few, f"{few} calls for 50 steps, {many} for 500"


def test_memory_does_not_grow_with_the_number_of_steps() -> None:
    x = operand(100)
    for loop in (two_arrays, in_place, swapped, of_rows, elementwise):
        fused = accel.fuse(loop(100))
        plan = fused._trace(*fused._bound((x,), {})).plan
        assert len(plan.buffers) <= 6, f"{loop.__name__}: {len(plan.buffers)} buffers"


def test_results_of_calls_are_freed_when_nothing_needs_them() -> None:
    def powers(x: Any) -> Any:
        for _ in range(20):
            x = x @ x * 0.001
        return x

    x, fused = operand(200), accel.fuse(powers)
    for _ in range(3):
        tracemalloc.start()
        try:
            fused(x)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert most < 5 * x.nbytes


def test_results_of_calls_are_not_held_on_devices() -> None:
    fused = accel.fuse(lambda x: x @ x @ x @ x)
    plan = fused._trace(*fused._bound((operand(9, "sim"),), {})).plan
    assert [len(each) for each in plan._unused.values()] == [0, 1, 1]


def test_a_loop_that_stores_with_gaps_follows_those_whose_elements_it_reads() -> None:
    def interleaved(x: Any) -> Any:
        w, v = xp.empty(10), xp.empty(10)
        w[::2] = x + 1
        w[1::2] = 0
        y = x * 2
        v[::2] = xp.sqrt(y) + 3
        v[1::2] = 1
        return w, y, v

    x = xp.arange(5.0)
    for found, expected in zip(accel.fuse(interleaved)(x), interleaved(x), strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
