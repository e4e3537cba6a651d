"""Programs with `cupy.vectorize`, as `cupy_programs` has those with texts in CUDA."""

import math

import numpy as np
import pytest

from .cupy_programs import same

__all__ = ["VECTORIZE_PROGRAMS"]

SHIFT = 3


def types_are_those_of_operators_with_numbers_of_a_fixed_type(cp):
    @cp.vectorize
    def operators(x, y):
        return x + y, x + SHIFT, x * 0.1, x / y, x // 2, x % 2 - 3, -x, x**2

    i1, f4 = np.array([3, -4, 127], "i1"), np.array([3, -4, 0.5], "f4")
    for x in (i1, f4):
        y = np.array([1, 2, -3], x.dtype)
        expected = (x + y, x + np.int64(3), x * np.float64(0.1), x / y, x // np.int64(2), x % np.int64(2) - 3, -x)
        results = operators(cp.asarray(x), cp.asarray(y))
        for ours, theirs in zip(results, (*expected, x ** np.int64(2)), strict=True):
            same(cp, ours, theirs)


def choices_and_loops(cp):
    @cp.vectorize
    def collatz(n, most):
        steps = 0
        while n != 1 and steps < most:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    @cp.vectorize
    def powers(x, count):
        total = x * 0.0
        for k in range(1, count + 1):
            if k == 3:
                continue
            total += x**k
            if total > 100:
                break
        a, b = total, 0.0
        a, b = b, a
        return b if x > 1 else 0, cp.float32(a), max(x, 1, 2.5), not (x > 1), x > 0 and x < 2

    n = np.arange(1, 27)
    steps = [next(k for k in range(200) if orbit(value, k) == 1) for value in n]
    same(cp, collatz(cp.asarray(n), 100), np.array(steps))
    x = np.array([0.5, 1.5, 7.0])
    totals = [0.5 + 0.25 + 0.5**4, 1.5 + 1.5**2 + 1.5**4, 7.0 + 49 + 7**4]
    results = powers(cp.asarray(x), 4)
    same(cp, results[0], [0.0, totals[1], totals[2]])
    same(cp, results[1], np.zeros(3, "f4"))
    same(cp, results[2], [2.5, 2.5, 7.0])
    same(cp, results[3], x <= 1)
    same(cp, results[4], (x > 0) & (x < 2))


def orbit(value, steps):
    """Return a number of Collatz after some steps."""
    for _ in range(steps):
        value = value // 2 if value % 2 == 0 else 3 * value + 1
    return value


def functions_of_elements(cp):
    from cupyx import jit

    @jit.rawkernel(device=True)
    def halved(x):
        return x / 2

    @cp.vectorize
    def mixed(x, k):
        return cp.sin(x) + halved(k), cp.floor_divide(k, 2), cp.isnan(k), math.pi * x, int(x), cp.square(k)

    x, k = np.array([0.5, -1.5], "f4"), np.array([3, -3], "i4")
    results = mixed(cp.asarray(x), cp.asarray(k))
    expected = (np.sin(x) + k / 2, k // np.int64(2), np.isnan(k), np.float64(math.pi) * x, x.astype("i8"), k * k)
    for ours, theirs in zip(results, expected, strict=True):
        same(cp, ours, theirs, rtol=1e-6)


def arrays_are_broadcast(cp):
    added = cp.vectorize(lambda x, y: x + y, doc="Add.")
    x, y = np.arange(3.0), np.arange(2.0).reshape(2, 1)
    same(cp, added(cp.asarray(x), cp.asarray(y)), x + y)
    same(cp, added(cp.asarray(x), 2), x + 2)
    same(cp, added(cp.asarray(x)[:0], 2), x[:0])
    assert added.__doc__ == "Add."
    assert added.pyfunc(1, 2) == 3


def what_functions_do_not_have_is_refused(cp):
    x = cp.ones(3)

    def defaults(x, y=1):
        return x + y

    def host(x):
        return math.sin(x)

    def both(x):
        if x > 1:
            return 1
        return x

    def changed(x):
        y = 1
        y = x + y
        return y * 2

    def nothing(x):
        x + 1

    def mixed(x):
        return 1.5 if x > 1 else 0

    cases = {
        defaults: (NotImplementedError, "Default values"),
        host: (TypeError, "Invalid function call 'sin'"),
        both: (ValueError, "Failed to infer the return type"),
        changed: (TypeError, "Cannot cast from 'float64' to int64"),
        nothing: (TypeError, "Invalid return type: void"),
        mixed: (TypeError, "Type mismatch in conditional expression"),
    }
    for function, (error, message) in cases.items():
        with pytest.raises(error, match=message):
            cp.vectorize(function)(x)
    with pytest.raises(TypeError, match=r"takes 1 positional arguments? but 2 were given"):
        cp.vectorize(host)(x, x)
    with pytest.raises(TypeError, match="Unsupported type"):
        cp.vectorize(lambda x: 2 * x)(np.ones(3))
    for options in ({"otypes": "d"}, {"excluded": [0]}, {"signature": "()->()"}):
        with pytest.raises(NotImplementedError):
            cp.vectorize(nothing, **options)(x)


VECTORIZE_PROGRAMS = {
    program.__name__: program
    for program in (
        types_are_those_of_operators_with_numbers_of_a_fixed_type,
        choices_and_loops,
        functions_of_elements,
        arrays_are_broadcast,
        what_functions_do_not_have_is_refused,
    )
}
"""The programs by their names."""
