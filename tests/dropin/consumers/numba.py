"""numba: compiled functions that are called with our arrays."""

import numba
import numpy as np

V = np.arange(6.0)
X = np.arange(12.0).reshape(3, 4)


@numba.njit
def total(x):
    found = 0.0
    for value in x.flat:
        found += value
    return found


@numba.njit
def weighted(x):
    found = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            found += x[i, j] * (i + 2 * j)
    return found


@numba.njit
def doubled(x):
    x = x * 2
    return x + 1


@numba.njit
def chosen(x, ours):
    return x if ours else np.zeros(6)


@numba.njit
def of_two(x):
    return x[0].sum() + x[1].sum()


@numba.vectorize
def added(x, y):
    return x + y


RETURNS_VALUES = {
    "loops": lambda a: [total(a(V)), total(a([1, 2, 3])), weighted(a(X))],
    "views": lambda a: [total(a(V)[::2]), total(a(V)[::-1]), weighted(a(X).T), weighted(a(X)[:, 1:])],
    "dtypes": lambda a: [total(a([1, 0, 1], dtype)) for dtype in ("bool", "int8", "uint64", "float32")],
    "results": lambda a: [doubled(a(V)), doubled(a(X)), chosen(a(V), True), chosen(a(V), False)],
    "tuples": lambda a: of_two((a(V), a(V))),
    "no elements, no axes": lambda a: [total(a(V[:0])), total(a(2.5))],
    "complex numbers": lambda a: doubled(a(V * 1j)),
    "read-only memory": lambda a: total(np.broadcast_to(a(1.0), (3,))),
}
RETURNS_OURS = {"vectorize": lambda a: added(a(V), a(V))}
