"""sparse (PyData): from our arrays."""

import numpy as np
import sparse

X = np.where(np.random.default_rng(11).uniform(size=(4, 5)) > 0.6, 1.5, 0.0)

RETURNS_VALUES = {
    "asarray": lambda a: sparse.asarray(a(X)).todense(),
    "COO.from_numpy": lambda a: sparse.COO.from_numpy(np.asarray(a(X))).todense(),
    "COO of coordinates": lambda a: sparse.COO(a([[0, 1], [2, 3]]), a([1.0, 2.0]), shape=(4, 5)).todense(),
    "operators": lambda a: (sparse.asarray(a(X)) * 2 + sparse.asarray(a(X))).todense(),
    "reductions": lambda a: sparse.asarray(a(X)).sum(axis=0).todense(),
    "matmul": lambda a: sparse.matmul(sparse.asarray(a(X)), sparse.asarray(a(X.T))).todense(),
    "tensordot": lambda a: sparse.tensordot(sparse.asarray(a(X)), np.asarray(a(X)), axes=([0], [0])),
    "einsum": lambda a: sparse.einsum("ij,ij->i", sparse.asarray(a(X)), sparse.asarray(a(X))).todense(),
}
