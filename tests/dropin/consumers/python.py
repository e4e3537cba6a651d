"""Python's own protocols, joblib and Hypothesis."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

X = np.random.default_rng(16).normal(size=(4, 5))


def copied(a):
    """Return the copies, after a write to the original."""
    x = a(X)
    copies = copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": [x]})
    x[0, 0] = 99.0
    return copies


def unpacked(a):
    first, *others = a(X)
    return first, others[-1]


def by_threads(a):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda row: row * 2, [a(X)[at] for at in range(4)]))


def strategies(a):
    """Return whether arrays of Hypothesis' strategies are of the namespace."""
    if a.xp is np:
        return True
    made = make_strategies_namespace(a.xp, api_version="2024.12")
    dtypes = st.one_of(made.integer_dtypes(), made.floating_dtypes(), made.boolean_dtypes())

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(made.arrays(dtypes, made.array_shapes()))
    def check(x):
        assert str(x.device) == a.device
        assert a.xp.reshape(x, (-1,)).ndim == 1

    check()
    return True


RETURNS_OURS = {
    "pickle": lambda a: [pickle.loads(pickle.dumps(a(X), protocol)) for protocol in (2, 5)],
    "copy, deepcopy": copied,
    "joblib.Parallel, threads": lambda a: joblib.Parallel(2, prefer="threads")(
        joblib.delayed(lambda x: x * 2)(a(X)) for _ in "ab"
    ),
    "ThreadPoolExecutor": by_threads,
    "iteration": lambda a: [row * 2 for row in a(X)],
    "unpacking": unpacked,
    "numbers on both sides": lambda a: [2 + a(X), 2 - a(X), 2 ** a(X), a(X) // 2, -a(X), abs(a(X)), a(X) @ a(X.T)],
}
RETURNS_VALUES = {
    "joblib.hash": lambda a: joblib.hash(np.asarray(a(X))),
    "Hypothesis": strategies,
    "memoryview": lambda a: memoryview(np.asarray(a(X))).tobytes() == X.tobytes(),
}
